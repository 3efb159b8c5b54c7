"""A million features of one's own: added, joined by `sql`, and saved, each time in a new process."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benches.figure import Budget, Figure
from benches.machine import Ran, run_process

FEATURES, ZONES = 1_000_000, 1_000
_MADE = """
import sys
import geopandas as gpd, numpy as np, shapely
folder, features, zones = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
columns = {"id": np.arange(features), "v": rng.random(features), "kind": rng.choice(list("abc"), features)}
points = shapely.points(10 + rng.random(features), 50 + rng.random(features))
gpd.GeoDataFrame(columns, geometry=points, crs=4326).to_file(f"{folder}/points.gpkg")
at = np.arange(zones)
boxes = shapely.box(10 + at % 40 / 40, 50 + at // 40 / 25, 10 + (at % 40 + 1) / 40, 50 + (at // 40 + 1) / 25)
gpd.GeoDataFrame({"zone": at}, geometry=boxes, crs=4326).to_file(f"{folder}/zones.gpkg")
"""
_CALLS = """
import json, sys, time
from copilot.session import Session
session = Session.open()
told = open(sys.argv[2], "w")
for tool, args in json.loads(sys.argv[1]):
    began = time.perf_counter()
    event = session.call(tool, **args)
    assert event.ok, event.text
    print(json.dumps([tool, time.perf_counter() - began]), file=told, flush=True)
"""


def measure(folder: Path, runs: int) -> Iterator[Figure]:
    """Three calls over a GeoPackage of a million points, one of a thousand polygons beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    run_process([sys.executable, "-c", _MADE, str(folder), str(FEATURES), str(ZONES)], {})
    query = (
        "SELECT z.zone, count(*) AS n, avg(p.v) AS mean, z.geometry FROM zones z "
        "JOIN points p ON ST_Intersects(z.geometry, p.geometry) GROUP BY ALL"
    )
    calls = [
        ["add_file", {"file": str(folder / "points.gpkg")}],
        ["add_file", {"file": str(folder / "zones.gpkg")}],
        ["sql", {"query": query, "name": "per zone"}],
        ["save_file", {"name": "points.gpkg", "layers": [{"from": "points", "crs": "EPSG:3035"}]}],
    ]
    command = [sys.executable, "-c", _CALLS, json.dumps(calls)]
    taken: list[Ran] = []
    told: list[list[list[Any]]] = []
    for number in range(runs):
        times, home = folder / f"times-{number}.jsonl", folder / f"home-{number}"
        taken.append(run_process([*command, str(times)], {"AZIMUTH_HOME": str(home)}))
        told.append([json.loads(line) for line in times.read_text().splitlines()])
        shutil.rmtree(home)
    for at, what, limit in (
        (0, f"`add_file` of a GeoPackage of {FEATURES:,} points", 20),
        (2, f"`sql`: a spatial join of {FEATURES:,} points with {ZONES:,} polygons", 5),
        (3, f"`save_file` of {FEATURES:,} points as a GeoPackage, in another system", 20),
    ):
        how = "One call of a session in a new process, from its start to its event; three columns."
        yield Figure(what, "s", tuple(each[at][1] for each in told), how, (Budget("p50", limit),))
    yield Figure(
        "peak memory of those calls", "MiB", tuple(each.peak_mib for each in taken),
        "Largest resident size of the process, without what it starts to read and to query.",
        (Budget("p50", 2048),),
    )  # fmt: skip
