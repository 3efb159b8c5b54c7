"""How long the embedded planner takes for one request, over the hand-written ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benches.figure import Budget, Figure
from benches.memory_store import TODAY
from copilot.engine import Engine
from copilot.models import EMBEDDED
from copilot.session import Session
from tests.requests.records import FOLDER, HELD_OUT, Request, read_requests

INGESTS = "real_data"
"""The theme whose requests ingest files: their time would be the ingest's."""
BUDGETS = (Budget("p50", 60), Budget("p95", 150))


def measure(root: Path, home: Path) -> Iterator[Figure]:
    """Each request's first turn, once, in a session of its own; the held-out ones warm the process up."""
    engine = Engine(home=home, catalogue_url=str(root), today=TODAY)
    requests = [each for each in read_requests(FOLDER) if each.theme != INGESTS]
    for each in list(read_requests(HELD_OUT))[:40]:
        _asked(each, engine, [])
    planning, turns = [], []
    failed: list[str] = []
    for each in requests:
        planned_ms, turn_ms = _asked(each, engine, failed)
        planning.append(planned_ms)
        turns.append(turn_ms)
    how = (
        f"the first turns of the {len(requests)} hand-written requests in tests/requests, each once, never "
        f"seen before by the process, after 40 others to warm it up ({len(failed)} of the turns failed)"
    )
    yield Figure(
        "embedded planner, one request, warm: planning",
        "ms",
        tuple(planning),
        "From the request's event to the first call, less what that call itself takes: reading and planning "
        f"(the plan holds all calls), and storing one event; over {how}.",
        BUDGETS,
    )
    yield Figure(
        "embedded planner, one request, warm: the whole turn",
        "ms",
        tuple(turns),
        "Session.stream to its end: planning, every tool call on the full sample, each event in SQLite on "
        f"disk, and the answer; over {how}.",
        BUDGETS,
    )


def _asked(request: Request, engine: Engine, failed: list[str]) -> tuple[float, float]:
    """Milliseconds until the first call is known, and for the whole turn."""
    session = Session.open(engine=engine)
    for call in request.setup:
        session.call_tool(call["tool"], call["args"], source="bench")
    opened = planned = 0.0
    began = time.perf_counter()
    for event in session.stream(request.turns[0], model=EMBEDDED, source="bench"):
        if event.kind == "request":
            opened = time.perf_counter()
        elif not planned:
            planned = time.perf_counter() - opened - event.seconds * (event.kind == "call")
        if event.outcome == "failed":
            failed.append(request.id)
    return planned * 1000, (time.perf_counter() - began) * 1000
