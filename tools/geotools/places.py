"""Look places up in the offline gazetteer: where a name is, what is at a point, how far a place reaches."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from data.gazetteer.model import Place
from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.map.find import said_point
from tools.map.geometry import point, said_box
from tools.map.shapes import area_km2, box_shape
from tools.phrases import listed, number
from tools.places import place_named
from tools.units import Latitude, Longitude, PlaceName

_FAR_KM = 50.0
"""A city farther than this is not where the point is."""


@tool("geotools")
def geocode(
    state: State,
    world: World,
    *,
    place: PlaceName,
    limit: Annotated[int, Field(ge=1, le=20, description="Most places to list of that name.")] = 5,
) -> Step:
    """Find a place's longitude, latitude and box; of an ambiguous name, every place that it may mean.

    Offline: cities of 5,000 people and more, countries, first-level areas, seas, airports, ports and
    named regions. Degrees WGS84, longitude first.

    Example: copilot call geocode place=Rotterdam

    Asked as: coordinates of Rotterdam | where is Timbuktu | the longitude and latitude of Quito | look up
    Heathrow's position | find the place Springfield | which places are called Georgia | lat lon of Nairobi
    """
    resolution = world.gazetteer.resolve(place, limit)
    if resolution.best is None:
        place_named(world.gazetteer, place)  # says what comes near
        raise ToolError(f"No place is called {place!r}.")
    found = [_facts(each.place) for each in resolution.candidates]
    best = resolution.best
    said = f"{best.label} ({best.kind}) is at longitude {best.lon:.5f}, latitude {best.lat:.5f}"
    said += f", its box {said_box(best.bbox)}."
    if resolution.ambiguous:
        choices = listed([each.place.label for each in resolution.candidates], 20)
        said = f"{place!r} may be any of {choices}. The likeliest: {said}"
    elif resolution.corrected:
        said = f"{place!r} was read as {best.name}. {said}"
    data: dict[str, Any] = {**_facts(best), "ambiguous": resolution.ambiguous, "candidates": found}
    return Step(state, said, data)


@tool("geotools")
def reverse_geocode(state: State, world: World, *, lon: Longitude, lat: Latitude) -> Step:
    """Say which place a point is at: the nearest city with its distance and direction, and the country.

    Offline. Cities of 5,000 people and more; the distance is geodesic on WGS84, kilometres; the country
    includes its waters up to 12 nautical miles from the coast.

    Example: copilot call reverse_geocode lon=4.48 lat=51.92

    Asked as: which town is at 4.48, 51.92 | what place is this point | nearest city to 10 E 50 N | address of
    these coordinates | name the place at this position | what is the closest town to the point
    """
    from data.vector.distances import geodesic_m

    spot = point(lon, lat)
    city, _ = world.gazetteer.nearest_city(*spot)
    metres, azimuth = geodesic_m((city.lon, city.lat), spot)
    country = world.gazetteer.country_at(*spot)
    name = _country_name(world, country)
    way = f"{number(round(metres / 1000, 1))} km {_compass(azimuth)} of {city.label}"
    inside = f"in {name}" if name else "in no country"
    near = "" if metres / 1000 <= _FAR_KM else "; no city is near"
    said = f"{said_point(*spot)} is {inside}, {way}{near}."
    data: dict[str, Any] = {
        "country": country,
        "country_name": name,
        "city": city.label,
        "admin1": city.admin1 if city.country == country else None,
        "distance_km": round(metres / 1000, 3),
        "azimuth_deg": round(azimuth, 1),
        "lon": spot[0],
        "lat": spot[1],
    }
    return Step(state, said, data)


@tool("geotools")
def place_bounds(state: State, world: World, *, place: PlaceName) -> Step:
    """Give a place's bounding box: west, south, east, north, its middle, width, height and area.

    A box with west greater than east crosses the antimeridian. Widths are geodesic, along the middle.

    Example: copilot call place_bounds place=Kenya

    Asked as: bounding box of Kenya | the extent of Bavaria | what are the bounds of the North Sea | how far
    does Chile reach from north to south | min and max latitude of France | corner coordinates of Lagos
    """
    from data.vector.distances import geodesic_m

    found = place_named(world.gazetteer, place)
    west, south, east, north = (float(side) for side in found.bbox)
    middle_lat, turn = (south + north) / 2, (east - west) % 360 or (360.0 if east != west else 0.0)
    halves = [geodesic_m((west, middle_lat), (west + turn / 2, middle_lat))[0]] * 2
    width, height = sum(halves) / 1000, geodesic_m((west, south), (west, north))[0] / 1000
    area = area_km2(box_shape((west, south, east, north)))
    said = (
        f"{found.label} reaches from longitude {west:.4f} to {east:.4f} and from latitude {south:.4f} to "
        f"{north:.4f}: {number(round(width, 1))} km across in the middle, {number(round(height, 1))} km from "
        f"south to north; the box covers {number(round(area, 1))} km²."
    )
    if west > east:
        said += " It crosses the antimeridian."
    data: dict[str, Any] = {
        "label": found.label,
        "bbox": [west, south, east, north],
        "center": list(point(west + turn / 2, middle_lat)),
        "width_km": round(width, 3),
        "height_km": round(height, 3),
        "area_km2": round(area, 3),
        "outline": world.gazetteer.polygon(found) is not None,
    }
    return Step(state, said, data)


@tool("geotools")
def country_at(state: State, world: World, *, lon: Longitude, lat: Latitude) -> Step:
    """Say which country a point lies in, its waters up to 12 nautical miles included.

    Outlines at 1:50 million: right to about 2 km at borders and coasts. ISO 3166-1 alpha-2 codes.

    Example: copilot call country_at lon=36.8 lat=-1.3

    Asked as: which country is this point in | in what country is 36.8, -1.3 | whose territory is this
    position | is that point on land or on the high sea | country of the coordinate | whose waters are these
    """
    spot = point(lon, lat)
    code = world.gazetteer.country_at(*spot)
    on_land = world.gazetteer.country_at(*spot, 0.0) is not None
    name = _country_name(world, code)
    if code is None:
        said = f"{said_point(*spot)} lies in no country: more than 12 nautical miles from every coast."
    else:
        said = f"{said_point(*spot)} lies in {name or code} ({code}){'' if on_land else ', in its waters'}."
    data: dict[str, Any] = {"country": code, "name": name, "on_land": on_land, "lon": spot[0], "lat": spot[1]}
    return Step(state, said, data)


def _facts(place: Place) -> dict[str, Any]:
    return {
        "label": place.label,
        "kind": place.kind,
        "lon": round(float(place.lon), 6),
        "lat": round(float(place.lat), 6),
        "bbox": [round(float(side), 6) for side in place.bbox],
        "country": place.country,
        "population": place.population,
    }


def _country_name(world: World, code: str | None) -> str | None:
    """A country's name by its code."""
    if code is None:
        return None
    return next((each.name for each in world.gazetteer.places("country") if each.country == code), None)


def _compass(azimuth_deg: float) -> str:
    """A direction as people say it, by eighths."""
    names = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
    return names[round(azimuth_deg / 45) % 8]


TOOLS = (geocode, reverse_geocode, place_bounds, country_at)
