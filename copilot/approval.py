"""Asking before a call that a model has thought of reaches somebody else: what waits, and what was said.

Nothing of it is kept apart: a call that asks first is on record as not run, the question after it as a call
of `ask_user`, and the user's answer is the next request. So it holds after a reload, wherever one can chat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from state.codec import canonical
from state.log import Event, turns
from tools.added import AddedTool
from tools.base import Tool
from tools.toolbox import Toolbox

YES, ALWAYS, NO = "Yes, run it", "Always in this session", "No, do not run it"
CHOICES = (YES, ALWAYS, NO)
WAITS = "asks_approval"
"""Marks, in a call's data, that it was not run because nobody was asked yet."""
_SHOWN_CHARS = 400


def asks_first(toolbox: Toolbox, tool: str, events: Iterable[Event]) -> bool:
    """Whether a model's call of that tool has to be asked about, as things stand in the session."""
    if tool not in toolbox or not toolbox.get(tool).asks_approval:
        return False
    return tool not in _always(events)


def not_run(tool: Tool) -> str:
    """What is said of a call that was not run yet."""
    return f"{tool.name} asks before it runs{_whose(tool)}; the user is asked."


def question(toolbox: Toolbox, waiting: Event) -> str:
    """What the user is asked about a call that waits."""
    args = canonical(waiting.args)
    shown = args if len(args) <= _SHOWN_CHARS else f"{args[:_SHOWN_CHARS]}…"
    return f"May {waiting.tool} run{_whose(toolbox.get(waiting.tool))}, with {shown}?"


def waiting(events: Sequence[Event], before_turn: int) -> Event | None:
    """The call that the turn before this one has asked about at its end."""
    past = [each for each in turns(events) if each.number < before_turn]
    calls = past[-1].calls if past else ()
    if len(calls) < 2 or calls[-1].tool != "ask_user" or not calls[-1].ok:
        return None
    return calls[-2] if calls[-2].data.get(WAITS) and not calls[-2].ok else None


def answered(request: str) -> str | None:
    """Which of the choices a request is: the words of one, or those that only one begins with."""
    said = _words(request)
    found = [each for each in CHOICES if said and _words(each)[: len(said)] == said]
    return found[0] if len(found) == 1 else None


def _always(events: Iterable[Event]) -> set[str]:
    """The tools that the user said always to run."""
    found: set[str] = set()
    last: Event | None = None
    asked: Event | None = None
    for event in events:
        if event.kind == "call":
            asked = last if event.tool == "ask_user" and last is not None and last.data.get(WAITS) else None
            last = event
        elif event.kind == "request":
            if asked is not None and answered(event.text) == ALWAYS:
                found.add(asked.tool)
            last = asked = None
    return found


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text.casefold()).split()


def _whose(tool: Tool) -> str:
    return f" on the server {tool.origin}, which is not Azimuth's" if isinstance(tool, AddedTool) else ""
