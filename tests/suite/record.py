"""A pytest plugin: what a whole run leaves behind.

`.azimuth/last-test.json` says which commit was tested and how it went, `.azimuth/last-test-times.json` what
each test cost. The slowest tests and one line with the counts are printed last.

A run is whole when it takes no test by its name, mark or path; `make test` and `make test-all` are.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

RECORD = Path(".azimuth/last-test.json")
TIMES = Path(".azimuth/last-test-times.json")
"""Both below the folder that holds the tests' settings."""
SLOWEST = 25
COST = "cost"
"""The property of a test's last report that carries what it cost."""


@dataclass(frozen=True)
class Cost:
    """What one test took, with its fixtures: seconds, and computing seconds of all its processes."""

    name: str
    seconds: float
    cpu_s: float

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


def git(folder: Path, *command: str) -> str:
    """What git says; nothing where there is no repository."""
    done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def cpu_seconds(processes: bool) -> float:
    """Computing time of this process and of the children it has waited for.

    With `processes` also of those that still run: servers, browsers. That takes some milliseconds.
    """
    own = os.times()
    spent = own.user + own.system + own.children_user + own.children_system
    for each in psutil.Process().children(recursive=True) if processes else ():
        try:
            spent += sum(each.cpu_times()[:4])
        except psutil.Error:  # it ended meanwhile
            continue
    return spent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure a test from its first fixture to its last."""
    servers = item.get_closest_marker("e2e") is not None
    began, spent = time.monotonic(), cpu_seconds(servers)
    item.stash[_BEGAN] = (began, spent, servers)
    return (yield)


_BEGAN = pytest.StashKey[tuple[float, float, bool]]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    """The last report of a test carries its cost to whoever gathers the reports."""
    report: pytest.TestReport = yield
    if call.when == "teardown":
        began, spent, servers = item.stash[_BEGAN]
        seconds = time.monotonic() - began
        # A process that was begun long before and ends now hands in all that it ever took: no test takes
        # more than its seconds on every core.
        cpu_s = min(cpu_seconds(servers) - spent, seconds * (os.cpu_count() or 1))
        report.user_properties.append((COST, (round(seconds, 3), round(cpu_s, 3))))
    return report


def is_whole(config: pytest.Config) -> bool:
    """Whether a run leaves no test out, but for files that its command leaves out by their names."""
    chosen = ("keyword", "markexpr", "lf", "failedfirst", "collectonly", "deselect", "ignore", "maxfail")
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not any(
        config.getoption(name, None) for name in chosen
    )


class Recorder:
    """Gathers the reports of a run in the process that shows them."""

    def __init__(self, config: pytest.Config) -> None:
        self.folder = config.rootpath
        self.commit = git(self.folder, "rev-parse", "HEAD")
        self.began, self.started = time.monotonic(), datetime.now(UTC)
        self.costs: list[Cost] = []
        self.record: dict[str, Any] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a test cost."""
        for name, value in report.user_properties if report.when == "teardown" else ():
            if name == COST:
                self.costs.append(Cost(report.nodeid, *value))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the slowest tests, and write down how the run went."""
        terminalreporter.section(f"{SLOWEST} slowest tests: seconds, CPU seconds")
        for each in sorted(self.costs, key=lambda cost: -cost.seconds)[:SLOWEST]:
            terminalreporter.line(f"{each.seconds:7.1f} {each.cpu_s:7.1f}  {each.name}")
        count = {name: len(found) for name, found in terminalreporter.stats.items()}
        self.record = {
            "commit": self.commit,
            "dirty": git(self.folder, "rev-parse", "HEAD") != self.commit
            or git(self.folder, "status", "--porcelain") != "",
            "started": self.started.isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self.began, 1),
            "passed": count.get("passed", 0),
            "failed": count.get("failed", 0) + count.get("error", 0),
            "skipped": count.get("skipped", 0),
        }

    def pytest_unconfigure(self) -> None:
        """Say the last line, when every process of the run has ended."""
        if not self.record:
            return
        spent = os.times()
        self.record["cpu_seconds"] = round(sum(spent[:4]), 1)
        write(self.folder / RECORD, self.record)
        write(self.folder / TIMES, [astuple(each) for each in self.costs])
        print(last_line(self.record))


def last_line(record: dict[str, Any]) -> str:
    """The run in one line."""
    state = "with changes that are not committed" if record["dirty"] else "clean"
    counts = ", ".join(f"{record[kind]:,} {kind}" for kind in ("passed", "failed", "skipped"))
    taken = f"{record['seconds']:,.0f} s ({record['cpu_seconds']:,.0f} CPU s)"
    return f"{record['commit'][:9] or 'no commit'}, {state}: {counts} in {taken}"


def write(path: Path, value: object) -> None:
    """Write JSON so that no reader sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(value, indent=1 if isinstance(value, dict) else None) + "\n", encoding="utf-8")
    half.replace(path)


def pytest_configure(config: pytest.Config) -> None:
    """Record a whole run, in the process that shows it."""
    if not hasattr(config, "workerinput") and is_whole(config):
        config.pluginmanager.register(Recorder(config), "azimuth-recorder")
