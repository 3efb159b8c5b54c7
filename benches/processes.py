"""What is timed from outside, in fresh processes: cold starts, the sample's build, an ingest."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benches.figure import Budget, Figure
from benches.machine import Ran, copilot, run_process

MAIN_REQUEST = "Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018 with vehicles"
INGEST_ROWS = 1_000_000
_KINDS = ("harbour", "airfield", "bridge", "depot", "mast")


def measure_cold(home: Path, runs: int) -> Iterator[Figure]:
    """`copilot ask` and `copilot tools`, each time in a new process; files are in the disk's cache."""
    environment = {"AZIMUTH_HOME": str(home)}
    for what, command, limit in (
        ("`copilot ask` from a cold process to its answer", copilot("ask", MAIN_REQUEST, "--json"), 3.0),
        ("`copilot tools`", copilot("tools"), 0.7),
    ):
        run_process(command, environment)
        taken = [run_process(command, environment) for _ in range(runs)]
        yield Figure(
            what,
            "s",
            tuple(each.seconds for each in taken),
            f"`python -m {' '.join(command[2:])}`, start to exit of a new process, full sample; one run "
            "before, so that the files are in memory.",
            (Budget("p50", limit),),
        )
        if command[3] == "ask":
            yield _peak(f"peak memory of {what}", taken)


def measure_sample(folder: Path, runs: int) -> Iterator[Figure]:
    """The sample catalogue from nothing, into `folder`, which then holds the last one."""
    taken = [run_process([sys.executable, "-m", "data.sample", str(folder)], {}) for _ in range(runs)]
    yield Figure(
        "build of the sample catalogue",
        "s",
        tuple(each.seconds for each in taken),
        "`python -m data.sample FOLDER`: 1,149,612 images and their detections, start to exit.",
        (Budget("p50", 60),),
    )
    yield _peak("peak memory of that build", taken)


def measure_ingest(scratch: Path, runs: int) -> Iterator[Figure]:
    """A table of a million rows, into a new home each time."""
    source = scratch / "places.csv"
    size = _write_table(source)
    taken = []
    for number in range(runs):
        home = scratch / f"ingest-{number}"
        taken.append(
            run_process(copilot("data", "ingest", str(source), "--json"), {"AZIMUTH_HOME": str(home)})
        )
    yield Figure(
        f"ingest of a CSV with {INGEST_ROWS:,} rows",
        "s",
        tuple(each.seconds for each in taken),
        f"`copilot data ingest places.csv`: {size / 1e6:.0f} MB, name, lon, lat, date, kind and population, "
        "start to exit.",
        (Budget("p50", 120),),
    )
    yield _peak("peak memory of that ingest", taken)


def _peak(what: str, taken: list[Ran]) -> Figure:
    return Figure(
        what, "MiB", tuple(each.peak_mib for each in taken), "Largest resident size of the process."
    )


def _write_table(path: Path) -> int:
    """A table like those that people bring, the same one every time; its size in bytes."""
    draw = random.Random(7)
    first = date(2015, 1, 1)
    with path.open("w", encoding="utf-8") as file:
        file.write("name,lon,lat,date,kind,population\n")
        for number in range(INGEST_ROWS):
            day = first + timedelta(days=draw.randrange(3000))
            file.write(
                f"place {number},{draw.uniform(-180, 180):.5f},{draw.uniform(-80, 80):.5f},"
                f"{day},{draw.choice(_KINDS)},{draw.randrange(10**7)}\n"
            )
    return path.stat().st_size
