"""A program of test_jobs.py: an app's process that waits for a job in the middle of a turn."""

from __future__ import annotations

import sys
from pathlib import Path

from copilot.engine import Engine
from copilot.session import Session


def main(home: str, session_id: str, tool: str, **args: str) -> None:
    """Make one call in a turn that was asked for in the chat; its work runs in a worker's process."""
    session = Session.open(session_id, engine=Engine(Path(home), background=True))
    turn = session.begin("Remove the noise.", "chat").turn
    session.call_tool(tool, args, source="chat", turn=turn)
    print("done", flush=True)


if __name__ == "__main__":
    home, session_id, tool, *pairs = sys.argv[1:]
    main(home, session_id, tool, **dict(pair.split("=", 1) for pair in pairs))
