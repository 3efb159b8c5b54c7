"""The words that people use for what OpenStreetMap calls by a key and a value.

Keys and values are those of https://wiki.openstreetmap.org/wiki/Map_features.
"""

from __future__ import annotations

import re

from data.web.errors import WebError

Tag = tuple[str, str | None]

AREA_KEYS = frozenset(
    "building landuse natural leisure amenity aeroway boundary place water shop tourism historic military "
    "power man_made office healthcare building:part area:highway".split()
)
"""Keys of which a closed way is an area: https://wiki.openstreetmap.org/wiki/Overpass_turbo/Polygon_Features."""

_TABLE = """
building: building, house
building=residential: residential building
building=industrial: factory building
building=warehouse: warehouse
amenity=hospital: hospital
amenity=clinic: clinic
amenity=doctors: doctor
amenity=pharmacy: pharmacy, chemist
amenity=school: school
amenity=university: university
amenity=kindergarten: kindergarten, nursery
amenity=library: library
amenity=police: police station, police
amenity=fire_station: fire station, fire brigade
amenity=fuel: petrol station, gas station, filling station, fuel station
amenity=charging_station: charging station, charging point
amenity=parking: car park, parking, parking lot
amenity=restaurant: restaurant
amenity=cafe: cafe, coffee shop
amenity=bank: bank
amenity=place_of_worship: place of worship, church, mosque, temple, synagogue
amenity=drinking_water: drinking water, drinking fountain
amenity=shelter: shelter
amenity=ferry_terminal: ferry terminal, ferry
amenity=bus_station: bus station
shop: shop, store
shop=supermarket: supermarket, grocery
tourism=hotel: hotel
tourism=museum: museum
historic: historic site, monument
leisure=park: park
leisure=stadium: stadium
leisure=pitch: pitch, sports field
leisure=swimming_pool: swimming pool
leisure=marina: marina
leisure=nature_reserve: nature reserve
landuse=forest: forest
natural=wood: wood, woodland
landuse=farmland: farmland, field, cropland
landuse=residential: residential area
landuse=industrial: industrial area, industry
landuse=quarry: quarry
landuse=cemetery: cemetery
landuse=landfill: landfill
landuse=vineyard: vineyard
natural=water: lake, water body, water, pond
natural=beach: beach
natural=wetland: wetland, marsh
natural=peak: peak, summit
natural=glacier: glacier
natural=coastline: coastline
natural=tree: tree
waterway=river: river
waterway=canal: canal
waterway=stream: stream
waterway=dam: dam
waterway: waterway
highway: road, street
highway=motorway: motorway, highway, freeway
highway=bus_stop: bus stop
highway=cycleway: cycle path, cycleway, bike lane
highway=footway: footpath, footway
man_made=bridge: bridge
man_made=pier: pier, jetty
man_made=lighthouse: lighthouse
man_made=storage_tank: storage tank, oil tank, tank
man_made=tower: tower
man_made=wastewater_plant: sewage plant, wastewater plant
man_made=water_tower: water tower
man_made=breakwater: breakwater
railway=rail: railway, railway line, rail, train track
railway=station: railway station, train station
railway=tram_stop: tram stop
aeroway=aerodrome: airport, airfield, aerodrome
aeroway=runway: runway
aeroway=helipad: helipad
aeroway=hangar: hangar
harbour: harbour, port
power=plant: power plant, power station
power=substation: substation
power=line: power line
power=generator: generator
generator:source=wind: wind turbine, windmill
generator:source=solar: solar panel
military: military area, military base
boundary=administrative: border, boundary
boundary=national_park: national park
place=village: village
place=town: town
place=city: city
"""
_TAG = re.compile(r'\s*"?([A-Za-z][\w:.-]{0,60})"?\s*+(?:=\s*+"?([^"=\[\]]{1,200}?)"?)?\s*')


def _words() -> dict[str, Tag]:
    found: dict[str, Tag] = {}
    for row in _TABLE.strip().splitlines():
        tag, _, words = row.rpartition(": ")
        key, _, value = tag.partition("=")
        found |= {word.strip(): (key, value or None) for word in words.split(",")}
    return found


WORDS = _words()


def tags_of(text: str) -> tuple[Tag, ...]:
    """The tags that a word (`hospitals`) or a tag (`amenity=hospital`, `building`) means; all must hold.

    Several tags are parted by commas or `and`. Raises WebError with the nearest words.
    """
    known = _known(text)
    if known is not None:
        return (known,)
    tags = []
    for part in re.split(r",|&|\band\b", text):
        known = _known(part)
        found = _TAG.fullmatch(part)
        if known is not None:
            tags.append(known)
        elif found is not None and found[2] is not None:
            tags.append((found[1], None if found[2].strip() == "*" else found[2].strip()))
        elif found is not None and (found[1] in AREA_KEYS or ":" in found[1]):
            tags.append((found[1], None))
        else:
            raise WebError(_unknown(part))
    return tuple(dict.fromkeys(tags))


def _known(text: str) -> Tag | None:
    word = " ".join(text.casefold().replace("_", " ").split())
    endings = (("ies", "y"), ("shes", "sh"), ("ches", "ch"), ("ses", "s"), ("s", ""))
    forms = [word, *(word[: -len(many)] + one for many, one in endings if word.endswith(many))]
    return next((WORDS[each] for each in forms if each in WORDS), None)


def _unknown(text: str) -> str:
    from difflib import get_close_matches

    shown = " ".join(text.split())[:60]
    near = get_close_matches(shown.casefold(), WORDS, n=3, cutoff=0.6)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Give a word such as hospital, or a tag."
    return (
        f"{shown!r} is no kind of feature that OpenStreetMap has. {hint} A tag is written amenity=hospital."
    )
