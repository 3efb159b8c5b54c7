"""What a tool call costs beside the tool's own work, and how fast recorded calls are run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benches.figure import Budget, Figure, times_ms
from benches.machine import ROOT, ProcessFailed
from benches.memory_store import TODAY, memory_engine
from copilot.engine import Engine
from copilot.session import Session

OVERHEAD = Budget("p50", 0.3)
REPLAY = Budget("p50", 1000, at_least=True)
CALLS = 2000
REPLAYED = {
    "calls that select rows": ("plot_and_filter", "compound", "dates", "places", "classes"),
    "calls on the map and the page": ("map_verbs", "ui_verbs", "layers_and_drawing"),
}
_PREPARED = (
    ("db_load", {"names": ["fair1m", "xview1"]}),
    ("filter_date", {"start": "2018-05-01", "end": "2018-05-31"}),
    ("filter_class", {"classes": ["vehicles"]}),
    ("cluster_plot", {}),
    ("heatmap_plot", {}),
)


def measure(root: Path, home: Path) -> Iterator[Figure]:
    """One cheap call, on a session with two filtered data sets and two layers, in memory and on disk."""
    stores = {
        "event in memory": memory_engine(root),
        "event in SQLite on disk": Engine(home=home, catalogue_url=str(root), today=TODAY),
    }
    for where, engine in stores.items():
        session = Session.open(engine=engine)
        for tool, arguments in _PREPARED:
            session.call_tool(tool, arguments, source="bench")
        _move(session, 0)
        yield Figure(
            f"tool call overhead (validate, transition, hash, {where})",
            "ms",
            times_ms(lambda n=n, s=session: _move(s, n) for n in range(1, CALLS)),  # type: ignore[misc]
            "set_view, whose own work is nothing, through Session.call on a state with two filtered sets "
            f"and two layers, {CALLS - 1:,} calls; the {where}.",
            (OVERHEAD,) if where == "event in memory" else (),
        )


def measure_replay(root: Path) -> Iterator[Figure]:
    """Recorded sessions, run again in a process that may use one core."""
    for what, themes in REPLAYED.items():
        done = subprocess.run(
            [sys.executable, "-m", "benches.replaying", str(root), *themes],
            cwd=ROOT,
            capture_output=True,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}),
        )
        if done.returncode:
            raise ProcessFailed(f"benches.replaying ended with {done.returncode}: {done.stderr[-300:]}")
        said = json.loads(done.stdout)
        yield Figure(
            f"model-checking: replay and compare, one core, {what}",
            "calls/s",
            tuple(said["rates"]),
            f"{said['calls']:,} calls in {said['sessions']} sessions recorded from hand-written requests "
            f"({', '.join(themes)}): Session.replay runs each again on the full sample, compares the hash of "
            "the state after it, in a process held to one core; a rate for every 15 sessions.",
            (REPLAY,),
        )


def _move(session: Session, number: int) -> None:
    view = {"lon": (number % 300) - 150.0, "lat": number % 70, "zoom": 5}
    event = session.call_tool("set_view", view, source="bench")
    if not event.ok:
        raise RuntimeError(event.text)
