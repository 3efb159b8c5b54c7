"""Time the catalogue on DuckDB: python benches/catalogue.py FOLDER (of the full sample, for the budgets)."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from data.catalogue.base import Attribute, Selection
from data.catalogue.duck import DuckCatalogue

WORLD = (-180.0, -85.0, 180.0, 85.0)
CLEAR = (Attribute("cloud_pct", "<", 30),)
VEHICLES = ("vehicles", "airport")
SQUARE = {"type": "Polygon", "coordinates": [[[-10, 36], [30, 36], [30, 60], [-10, 60], [-10, 36]]]}


def queries(catalogue: DuckCatalogue) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    box = Selection(
        start="2017-01-01", end="2019-06-30", bbox=(-20, 10, 60, 60), classes=VEHICLES, attributes=CLEAR
    )
    circle = Selection(
        start="2017-01-01", center=(10, 50), radius_km=1500, classes=VEHICLES, attributes=CLEAR
    )
    wide = Selection(start="2015-01-01", bbox=(-179, -80, 179, 80), classes=VEHICLES, attributes=CLEAR)
    country = Selection(attributes=(Attribute("country", "=", "US"),))
    fmow, everything = Selection(datasets=("fmow",)), Selection()
    return {
        "count: date + box + classes + attribute": lambda: catalogue.count(box),
        "count: date + circle + classes + attribute": lambda: catalogue.count(circle),
        "count: the same, nearly the whole world": lambda: catalogue.count(wide),
        "count: country": lambda: catalogue.count(country),
        "count: polygon": lambda: catalogue.count(Selection(geometry=SQUARE)),
        "cells: fmow, the world": lambda: len(catalogue.cells(fmow, WORLD, 2)),
        "cells: everything, the world": lambda: len(catalogue.cells(everything, WORLD, 3)),
        "rows: the newest 100 of everything": lambda: len(
            catalogue.rows(everything, order_by=(("acquired", "desc"),))
        ),
        "points: a city": lambda: len(catalogue.points(everything, (2, 48, 3, 49))),
        "count_by class": lambda: len(catalogue.count_by(everything, "class")),
        "count_by class, detections": lambda: len(catalogue.count_by(everything, "class", "detections")),
        "sql: count per data set": lambda: len(
            catalogue.sql("SELECT dataset, count(*) FROM images GROUP BY 1")
        ),
    }


def main(root: Path) -> None:
    """Print the first, median and 95th percentile time of each query in milliseconds."""
    began = time.perf_counter()
    DuckCatalogue(root, kept_counts=0).count(
        Selection(datasets=("fair1m",), start="2018-05-01", end="2018-05-31")
    )
    print(f"open and count one data set, cold: {time.perf_counter() - began:.2f} s")
    catalogue = DuckCatalogue(root, kept_counts=0)
    print(f"{'query':45} {'first':>8} {'p50':>8} {'p95':>8} ms   answer")
    for name, ask in queries(catalogue).items():
        times, answer = [], None
        for _ in range(41):
            began = time.perf_counter()
            answer = ask()
            times.append((time.perf_counter() - began) * 1000)
        first, *rest = times
        rest.sort()
        median, slow = rest[len(rest) // 2], rest[int(len(rest) * 0.95)]
        print(f"{name:45} {first:8.1f} {median:8.2f} {slow:8.2f}      {answer}")
    print(f"peak resident memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
