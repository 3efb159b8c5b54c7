"""A program of test_kill.py: works in a session until somebody kills it, and tells of every event."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from copilot.engine import Engine
from copilot.session import Session


def main(home: str, catalogue: str, session_id: str, way: str) -> None:
    """Ask or call for ever; each event that was shown is a line on standard output."""
    session = Session.open(session_id, engine=Engine(Path(home), catalogue_url=catalogue))
    session.listen(lambda event: print(event.seq, event.hash, flush=True))
    requests = (
        "Plot the fair1m and xview1 images around Pittsburgh from May 2018, then zoom to level 9",
        "undo that",
        "show the fmow images as a heatmap and count them by country",
    )
    calls = (
        ("db_load", {"names": ["fair1m", "xview1"]}),
        ("cluster_plot", {}),
        ("group_count", {"by": "class", "unit": "detections"}),
        ("undo", {}),
        ("draw_marker", {"lon": 3, "lat": 6}),
        ("redo", {}),
    )
    for request, call in zip(itertools.cycle(requests), itertools.cycle(calls), strict=False):
        if way == "ask":
            session.ask(request)
        else:
            session.call_tool(*call)


if __name__ == "__main__":
    main(*sys.argv[1:])
