"""How a vague wish is gone through, a call at a time: the look, at most one expert, and once another try.

What comes next follows from the wish and from what the calls before came to, and from nothing else: the chat,
a script and a replay go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copilot.planner.answer_first import reference
from copilot.planner.situation import Call
from copilot.vague.checking import Doubt, doubt
from copilot.vague.routing import Route, Wish, routed
from copilot.vague.seen import LOOK, Seen
from tools.vision.guarding import RENDERED_SAID

UNDO = "undo"


@dataclass(frozen=True)
class Did:
    """A call of the turn and what it came to."""

    tool: str
    args: Mapping[str, Any]
    ok: bool
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    changed: bool = False
    """Whether it changed the state."""


@dataclass(frozen=True)
class Wanted:
    """A wish about images of the session, by their handles."""

    wish: Wish
    image: str
    before: str | None = None
    """The earlier image of the same place."""
    route: Route | None = None
    """Where the wish goes, where that is known before the look."""


@dataclass(frozen=True)
class Next:
    """What comes next: a call, or the reply that ends it."""

    call: Call | None = None
    reply: str = ""
    route: Route | None = None
    """Where the wish goes; None before the look."""
    doubted: Doubt | None = None
    """Why the first result was not believed."""


def next_of(wanted: Wanted, done: Sequence[Did]) -> Next:
    """What comes after these calls of a turn, of which the first is the look."""
    if not done:
        return Next(Call(LOOK, {"image": wanted.image, **wanted.wish.look}))
    look, *rest = done
    if not look.ok:
        return Next(reply=look.text)
    seen = Seen(look.data)
    route = wanted.route or routed(wanted.wish, seen, has_pair=wanted.before is not None)
    if not rest:
        return _first(route, wanted, look)
    expert, *again = rest
    lead = f"{_marked(route.why, 1)} So {expert.tool} was asked. " if route.why else ""
    doubted = doubt(expert, route, seen)
    if doubted is None:
        return Next(reply=f"{lead}{_marked(expert.text, 2)}", route=route)
    return _corrected(route, expert, doubted, again, lead)


def _first(route: Route, wanted: Wanted, look: Did) -> Next:
    """The answer out of the look, the question, or the expert."""
    if route.way == "ask":
        asked: dict[str, Any] = {"question": route.question}
        return Next(Call("ask_user", asked | ({"choices": list(route.choices)} if route.choices else {})),
                    route=route)  # fmt: skip
    if route.way == "direct" and route.direct is not None:
        said = [*look.data.get("said_first", ()), _marked(route.direct.text, 1)]
        return Next(reply=" ".join([*said, *([RENDERED_SAID] if look.data.get("rendered") else [])]),
                    route=route)  # fmt: skip
    return Next(Call(*route.call(wanted.image, wanted.before)), route=route)


def _corrected(route: Route, expert: Did, doubted: Doubt, again: Sequence[Did], lead: str) -> Next:
    """The bad result undone, and the other expert or parameters tried once; the reply says so."""
    if doubted.tool is None:
        said = f"{lead}{_marked(expert.text, 2)} That is doubtful: {_marked(f'{doubted.why}.', 1)}"
        return Next(reply=said, route=route, doubted=doubted)
    undone = [each for each in again if each.tool == UNDO]
    if expert.ok and expert.changed and not undone:
        return Next(Call(UNDO), route=route, doubted=doubted)
    tried = [each for each in again if each.tool != UNDO]
    if not tried:
        return Next(Call(doubted.tool, dict(doubted.arguments or {})), route=route, doubted=doubted)
    was = f"it was undone {reference(3)}, and " if undone else ""
    why = f"The first result {reference(2)} was not believed: {doubted.why} {reference(1)}"
    result = _marked(tried[0].text, len(undone) + 3)
    return Next(
        reply=f"{lead}{why}; {was}{doubted.instead} was tried. {result}", route=route, doubted=doubted
    )


def _marked(text: str, number: int) -> str:
    """A text with the number of the call that it comes from before its last stop."""
    plain = text.strip()
    stop = plain[-1:] if plain[-1:] in (".", "!", "?") else "."
    return f"{plain.removesuffix(stop)} {reference(number)}{stop}" if plain else ""
