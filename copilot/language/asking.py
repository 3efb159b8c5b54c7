"""Asking back: what was perhaps meant, as choices in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from copilot.planner.situation import Call
from tools.toolbox import Toolbox

NOT_SURE = "I am not sure that I understood that. {why}Could you say it in another way?"
WHICH_OF_THESE = "I am not sure that I understood that. Is it one of these, or can you say it in another way?"
MOST = 3
"""Choices that are offered."""
MAX_CHARS = 190
"""Of a choice, which shows on a button."""
SELECTS = frozenset(
    {"db_load", "filter_date", "filter_coords", "filter_class", "filter_lccclass", "filter_attribute"}
)
"""Tools that choose images: what they choose by says it all."""
_FIRST_PART = re.compile(r"[^,;:.(]+")


def question(readings: Iterable[Sequence[Call]], toolbox: Toolbox, why: str = "") -> Call:
    """The question which of some readings is meant; those that do nothing are no choice.

    `why` is what keeps the likeliest reading from being done, where none can be.
    """
    asking = ("ask_user", "reject_task")
    does = [calls for calls in readings if calls and not any(call.tool in asking for call in calls)]
    choices = list(dict.fromkeys(in_words(calls, toolbox) for calls in does))[:MOST]
    if not choices:
        return Call("ask_user", {"question": NOT_SURE.format(why=f"{why} " if why else "")})
    return Call("ask_user", {"question": WHICH_OF_THESE, "choices": choices})


def in_words(calls: Sequence[Call], toolbox: Toolbox) -> str:
    """What some calls would do: "Images of fmow, Kenya, then plot the selection as points"."""
    parts = []
    for selects, group in groupby(calls, lambda call: call.tool in SELECTS):
        if selects:
            parts.append(f"images of {', '.join(value for call in group for value in _values(call.args))}")
        else:
            parts += [_call(call, toolbox) for call in group]
    said = ", then ".join(parts)
    cut = said if len(said) <= MAX_CHARS else f"{said[: MAX_CHARS - 2]} …"
    return cut[:1].upper() + cut[1:]


def _call(call: Call, toolbox: Toolbox) -> str:
    if call.tool not in toolbox:
        return call.tool
    first = _FIRST_PART.match(toolbox.get(call.tool).summary)
    does = first[0].strip() if first else call.tool
    values = ", ".join(_values(call.args))
    return f"{does[:1].lower()}{does[1:]}{f' ({values})' if values else ''}"


def _values(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The values as they are said; a number or a switch with its name, since it says nothing alone."""
    if "op" in arguments:
        yield " ".join(str(arguments.get(name, "")) for name in ("field", "op", "value"))
        return
    for name, value in arguments.items():
        plain = name.replace("_", " ")
        if isinstance(value, bool):
            yield plain if value else f"no {plain}"
        elif isinstance(value, (int, float)):
            yield f"{plain} {value:g}"
        elif isinstance(value, list):
            yield " and ".join(str(each) for each in value)
        elif not str(value).startswith("@"):
            yield str(value)
