"""The canonical group words that mean the same over all data sets, and what belongs to each.

A group has a parent (its members are the parent's too), synonyms, and the published classes that
are directly in it. Members are written as keys of `words.key`, so that a user's own "Delivery
trucks" finds its group by the same road.
"""

from __future__ import annotations

from dataclasses import dataclass

from data.vocabulary.words import key


@dataclass(frozen=True)
class Group:
    """One group word."""

    name: str
    parents: tuple[str, ...]
    synonyms: tuple[str, ...]
    members: tuple[str, ...]
    """Published class names, in any spelling that `words.key` reduces."""


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _group(name: str, parents: str, synonyms: str, members: str) -> Group:
    return Group(name, _split(parents), _split(synonyms), _split(members))


GROUPS: tuple[Group, ...] = (
    _group("vehicles", "", "motor vehicles; road vehicles; ground vehicles; land vehicles; automotive; wheeled vehicles",
           "passenger vehicle; vehicle lot; other vehicle; van; trailer; tractor; vehicle; minibus; motorcycle"),
    _group("cars", "vehicles", "autos; automobiles; sedans; motor cars; motorcars; passenger vehicles; suvs; taxis; cabs",
           "small car; passenger vehicle"),
    _group("trucks", "vehicles", "lorries; lorry; semis; semi trailers; hgvs; heavy goods vehicles; big rigs; 18 wheelers; pickups",
           "pickup truck; utility truck; truck; cargo truck; truck tractor; truck tractor w/ box trailer; "
           "truck tractor w/ flatbed trailer; truck tractor w/ liquid tank; crane truck; dump truck; haul truck; cement mixer"),
    _group("buses", "vehicles", "coaches; minibuses; omnibuses", "bus"),
    _group("construction equipment", "vehicles",
           "construction machinery; construction vehicles; heavy equipment; heavy machinery; earth movers; earthmovers; "
           "construction machines; engineering vehicles; diggers",
           "engineering vehicle; mobile crane; dump truck; haul truck; scraper/tractor; front loader/bulldozer; excavator; "
           "cement mixer; ground grader; crane truck; reach stacker; straddle carrier; bulldozer; grader"),
    _group("cranes", "", "", "tower crane; container crane; mobile crane; crane truck; crane"),
    _group("railway", "", "railways; railroads; railroad; trains; rolling stock; rail; railcars; rail cars; railway vehicles; rail vehicles; wagons",
           "railway vehicle; passenger car; cargo/container car; flat car; tank car; locomotive; railway_bridge; "
           "road and rail networks and associated land"),
    _group("aircraft", "", "flying machines; anything that flies; air vehicles", "drone"),
    _group("airplanes", "aircraft", "planes; aeroplanes; jets; airliners; jetliners; fixed wing; passenger jets; cargo planes",
           "fixed-wing aircraft; small aircraft; passenger/cargo plane; boeing737; boeing747; boeing777; boeing787; c919; "
           "a220; a321; a330; a350; arj21; other-airplane"),
    _group("helicopters", "aircraft", "choppers; helos; copters; rotorcraft; rotary wing", "helicopter"),
    _group("vessels", "", "ships; boats; watercraft; anything that floats; everything that floats; things that float; "
           "maritime vessels; shipping; maritime traffic; marine traffic; ship traffic",
           "maritime vessel; motorboat; sailboat; tugboat; barge; ferry; yacht; passenger ship; other-ship; engineering ship; "
           "vessel; non-fishing vessel; submarine"),
    _group("fishing vessels", "vessels", "fishing boats; fishing ships; trawlers; fishing fleet; fishers; fishing trawlers",
           "fishing vessel; fishing boat"),
    _group("cargo vessels", "vessels", "cargo ships; freighters; merchant ships; merchant vessels; bulk carriers; cargo boats",
           "container ship; oil tanker; barge; liquid cargo ship; dry cargo ship"),
    _group("tankers", "cargo vessels", "tanker ships; oil ships", "oil tanker; liquid cargo ship"),
    _group("recreational boats", "vessels", "pleasure boats; leisure boats; speedboats; small boats", "motorboat; sailboat; yacht"),
    _group("military", "", "armed forces; army; navy; defence; defense; military sites; military installations; military bases",
           "warship; military_facility"),
    _group("warships", "vessels;military", "naval vessels; navy ships; naval ships; military ships; military vessels; frigates; destroyers", "warship"),
    _group("buildings", "", "structures; built structures; building footprints; edifices",
           "hut/tent; shed; building; aircraft hangar; facility; airport_hangar; airport_terminal; barn; educational_institution; "
           "fire_station; hospital; office_building; place_of_worship; police_station; prison; shopping_mall; car_dealership; "
           "factory_or_powerplant; lighthouse; no-damage; un-classified; warehouse"),
    _group("houses", "buildings", "homes; dwellings; housing; residences; residential buildings; residential areas; residential; apartments",
           "single-unit_residential; multi-unit_residential; impoverished_settlement; hut/tent"),
    _group("damaged buildings", "buildings", "damaged houses; damaged homes; damaged structures; building damage; damage; damaged",
           "damaged building; minor-damage; major-damage; destroyed"),
    _group("storage tanks", "", "oil tanks; fuel tanks; tank farms; petroleum tanks", "storage tank"),
    _group("containers", "", "shipping containers; container yards; container lots", "shipping container; shipping container lot"),
    _group("towers", "", "masts; pylons", "tower; pylon; smokestack; lighthouse"),
    _group("construction sites", "", "building sites; construction; constructions", "construction site"),
    _group("parking", "", "parking lots; car parks; parking areas; parking garages; vehicle lots", "vehicle lot; parking_lot_or_garage"),
    _group("airports", "", "airfields; aerodromes; air bases; airbases; aviation facilities",
           "airport; airport_hangar; airport_terminal; runway; aircraft hangar; helipad"),
    _group("helipads", "airports", "helicopter pads; heliports", "helipad"),
    _group("hangars", "airports;buildings", "aircraft hangars; airport hangars", "aircraft hangar; airport_hangar"),
    _group("ports", "", "harbors; harbours; seaports; docks; quays; wharves; marinas; port facilities; ship terminals",
           "port; port areas; shipyard; container crane; straddle carrier; reach stacker"),
    _group("sports fields", "", "sports grounds; playing fields; sports facilities; athletic fields; pitches; sport fields; sports",
           "football field; baseball field; basketball court; tennis court; sport and leisure facilities; golf_course; "
           "recreational_facility; stadium; race_track"),
    _group("courts", "sports fields", "sport courts; sports courts", "basketball court; tennis court"),
    _group("roads", "", "streets; highways; motorways; road network; road networks; freeways",
           "intersection; roundabout; bridge; interchange; road_bridge; toll_booth; tunnel_opening; flooded_road; "
           "road and rail networks and associated land"),
    _group("bridges", "", "overpasses; viaducts; footbridges", "bridge; road_bridge; railway_bridge"),
    _group("energy", "", "power plants; powerplants; power stations; energy infrastructure; power infrastructure; electricity; "
           "energy facilities; power generation",
           "electric_substation; factory_or_powerplant; nuclear_powerplant; oil_or_gas_facility; solar_farm; wind_farm; dam; power plant"),
    _group("renewable energy", "energy", "renewables; green energy; clean energy", "solar_farm; wind_farm"),
    _group("industry", "", "industrial; factories; industrial areas; industrial sites; industrial facilities; plants",
           "factory_or_powerplant; industrial or commercial units; oil_or_gas_facility; smokestack; shipyard; storage tank; "
           "surface_mine; facility"),
    _group("mines", "industry", "quarries; open pit mines; pits; mining; mining sites; quarry; opencast mines", "surface_mine; mineral extraction sites"),
    _group("waste", "", "landfills; dumps; rubbish dumps; garbage dumps; trash; waste sites; junkyards", "waste_disposal; dump sites"),
    _group("urban", "", "built up; built up areas; built-up land; urban areas; urban fabric areas; city areas; settlements; urban land",
           "continuous urban fabric; discontinuous urban fabric; industrial or commercial units; green urban areas; "
           "single-unit_residential; multi-unit_residential; impoverished_settlement; office_building; shopping_mall"),
    _group("parks", "", "green spaces; urban parks; public gardens", "park; amusement_park; green urban areas; zoo"),
    _group("agriculture", "", "farmland; farms; farm land; agricultural land; agricultural areas; agricultural; croplands; cropland; cultivated land; farming; fields",
           "crop_field; barn; aquaculture; non-irrigated arable land; permanently irrigated land; rice fields; vineyards; "
           "fruit trees and berry plantations; olive groves; pastures; annual crops associated with permanent crops; "
           "complex cultivation patterns; land principally occupied by agriculture, with significant areas of natural vegetation; "
           "agro-forestry areas"),
    _group("crops", "agriculture", "crop fields; crop land; arable fields",
           "crop_field; non-irrigated arable land; permanently irrigated land; rice fields; annual crops associated with permanent crops"),
    _group("forests", "", "woods; woodlands; trees; forest cover; tree cover; forested areas; forestry; wooded areas",
           "broad-leaved forest; coniferous forest; mixed forest; agro-forestry areas; transitional woodland/shrub"),
    _group("grassland", "", "meadows; grass; grasslands; grazing land; prairies", "natural grassland; pastures"),
    _group("shrubland", "", "shrubs; heath; scrub; bushes; scrubland", "moors and heathland; sclerophyllous vegetation; transitional woodland/shrub"),
    _group("wetlands", "", "marshes; swamps; bogs; wet lands; mires",
           "inland marshes; peatbogs; salt marshes; salines; intertidal flats"),
    _group("water", "", "waters; open water; water surfaces; waterbodies",
           "water courses; water bodies; coastal lagoons; estuaries; sea and ocean; lake_or_pond; swimming_pool"),
    _group("bare land", "", "bare soil; bare ground; barren land; bare areas; barren; bare earth; deserts",
           "bare rock; beaches, dunes, sands; sparsely vegetated areas; burnt areas"),
    _group("public services", "", "public buildings; emergency services; civic buildings",
           "fire_station; police_station; hospital; educational_institution"),
)  # fmt: skip

BY_NAME: dict[str, Group] = {group.name: group for group in GROUPS}


def with_parents(name: str) -> tuple[str, ...]:
    """A group and all above it, in the table's order (widest first)."""
    above = {name}
    for parent in BY_NAME[name].parents:
        above.update(with_parents(parent))
    return tuple(group.name for group in GROUPS if group.name in above)


def _members() -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for group in GROUPS:
        for member in group.members:
            found.setdefault(key(member), set()).update(with_parents(group.name))
    return {
        name: tuple(group.name for group in GROUPS if group.name in names) for name, names in found.items()
    }


GROUPS_OF_CLASS: dict[str, tuple[str, ...]] = _members()
"""Key of a published class name to its groups, widest first."""

_GROUP_OF_WORD: dict[str, str] = {}
for _entry in GROUPS:
    for _word in (_entry.name, *_entry.synonyms):
        _GROUP_OF_WORD.setdefault(key(_word), _entry.name)


def group_of(word: str) -> str | None:
    """The canonical group that a group word or a synonym of it means, or None."""
    return _GROUP_OF_WORD.get(key(word))


def group_words() -> dict[str, str]:
    """Every key of a group word or synonym, and the canonical group it means."""
    return dict(_GROUP_OF_WORD)


NOT_THE_SAME = frozenset({"non", "no", "not", "other", "parking", "toy"})
"""Words that turn the noun after them into something else."""


def groups_for(class_name: str) -> tuple[str, ...]:
    """The groups a class belongs to by its name, widest first; () when nothing is known.

    A name that no data set publishes is read from its right end, as English puts the noun
    there: "armoured delivery truck" is a truck, a "truck stop" is not.
    """
    words = key(class_name).split()
    for start in range(len(words)):
        if any(word in NOT_THE_SAME for word in words[:start]):
            break
        tail = " ".join(words[start:])
        if tail in GROUPS_OF_CLASS:
            return GROUPS_OF_CLASS[tail]
        if tail in _GROUP_OF_WORD:
            return with_parents(_GROUP_OF_WORD[tail])
    return ()
