"""A vague wish answered in a session: one turn, at most one expert, corrected once where it went wrong.

The chat goes through the same steps (copilot.vague.joining); this is for scripts and measurements.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copilot.vague.checking import Doubt
from copilot.vague.routing import Route, meant
from copilot.vague.steps import Did, Wanted, next_of
from tools.rasters import raster_of

if TYPE_CHECKING:
    from copilot.session import Session
    from state.log import Event, Outcome

SOURCE = "vague"


@dataclass(frozen=True)
class Told:
    """How a wish ended."""

    route: Route | None
    """None where the image could not be looked at."""
    reply: str
    calls: tuple[Event, ...] = ()
    """The look, the expert's call, and where it was corrected what undid it and the second try."""
    doubted: Doubt | None = None
    """Why the first result was not believed."""

    @property
    def corrected(self) -> bool:
        """Whether a second try was made."""
        return self.doubted is not None and self.doubted.tool is not None


def respond(
    session: Session, request: str, image: str, before: str | None = None, *, earlier: Sequence[str] = (),
    wish: Route | None = None,
) -> Told:  # fmt: skip
    """Answer a vague wish about an image of the session, as one turn of it on record.

    `image` and `before` are handles; `earlier` are the requests that it goes on from, `wish` is where
    it goes where that is known already. Raises ToolError for an image that there is not, before anything is
    on record.
    """
    started = time.perf_counter()
    for each in (image, before):
        if each is not None:
            raster_of(session.state, session.world(), each)
    turn = session.begin(request, SOURCE).turn
    wanted = Wanted(meant(request, earlier=earlier), image, before, wish)
    calls: list[Event] = []
    while (step := next_of(wanted, [did_of(each) for each in calls])).call is not None:
        calls.append(session.call_tool(step.call.tool, step.call.args, source=SOURCE, turn=turn))
        if step.call.tool == "ask_user":
            break
    asks = step.call is not None
    reply = calls[-1].text if asks else step.reply
    outcome: Outcome = "asked" if asks else "done" if calls[-1].ok else "failed"
    session.end(turn, reply, outcome, time.perf_counter() - started)
    return Told(step.route, reply, tuple(calls), step.doubted)


def did_of(event: Event) -> Did:
    """A call on record, as the steps take it."""
    return Did(str(event.tool), event.args or {}, event.ok, event.text, event.data, event.state is not None)
