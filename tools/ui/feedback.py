"""Thumbs up and down. The call's event is the record: the benchmark makes cases of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from state.log import Turn, turns
from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.ui.texts import clean_text

Rating = Annotated[Literal["up", "down"], Field(description="up: it was right; down: it was not.")]


@tool("ui", changes_state=True)
def record_feedback(
    state: State,
    world: World,
    *,
    rating: Rating,
    turn: Annotated[
        int | None, Field(ge=1, le=1_000_000, description="The turn that is meant; the last answer.")
    ] = None,
    note: Annotated[str | None, Field(max_length=2000, description="What was wrong, or right.")] = None,
) -> Step:
    """Record whether an answer was right (up) or not (down), with a note.

    Example: copilot call record_feedback rating=up

    Asked as: that was right | wrong answer | thumbs up | thumbs down | good job, note that | this is not what
    I asked for, record it | rate the answer | the count was off
    """
    meant = _meant(world, turn)
    about = f"turn {meant.number}" if meant else "the session"
    data = {
        "rating": rating,
        "turn": meant.number if meant else None,
        "request": meant.request if meant else None,
        "note": clean_text(note, "note") if note else None,
    }
    thanks = "Thank you" if rating == "up" else "Thank you; it is kept as a case to get right"
    return Step(state.with_ui(notice=f"{thanks}."), f"Recorded a thumbs {rating} for {about}.", data)


def _meant(world: World, turn: int | None) -> Turn | None:
    """The turn of that number, or the last that answered a request. Raises ToolError for one there is not."""
    known = turns(world.log)
    if turn is None:
        return next((each for each in reversed(known) if each.reply is not None), None)
    for each in known:
        if each.number == turn:
            return each
    raise ToolError(
        f"The session has no turn {turn}; there are {f'1 to {known[-1].number}' if known else 'none yet'}."
    )


TOOLS = (record_feedback,)
