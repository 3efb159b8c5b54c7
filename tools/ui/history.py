"""Back and forth in the session's history, which is its log."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from state.log import history, state_after
from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.map.styles import clean_name
from tools.phrases import number_of
from tools.selection import noun
from tools.units import NewName


@tool("ui", changes_state=True)
def undo(state: State, world: World) -> Step:
    """Take back the last turn that changed something.

    Example: copilot call undo

    Asked as: undo | take that back | revert the last step | not what I wanted, go back | oops | cancel that |
    remove what you just did
    """
    past = history(world.log).past
    if not past:
        raise ToolError("There is nothing to undo: nothing has changed since the session began.")
    return Step(past[-1], f"The last change is taken back: {_in_words(past[-1], world)}.", _facts(past[-1]))


@tool("ui", changes_state=True)
def redo(state: State, world: World) -> Step:
    """Do again what was last undone.

    Example: copilot call redo

    Asked as: redo | do it again after all | restore what I undid | put it back | undo the undo | reapply it
    """
    future = history(world.log).future
    if not future:
        raise ToolError("There is nothing to redo: nothing was undone since the last change.")
    return Step(future[-1], f"The undone change is back: {_in_words(future[-1], world)}.", _facts(future[-1]))


@tool("ui", changes_state=True)
def goto_turn(
    state: State,
    world: World,
    *,
    turn: Annotated[int, Field(ge=0, le=1_000_000, description="A turn of the session; 0 is its start.")],
) -> Step:
    """Go to the state at the end of an earlier turn; an undo leads back.

    Example: copilot call goto_turn turn=0

    Asked as: go back to turn 3 | return to how it was after the second request | restore the state at step 5
    | jump to the beginning | rewind to my first question | as it was two turns ago
    """
    found = State() if turn == 0 else state_after(world.log, turn)
    if found is None:
        last = max((each.turn for each in world.log), default=0)
        raise ToolError(f"The session has no turn {turn}; there are 0 (its start) to {last}.")
    return Step(
        found,
        f"This is the state after turn {turn}: {_in_words(found, world)}.",
        {"turn": turn, **_facts(found)},
    )


@tool("ui")
def save_session(
    state: State,
    world: World,
    *,
    name: Annotated[
        NewName | None, Field(description="What the session is called; left out, the name stays.")
    ] = None,
) -> Step:
    """Save the session under a name; every call is kept as it happens.

    Example: copilot call save_session name="Port study"

    Asked as: save this session | call this session harbours | save my work as survey | name the session |
    keep this under a name | store the conversation | bookmark this
    """
    kept = clean_name(name) if name is not None else world.session
    return Step(state, f"The session is saved as {kept!r}.", {"name": kept}, session_name=kept)


def _facts(state: State) -> dict[str, int]:
    return {"count": state.database.count, "layers": len(state.map.layers)}


def _in_words(state: State, world: World) -> str:
    selected = number_of(state.database.count, noun(state, world))
    layers = number_of(len(state.map.layers), "layer")
    return f"{selected} selected, {layers} on the map"


TOOLS = (undo, redo, goto_turn, save_session)
