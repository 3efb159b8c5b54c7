"""Patterns of places: hot and cold spots, spatial autocorrelation, how evenly points are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import Floats, as_floats, at_most, need_rows, rounded, rounded_all, rows_of
from tools.data.points import (
    Places,
    hull_area_m2,
    nearest,
    nearest_distances_m,
    pairs_within,
    places_in,
    within,
)  # fmt: skip
from tools.data.source import column_in, numbers, source_column
from tools.data.summaries import Column, TableOrSelection
from tools.phrases import number, number_of
from tools.tables import plain_value, table_step

MAX_SITES = 20_000
MAX_POINTS = 500_000
MAX_PAIRS = 5_000_000
EARTH_KM2 = 510_065_622.0
"""The surface of the WGS84 ellipsoid."""
_CELL_AREAS = 15
"""H3's finest resolution."""
_SIGNIFICANT = (0.01, 0.05, 0.1)

Neighbours = Annotated[
    int, Field(ge=1, le=100, description="How many nearest sites are neighbours, unless a distance is given.")
]
BandKm = Annotated[
    float | None, Field(gt=0, le=20_000, description="Sites within this distance are neighbours, km.")
]
CellKm = Annotated[
    float | None,
    Field(gt=0.001, le=1500, description="Rows are put together in hexagons about this wide, km."),
]


@dataclass(frozen=True)
class Sites:
    """Places with one value each."""

    rows: pd.DataFrame
    """What is said of each site in the result."""
    places: Places
    values: Floats
    name: str


@tool("data", changes_state=True, gives=("table",))
def hotspots(
    state: State,
    world: World,
    *,
    field: Annotated[
        Column | None, Field(description="Numbers at the places; rows are counted without.")
    ] = None,
    neighbours: Neighbours = 8,
    distance_km: BandKm = None,
    cell_km: CellKm = None,
    table: TableOrSelection = None,
) -> Step:
    """Find hot and cold spots: where high or low values, or many or few rows, lie together (Getis-Ord Gi*).

    Gi* (Ord and Getis 1995, esda) with binary weights, the site itself included; z-scores and two-sided
    p-values of the normal approximation, uncorrected for many tests. With a field every row is a site, or its
    mean in each hexagon when cell_km is given; without one the rows are counted in H3 hexagons, and only
    hexagons with rows are sites.

    Example: copilot call hotspots field=detections neighbours=3

    Asked as: where are the hot spots of the detections | statistically significant clusters of high values |
    cold spots of cloud cover | Getis-Ord Gi* | where do many ships come together, with significance | hot
    spot analysis of the counts
    """
    from esda.getisord import G_Local
    from scipy.stats import norm

    sites = _sites(state, world, table, field, cell_km)
    _need_change(sites, 3)
    weights = _weights(sites.places, neighbours, distance_km, own=True)
    # Gi* does not change when a constant is added, but its formula divides by the mean: keep that from 0.
    level = (sites.values - sites.values.mean()) / sites.values.std() + 2.0
    with np.errstate(all="ignore"):
        z = np.asarray(G_Local(level, weights, transform="B", permutations=0, star=True).Zs, dtype=float)
    p = 2 * norm.sf(np.abs(z))
    # Twelve digits of a z-score that is nought but for rounding are noise: it is told to nine decimals.
    z, p = np.round(z, 9) + 0.0, np.round(p, 9)
    kinds = [_spot(each, chance) for each, chance in zip(z, p, strict=True)]
    result = sites.rows.assign(
        value=rounded_all(sites.values), z=rounded_all(z), p=rounded_all(p), spot=kinds
    )
    order = np.argsort(-np.nan_to_num(z), kind="stable")
    result = result.iloc[order].reset_index(drop=True)
    hot, cold = sum(each.startswith("hot") for each in kinds), sum(each.startswith("cold") for each in kinds)
    said = (
        f"{number_of(hot, 'hot spot')} and {number_of(cold, 'cold spot')} at 90% confidence or more, "
        f"of {number_of(len(z), 'site')} by {sites.name}, with {_band(neighbours, distance_km)}."
    )
    if hot:
        top = result.iloc[0]
        said += f" The hottest is at {top['lon']:.4f}, {top['lat']:.4f}: z {number(float(top['z']))}."
    call = Call.of(
        hotspots, field=field, neighbours=neighbours, distance_km=distance_km, cell_km=cell_km, table=table
    )
    facts: dict[str, Any] = {"by": sites.name, "sites": len(z), "hot": hot, "cold": cold}
    return table_step(state, world, result, call, f"Hot spots of {sites.name}"[:100], said, **facts)


@tool("data", changes_state=True, gives=("table",))
def spatial_autocorrelation(
    state: State,
    world: World,
    *,
    field: Annotated[
        Column | None, Field(description="Numbers at the places; rows are counted without.")
    ] = None,
    neighbours: Neighbours = 8,
    distance_km: BandKm = None,
    cell_km: CellKm = None,
    table: TableOrSelection = None,
) -> Step:
    """Test whether neighbouring places have similar values, by Moran's I over the whole area.

    Moran (1950) by esda, with row-standardised weights; z and the two-sided p under the normality and under
    the randomisation assumption (Cliff and Ord 1981). +1 is alike, −1/(n−1) by chance, −1 unlike neighbours.
    The sites are made as for hot spots.

    Example: copilot call spatial_autocorrelation field=detections neighbours=3

    Asked as: Moran's I of the detections | are neighbouring values alike | is cloud cover spatially
    autocorrelated | do high values cluster in space or is it random | global spatial autocorrelation | are
    the counts randomly distributed over the area
    """
    from esda.moran import Moran

    sites = _sites(state, world, table, field, cell_km)
    _need_change(sites, 4)
    weights = _weights(sites.places, neighbours, distance_km)
    scaled = (sites.values - sites.values.mean()) / sites.values.std()
    with np.errstate(all="ignore"):
        found = Moran(scaled, weights, transformation="r", permutations=0)
    facts: dict[str, Any] = {
        "by": sites.name,
        "sites": len(scaled),
        "morans_i": rounded(float(found.I)),
        "expected": rounded(float(found.EI)),
        "z_normal": _finite(found.z_norm),
        "p_normal": _finite(found.p_norm),
        "z_randomised": _finite(found.z_rand),
        "p_randomised": _finite(found.p_rand),
    }
    result = pd.DataFrame({"statistic": list(facts)[2:], "value": [facts[key] for key in list(facts)[2:]]})
    p = facts["p_randomised"]
    verdict = (
        "no different from chance" if p is None or p >= 0.05
        else "neighbours are alike" if facts["morans_i"] > facts["expected"] else "neighbours are unlike"
    )  # fmt: skip
    said = (
        f"Moran's I of {sites.name} over {number_of(len(scaled), 'site')} is {number(facts['morans_i'])} "
        f"(expected {number(facts['expected'])}), z {_said(facts['z_randomised'])}, p {_said(p)}: {verdict}, "
        f"with {_band(neighbours, distance_km)}."
    )
    call = Call.of(
        spatial_autocorrelation,
        field=field, neighbours=neighbours, distance_km=distance_km, cell_km=cell_km, table=table,
    )  # fmt: skip
    return table_step(state, world, result, call, f"Moran's I of {sites.name}"[:100], said, **facts)


@tool("data", changes_state=True, gives=("table",))
def nearest_neighbour_stats(
    state: State,
    world: World,
    *,
    area_km2: Annotated[
        float | None,
        Field(gt=0, le=EARTH_KM2, description="The area the points could lie in, km²; their hull's else."),
    ] = None,
    table: TableOrSelection = None,
) -> Step:
    """Say whether places are clustered, random or evenly spread, by distances to nearest neighbours.

    Clark and Evans (1954): R is the mean distance over 0.5 / sqrt(density); below 1 is clustered, above 1
    even. Distances and the area are geodesic on WGS84; points all around the globe have the whole Earth for
    their area. z and the two-sided p without correction for edges.

    Example: copilot call nearest_neighbour_stats

    Asked as: are the points clustered or random | average nearest neighbour | Clark-Evans index | how far
    apart are the sites on average | is the pattern dispersed | distance to the next image, mean and
    significance | how evenly are the scenes spread
    """
    frame = rows_of(state, world, table)
    places = places_in(frame)
    at_most(len(frame), MAX_POINTS, "This statistic", "narrow the selection")
    need_rows(len(places), 2, "to compare the distances of")
    distances = nearest_distances_m(places)
    area_m2 = hull_area_m2(places) if area_km2 is None else area_km2 * 1e6
    if area_m2 is None:
        area_m2, of = EARTH_KM2 * 1e6, ", the whole Earth"
    else:
        of = " of convex hull" if area_km2 is None else ""
    if area_m2 <= 0:
        raise ToolError("The points lie on one line or in one spot and cover no area; give it in area_km2.")
    count = len(places)
    density = count / area_m2
    expected, error = 0.5 / np.sqrt(density), 0.26136 / np.sqrt(count * density)
    z = (distances.mean() - expected) / error
    from scipy.stats import norm

    facts: dict[str, Any] = {
        "points": count,
        "area_km2": rounded(area_m2 / 1e6),
        "mean_m": rounded(float(distances.mean())),
        "median_m": rounded(float(np.median(distances))),
        "min_m": rounded(float(distances.min())),
        "max_m": rounded(float(distances.max())),
        "expected_m": rounded(float(expected)),
        "ratio": rounded(float(distances.mean() / expected)),
        "z": rounded(float(z)),
        "p": rounded(float(2 * norm.sf(abs(z)))),
    }
    result = pd.DataFrame({"statistic": list(facts), "value": [float(each) for each in facts.values()]})
    verdict = "random" if facts["p"] >= 0.05 else "clustered" if facts["ratio"] < 1 else "evenly spread"
    said = (
        f"The {number_of(count, 'point')} lie {number(facts['mean_m'])} m from their nearest neighbour on "
        f"average (median {number(facts['median_m'])} m); "
        f"by chance it would be {number(facts['expected_m'])} m over {number(facts['area_km2'])} km²{of}. "
        f"R {number(facts['ratio'])}, z {number(facts['z'])}, p {number(facts['p'])}: {verdict}."
    )
    call = Call.of(nearest_neighbour_stats, area_km2=area_km2, table=table)
    return table_step(state, world, result, call, "Nearest neighbours", said, pattern=verdict, **facts)


def _sites(state: State, world: World, table: str | None, field: str | None, cell_km: float | None) -> Sites:
    name = None if field is None else source_column(state, world, table, field)
    frame = rows_of(state, world, table, *([name] if name else []))
    places = places_in(frame)
    need_rows(len(places), 1, "to look at")
    if name is None:
        at_most(len(places), MAX_POINTS * 10, "This", "narrow the selection")
        return _in_cells(places, np.ones(len(places)), cell_km, "count")
    name = column_in(frame, name)
    numbers(frame, name)
    values = as_floats(frame[name])[places.row]
    there = ~np.isnan(values)
    places = Places(places.lon[there], places.lat[there], places.row[there])
    need_rows(len(places), 1, "to look at")
    if cell_km is not None:
        return _in_cells(places, values[there], cell_km, name)
    at_most(len(places), MAX_SITES, "This, with every row a site,", "give cell_km to put rows together")
    kept = frame.iloc[places.row].reset_index(drop=True)
    shown = [each for each in ("image_id", "name") if each in kept][:1]
    rows = kept[shown].assign(lon=rounded_all(places.lon), lat=rounded_all(places.lat))
    return Sites(rows, places, values[there], name)


def _in_cells(places: Places, values: Floats, cell_km: float | None, name: str) -> Sites:
    """The rows of each H3 hexagon as one site at its centre: their count, or the mean of their values."""
    import h3

    resolution = _resolution(places, cell_km)
    ids = [h3.latlng_to_cell(lat, lon, resolution) for lat, lon in zip(places.lat, places.lon, strict=True)]
    grouped = pd.DataFrame({"cell": ids, "value": values}).groupby("cell")["value"]
    found = grouped.agg(["size", "mean"]).reset_index()
    at_most(len(found), MAX_SITES, "This, with so many hexagons,", "give a larger cell_km")
    lat, lon = np.array([h3.cell_to_latlng(each) for each in found["cell"]], dtype=float).T
    rows = pd.DataFrame(
        {"cell": found["cell"], "lon": rounded_all(lon), "lat": rounded_all(lat), "rows": found["size"]}
    )
    sites = Places(lon, lat, np.arange(len(found)))
    if name == "count":
        return Sites(rows, sites, found["size"].to_numpy(dtype=float), f"rows per hexagon of H3 {resolution}")
    return Sites(rows, sites, found["mean"].to_numpy(dtype=float), f"mean of {name}")


def _resolution(places: Places, cell_km: float | None) -> int:
    """The H3 resolution whose hexagons are about that wide; else the finest with two rows a hexagon."""
    import h3

    levels = range(_CELL_AREAS + 1)
    if cell_km is not None:
        # A hexagon's width between flat sides is sqrt(3) times its edge.
        widths = [3**0.5 * h3.average_hexagon_edge_length(each, unit="km") for each in levels]
        return min(levels, key=lambda each: (abs(np.log(widths[each] / cell_km)), each))
    spots = list(zip(places.lat.tolist(), places.lon.tolist(), strict=True))
    step = max(1, len(spots) // 20_000)
    for level in reversed(levels):
        if 2 * len({h3.latlng_to_cell(lat, lon, level) for lat, lon in spots[::step]}) <= len(spots[::step]):
            return level
    return 0


def _weights(places: Places, neighbours: int, distance_km: float | None, own: bool = False) -> Any:
    """Binary weights of the neighbours, with `own` of the site itself too. ToolError without contrast."""
    from libpysal.weights import W

    if distance_km is None:
        found = {site: row.tolist() for site, row in enumerate(nearest(places, neighbours))}
    else:
        if (pairs := pairs_within(places, distance_km * 1000)) > MAX_PAIRS:
            raise ToolError(
                f"Within {number(distance_km)} km there are {pairs:,} pairs of sites, more than "
                f"{MAX_PAIRS:,}; take a smaller distance."
            )
        found = dict(enumerate(within(places, distance_km * 1000)))
        if not any(found.values()):
            raise ToolError(f"No two sites lie within {number(distance_km)} km; take a larger distance.")
    if all(len(near) == len(places) - 1 for near in found.values()):
        raise ToolError(
            f"Each of the {len(places):,} sites has all others as neighbours; take fewer neighbours or a "
            "smaller distance."
        )
    if own:
        found = {site: sorted([*near, site]) for site, near in found.items()}
    return W(found, silence_warnings=True)


def _need_change(sites: Sites, least: int) -> None:
    need_rows(len(sites.values), least, "with a place and a value")
    if sites.values.min() == sites.values.max():
        raise ToolError(
            f"The {sites.name} is {number(sites.values[0])} everywhere, so there is no pattern in it."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(sites.values.std()):
            raise ToolError(f"The {sites.name} is too large to compute with.")


def _band(neighbours: int, distance_km: float | None) -> str:
    if distance_km is not None:
        return f"all within {number(distance_km)} km as neighbours"
    return f"the {neighbours} nearest as neighbours"


def _spot(z: float, p: float) -> str:
    level = next((100 - round(100 * each) for each in _SIGNIFICANT if p <= each), None)
    return "not significant" if level is None else f"{'hot' if z > 0 else 'cold'} {level}%"


def _finite(value: float) -> float | None:
    plain = plain_value(rounded(float(value)))
    return None if plain is None else float(plain)


def _said(value: float | None) -> str:
    return "none" if value is None else number(value)


TOOLS = (hotspots, spatial_autocorrelation, nearest_neighbour_stats)
