"""Find a workflow for a goal, and keep what was just done as one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from state.model import State
from tools.base import Procedures, Step, ToolError, World, tool
from tools.phrases import listed, number_of


def procedures(world: World) -> Procedures:
    """The workflows that there are. Raises ToolError where there are none."""
    if world.workflows is None:
        raise ToolError("There are no workflows here; the copilot brings them.")
    return world.workflows


@tool("knowledge", reads_files=True)
def workflow_search(
    state: State,
    world: World,
    *,
    goal: Annotated[str, Field(min_length=1, max_length=500, description="What is to be reached, in words.")],
    limit: Annotated[int, Field(ge=1, le=20, description="How many tasks at most.")] = 5,
) -> Step:
    """Find procedures of several steps for a goal: what each needs, and when to take which.

    Nearest by the words of the library's tasks, each weighed by how few tasks have it.

    Example: copilot call workflow_search goal="map what burned"

    Asked as: is there a workflow for burn severity | which procedure maps floods | how would one do a flood
    assessment | what workflows do you know for snow | find a recipe for crop vigour
    """
    found = procedures(world).search(goal, limit)
    if not found:
        return Step(state, f"No workflow of the library is about {goal[:100]!r}.", {"tasks": []})
    lines = [
        f"{each['task']} ({each['goal'].rstrip('.')}): "
        f"{listed([one['id'].partition('/')[2] for one in each['workflows']])}."
        for each in found
    ]
    text = f"{number_of(len(found), 'task')} of the library, the nearest first: {' '.join(lines)}"
    return Step(state, text, {"tasks": found})


@tool("knowledge", reads_files=True)
def workflow_save(
    state: State,
    world: World,
    *,
    name: Annotated[
        str, Field(min_length=1, max_length=60, description="What to call it: words, later its name.")
    ],
    goal: Annotated[str, Field(max_length=500, description="What it is for.")] = "",
    turns: Annotated[int, Field(ge=1, le=100, description="How many of the last turns it holds.")] = 20,
) -> Step:
    """Keep what was just done as a workflow of one's own, to be run again on other data.

    Calls that made rasters, features, tables or figures become its steps; what they were given that none of
    them made becomes its data, and their numbers become its parameters.

    Example: copilot call workflow_save name="field vigour" turns=2

    Asked as: save what I just did as a workflow | keep these steps under a name | make a workflow of this |
    remember this procedure
    """
    made = procedures(world).kept(state, world, name, goal, turns)
    text = (
        f"Kept as {made['id']}: {number_of(len(made['steps']), 'step')} "
        f"({listed([each['tool'] for each in made['steps']])}) on {listed(made['inputs'])}."
    )
    return Step(state, text, made)


TOOLS = (workflow_search, workflow_save)
