"""A program of test_store_gone.py: works in a session as it is told, a line at a time, until it is killed.

Each line of standard input is a command and what it takes; each answer is a line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from copilot.engine import Engine
from copilot.session import Session
from state.store import StoreUnavailable, UnknownSession


def main(home: str) -> None:
    """Begin a session, say its id, and do as told: `call LEVEL`, `read FILE`, `count`."""
    session = Session.open(engine=Engine(Path(home)))
    print(json.dumps(session.id), flush=True)
    for line in sys.stdin:
        command, _, given = line.strip().partition(" ")
        try:
            print(json.dumps(_done(session, command, given)), flush=True)
        except (StoreUnavailable, UnknownSession) as error:
            print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


def _done(session: Session, command: str, given: str) -> object:
    if command == "call":
        return session.call("zoom_map", level=float(given)).seq
    if command == "read":  # as whatever looks at a file does
        with open(given, "rb") as file:
            return len(file.read(16))
    return len(session.events)


if __name__ == "__main__":
    main(sys.argv[1])
