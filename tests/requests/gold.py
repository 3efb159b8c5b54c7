"""Writes the requests that tool retrieval is measured on: python -m tests.requests.gold

Of every hand-written request that the embedded planner answers rightly it keeps the last turn, what the
state had to offer before it, and the tools that were called. Tools that `expect` names are gold too, where it
leaves no choice. The package may not import the tests, so the file lies in the package.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from copilot import Session
from copilot.engine import Engine
from copilot.retrieval.gate import present
from state.codec import to_json
from tests.requests.check import check
from tests.requests.records import FOLDER, HELD_OUT, Request, read_requests
from tests.requests.run import Run
from tests.requests.runner import REAL_DATA, plain, sample_engine

WRITTEN = FOLDER.parents[1] / "copilot" / "retrieval" / "requests.jsonl"


def record(request: Request, engine: Engine, held_out: bool) -> dict[str, Any] | None:
    """One line of the file; None where the planner did not answer rightly, or called nothing."""
    session = Session.open(name=request.id, engine=engine)
    for each in request.setup:
        session.call_tool(each["tool"], each["args"])
    start = plain(to_json(session.state))
    *before, last = request.turns
    answers = [plain(session.ask(turn).to_json()) for turn in before]
    has = sorted(present(session.state))
    answers.append(plain(session.ask(last).to_json()))
    if check(request.expect, Run(start, tuple(answers))):
        return None
    called = [call["tool"] for call in answers[-1]["calls"] if call["ok"]]
    named = [name for name in request.expect.get("tools_include", ()) if "|" not in name]
    tools = list(dict.fromkeys([*called, *named]))
    found = {"id": request.id, "past": before, "request": last, "has": has, "tools": tools}
    return {**found, "held_out": held_out} if tools else None


def main() -> None:
    """Ask everything and write the file."""
    os.chdir(FOLDER.parents[1])
    with tempfile.TemporaryDirectory() as folder:
        engines = {
            real: sample_engine(Path(folder) / ("real" if real else "sample")) for real in (False, True)
        }
        asked = [(each, False) for each in read_requests(FOLDER)]
        asked += [(each, True) for each in read_requests(HELD_OUT)]
        rows = [record(each, engines[each.theme == REAL_DATA], held) for each, held in asked]
    kept = [row for row in rows if row is not None]
    WRITTEN.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept), encoding="utf-8")
    print(f"{len(kept)} of {len(rows)} requests kept in {WRITTEN}")


if __name__ == "__main__":
    main()
