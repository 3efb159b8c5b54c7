"""The RS-Agent way (arXiv:2406.07089): infer the task types, retrieve the solution, plan with it."""

from __future__ import annotations

from difflib import get_close_matches

from copilot.agents.forms import TaskTypesForm, fill_in
from copilot.agents.turn import OpenTurn, Steps
from copilot.solutions import Inferred, guidance, search_solutions, solutions


def steps(turn: OpenTurn) -> Steps:
    """Task types, then the solutions that fit them as guidance, then calls until there is an answer."""
    listing = "".join(f"\n- {each.task}: {each.when}" for each in solutions().values())
    turn.guidance = f"Infer the types of task that the request is made of, first of all. There are:{listing}"
    named = yield from fill_in(turn, TaskTypesForm, wrong=_unknown)
    tasks = _weighted(named.tasks) if named else ()
    found = search_solutions(turn.request, tasks)
    said = ", ".join(each.task for each in tasks) or "none named"
    yield turn.think(f"Task types: {said}. Solutions: {', '.join(each.task for each in found)}.")
    for tool in (*found[0].prepare, *found[0].tools):
        turn.shown.add(tool)  # what the best solution names is there to be called, where the toolbox has it
    turn.guidance = (
        "These documents say how such tasks are solved; follow them where they fit the request:\n"
        + guidance(found, turn.session.toolbox)
    )
    return turn.answered((yield from turn.converse()))


def _weighted(names: list[str]) -> tuple[Inferred, ...]:
    """Named tasks as inferred ones: each counts half of the one before."""
    distinct = list(dict.fromkeys(names))
    whole = sum(0.5**place for place in range(len(distinct)))
    return tuple(Inferred(task, 0.5**place / whole) for place, task in enumerate(distinct))


def _unknown(form: TaskTypesForm) -> str | None:
    for task in form.tasks:
        if task not in solutions():
            near = get_close_matches(task, solutions(), n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            return f"There is no task type '{task}'.{hint} Submit names out of the list."
    return None
