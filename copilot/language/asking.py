"""Asking back: what was perhaps meant, as choices in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from copilot.planner.situation import Call
from tools.toolbox import Toolbox

NOT_SURE = "I am not sure that I understood that. Could you say it in another way?"
WHICH_OF_THESE = "I am not sure that I understood that. Is it one of these, or can you say it in another way?"
MOST = 3
"""Choices that are offered."""
MAX_CHARS = 190
"""Of a choice, which shows on a button."""
_FIRST_PART = re.compile(r"[^,;:.(]+")


def question(readings: Iterable[Sequence[Call]], toolbox: Toolbox) -> Call:
    """The question which of some readings is meant; those that do nothing are no choice."""
    asking = ("ask_user", "reject_task")
    does = [calls for calls in readings if calls and not any(call.tool in asking for call in calls)]
    choices = list(dict.fromkeys(in_words(calls, toolbox) for calls in does))[:MOST]
    if not choices:
        return Call("ask_user", {"question": NOT_SURE})
    return Call("ask_user", {"question": WHICH_OF_THESE, "choices": choices})


def in_words(calls: Sequence[Call], toolbox: Toolbox) -> str:
    """What some calls would do: "Load data sets (fmow), then plot the selection as points"."""
    said = ", then ".join(_call(call, toolbox) for call in calls)
    cut = said if len(said) <= MAX_CHARS else f"{said[: MAX_CHARS - 2]} …"
    return cut[:1].upper() + cut[1:]


def _call(call: Call, toolbox: Toolbox) -> str:
    if call.tool not in toolbox:
        return call.tool
    first = _FIRST_PART.match(toolbox.get(call.tool).summary)
    does = first[0].strip() if first else call.tool
    values = ", ".join(_values(call.args))
    return f"{does[:1].lower()}{does[1:]}{f' ({values})' if values else ''}"


def _values(arguments: Mapping[str, Any]) -> Iterable[str]:
    for name, value in arguments.items():
        if isinstance(value, bool):
            yield name.replace("_", " ") if value else f"no {name.replace('_', ' ')}"
        elif isinstance(value, list):
            yield " and ".join(str(each) for each in value)
        elif not str(value).startswith("@"):
            yield f"{value:g}" if isinstance(value, float) else str(value)
