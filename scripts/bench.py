"""Measure the budgets and print their table: `make bench`, or python scripts/bench.py [--help].

Nothing of the user's is touched: the sample is built into a folder of its own (which is one of the
measurements), and that is gone afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches.figure import Figure, skipped, table  # noqa: E402  # the repository is not installed
from benches.machine import ProcessFailed, commit, load_line, machine_line  # noqa: E402

PUBLISHED = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: made by `make bench ARGS=--write` -->", "<!-- end of figures -->"
GROUPS = (
    "sample", "catalogue", "hundred-million", "planner", "calls", "replay", "cold", "ingest", "own-data",
    "app",
)  # fmt: skip
SPACE_GIB = 3


@dataclass(frozen=True)
class Scratch:
    """Where a run keeps its files: the home that is measured, and what is made on the way."""

    folder: Path

    @property
    def home(self) -> Path:
        """The home folder of the measured processes."""
        return self.folder / "home"

    @property
    def catalogue(self) -> Path:
        """The full sample."""
        return self.home / "catalogue"


def sample(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """Build the sample; every other group needs it."""
    from benches.processes import measure_sample

    yield from measure_sample(scratch.catalogue, max(1, runs // 3))


def catalogue(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """Filter chains over the sample."""
    from benches.selecting import measure

    yield from measure(scratch.catalogue)


def hundred_million(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """Filter chains over 100 million images, in a process of its own."""
    from benches.hundred_million import BUDGET

    command = [sys.executable, "-m", "benches.hundred_million", str(scratch.catalogue)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise ProcessFailed(f"benches.hundred_million ended with {done.returncode}; it wants about 7 GiB.")
    for each in map(json.loads, done.stdout.splitlines()):
        budgets = (BUDGET,) if each["unit"] == "ms" else ()
        yield Figure(each["what"], each["unit"], tuple(each["values"]), each["how"], budgets)


def planner(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """The embedded planner over the hand-written requests."""
    from benches.planning import measure

    yield from measure(scratch.catalogue, scratch.folder / "planner")


def calls(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """What a call costs beside the tool's own work."""
    from benches.calls import measure

    yield from measure(scratch.catalogue, scratch.folder / "calls")


def replay(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """Recorded calls, run again and compared."""
    from benches.calls import measure_replay

    yield from measure_replay(scratch.catalogue)


def cold(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """Commands in fresh processes."""
    from benches.processes import measure_cold

    yield from measure_cold(scratch.home, runs)


def ingest(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """A million rows of the user's own."""
    from benches.processes import measure_ingest

    yield from measure_ingest(scratch.folder, max(1, runs // 3))


def own_data(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """A million features of the user's own, joined and saved."""
    from benches.own_data import measure

    yield from measure(scratch.folder / "own-data", max(1, runs // 3))


def app(scratch: Scratch, runs: int) -> Iterator[Figure]:
    """The page in a real browser."""
    from benches.browser import measure

    yield from measure(scratch.home, runs)


MEASURES: dict[str, Callable[[Scratch, int], Iterator[Figure]]] = dict(
    zip(
        GROUPS,
        (sample, catalogue, hundred_million, planner, calls, replay, cold, ingest, own_data, app),
        strict=True,
    )
)


def main() -> int:
    """Measure what is asked for and print it; 1 when a measurement failed (a missed budget is no failure)."""
    given = _arguments()
    if (free := shutil.disk_usage(tempfile.gettempdir()).free / 2**30) < SPACE_GIB:
        print(f"The measurements need {SPACE_GIB} GiB of {tempfile.gettempdir()}; {free:.1f} are free.")
        return 1
    # A key in the environment would send the measured requests to somebody's model.
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COPILOT_MODEL", "AZIMUTH_CATALOGUE", "AZIMUTH_STORE"):
        os.environ.pop(name, None)
    wanted = list(given.only or (name for name in GROUPS if name != "hundred-million"))
    if given.hundred_million and "hundred-million" not in wanted:
        wanted.insert(GROUPS.index("hundred-million"), "hundred-million")
    before, began = load_line(), datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="azimuth-bench-") as folder:
        os.environ["AZIMUTH_HOME"] = folder
        failures, figures = _measured(wanted, Scratch(Path(folder)), given.runs)
    facts = {
        "machine": machine_line(),
        "load": f"{before} before, {load_line()} after",
        "commit": commit(),
        "command": " ".join(["python", "scripts/bench.py", *sys.argv[1:]]),
        "date": began.strftime("%Y-%m-%d"),
    }
    if given.json:
        print(json.dumps({**facts, "figures": [each.to_json() for each in figures], "failures": failures}))
    else:
        print(_report(facts, figures, notes=False))
    if given.write:
        _publish(_report(facts, figures, notes=True))
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make bench", description="Measure the budgets and print their table."
    )
    parser.add_argument("--only", action="append", choices=GROUPS, help="only this group (repeatable)")
    parser.add_argument("--hundred-million", action="store_true", help="also 100 M images: 3 minutes, 7 GiB")
    parser.add_argument("--runs", type=int, default=9, help="how often a process is started (default 9)")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of the table")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md too")
    return parser.parse_args()


def _measured(wanted: list[str], scratch: Scratch, runs: int) -> tuple[list[str], list[Figure]]:
    """What failed, in sentences, and the figures; a group that fails does not take the others with it."""
    failures: list[str] = []
    figures: list[Figure] = []
    if "sample" not in wanted:
        for _ in sample(scratch, 1):
            pass
    for name in wanted:
        print(f"measuring: {name}", file=sys.stderr)
        try:
            figures += MEASURES[name](scratch, runs)
        except (
            Exception
        ) as error:  # whatever broke is what this run is there to say, next to the other figures
            failures.append(f"{name}: {error!r}")
            print(f"failed: {failures[-1]}", file=sys.stderr)
            figures.append(skipped(name, "ms", "failed; see the run's messages"))
    return failures, figures


def _report(facts: dict[str, str], figures: Iterable[Figure], *, notes: bool) -> str:
    shown = list(figures)
    head = (
        f"Measured on {facts['date']} at commit {facts['commit']} with `{facts['command']}`.\n\n"
        f"- machine: {facts['machine']}, no GPU used\n"
        f"- load average (1, 5, 15 min): {facts['load']}"
    )
    lines = [head, "", table(shown)]
    if notes:
        lines += ["", "What each row is:", ""]
        lines += [f"- **{each.what}**: {each.how}" for each in shown if each.how]
    return "\n".join(lines)


def _publish(report: str) -> None:
    """Put the report between the page's two marks."""
    page = PUBLISHED.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PUBLISHED.write_text(f"{before}{BEGIN}\n{report}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
