"""What a test and a file of tests may cost: `make test-budget` holds the last whole run to it."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.suite.record import TIMES, Cost
from tests.suite.walkers import may_take_longer

TEST_CPU_S = 20.0
FILE_CPU_S = 60.0


def over_budget(costs: Iterable[Cost]) -> list[str]:
    """A line for each test and each file that takes more computing time than it may."""
    files: dict[str, float] = defaultdict(float)
    said = []
    for each in costs:
        if may_take_longer(each.file):
            continue
        files[each.file] += each.cpu_s
        if each.cpu_s > TEST_CPU_S:
            said.append(f"{each.name}: {each.cpu_s:.1f} CPU seconds; a test may take {TEST_CPU_S:g}")
    said += [
        f"{file}: {cpu_s:.1f} CPU seconds; a file may take {FILE_CPU_S:g}"
        for file, cpu_s in sorted(files.items())
        if cpu_s > FILE_CPU_S
    ]
    return said


def main(folder: Path) -> int:
    """Judge the last whole run in that folder; 1 when something was over its budget."""
    times = folder / TIMES
    if not times.is_file():
        print("test-budget: the suite has not run here yet, so there is nothing to judge.")
        return 0
    costs = [Cost(*row) for row in json.loads(times.read_text(encoding="utf-8"))]
    said = over_budget(costs)
    print("\n".join(said) or f"test-budget: all {len(costs):,} tests of the last run are within it.")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(Path()))
