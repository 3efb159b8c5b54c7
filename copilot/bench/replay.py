"""A trace made again in a session of the user's, to be seen on the map and undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from copilot.session import Session

SOURCE = "bench"


def replay(session: Session, result: Mapping[str, Any], *, gold: bool = False) -> int:
    """Make a result's calls in an empty session: the setup's, then those of the turn, or of the gold.

    The number of calls that were left out, since they reach outside of the session.
    """
    left_out = 0
    toolbox = session.toolbox

    def make(call: Mapping[str, Any], turn: int | None = None) -> None:
        nonlocal left_out
        if call["tool"] in toolbox and toolbox.get(call["tool"]).external:
            left_out += 1
            return
        session.call_tool(call["tool"], call["args"], source=SOURCE, turn=turn)

    for call in json.loads(result["setup"]):
        make(call)
    turn = session.begin(result["request"], SOURCE).turn
    trace = [line for line in json.loads(result["trace"]) if line["kind"] == "call"]
    for call in json.loads(result["gold"]) if gold else trace:
        make(call, turn)
    if gold:
        session.end(turn, result["gold_reply"] or "This is the task's own solution.", "done", 0.0)
    else:
        # Its tokens are not counted again: making the calls has cost none.
        session.end(turn, result["reply"], result["outcome"] or "failed", result["seconds"])
    return left_out
