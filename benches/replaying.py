"""Replay recorded sessions and compare their hashes: python -m benches.replaying FOLDER THEME …

Prints one JSON value: the number of calls, and calls a second for each batch of sessions.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benches.memory_store import memory_engine
from copilot.models import EMBEDDED
from copilot.session import Session
from tests.requests.records import FOLDER, read_requests

BATCH = 15
"""Sessions whose replay is timed together: one takes a few milliseconds only."""


def recorded(root: Path, themes: list[str]) -> list[Session]:
    """A session for each hand-written request of those themes, all its turns asked."""
    engine = memory_engine(root)
    sessions = []
    for request in read_requests(FOLDER):
        if request.theme in themes:
            session = Session.open(engine=engine)
            for call in request.setup:
                session.call_tool(call["tool"], call["args"], source="bench")
            for turn in request.turns:
                session.ask(turn, model=EMBEDDED, source="bench")
            sessions.append(session)
    return sessions


def calls_of(session: Session) -> int:
    """How many calls a session has on record."""
    return sum(event.kind == "call" for event in session.events)


def main(root: Path, themes: list[str]) -> None:
    """Record, replay once to warm up, replay by batches, print."""
    sessions = [each for each in recorded(root, themes) if calls_of(each)]
    for each in sessions:
        each.replay()
    rates = []
    for first in range(0, len(sessions), BATCH):
        batch = sessions[first : first + BATCH]
        began = time.perf_counter()
        for each in batch:
            each.replay()
        rates.append(sum(map(calls_of, batch)) / (time.perf_counter() - began))
    calls = sum(map(calls_of, sessions))
    print(json.dumps({"calls": calls, "sessions": len(sessions), "rates": rates}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
