"""Searches for steps to put in, over what tools need and give: the fewest so that all preconditions hold."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from copilot.workflows import actions
from copilot.workflows.changing import Change
from copilot.workflows.diagnosing import Cause
from copilot.workflows.engine import Run
from copilot.workflows.model import Step, reference
from tools.base import Tool
from tools.conditions import KINDS, Thing, Unmet

DEEPEST = 2
"""Steps that are put in one behind the other for one property."""
MOST_STEPS = 4
"""Steps that are put in together for one trouble."""
MOST_LOOKED_AT = 60
MOST_FOUND = 3
CATEGORIES = ("geotools", "vision")
"""The tools that may be put in, or take another's place."""

Link = tuple[Tool, Mapping[str, Any]]
Chain = tuple[Link, ...]
State = Mapping[str, Thing]


def jointly(run: Run, step: Step) -> Iterator[Change]:
    """Steps that together make every precondition of a step hold, the fewest first.

    A best-first search: a state is what is known of each argument, a move puts in what gives one property
    that is still lacking (and what that needs itself), and an end is a state in which nothing is lacking.
    """
    start = {name: each for name, each in run.facts(step).items() if isinstance(each, Thing)}
    order = count()
    open_ones: list[tuple[int, int, tuple[Change, ...], State]] = [(0, next(order), (), start)]
    looked = found = 0
    while open_ones and looked < MOST_LOOKED_AT and found < MOST_FOUND:
        cost, _, parts, facts = heapq.heappop(open_ones)
        looked += 1
        lacks = run.lacking_of(step, facts)
        if not lacks:
            found += 1
            if parts:
                yield parts[0] if len(parts) == 1 else Change("together", step.id, parts=parts)
            continue
        for each in lacks:
            for more, after in _moves(run, step, each, facts):
                if len(parts) + len(more) <= MOST_STEPS:
                    added = cost + sum(one.cost for one in more)
                    heapq.heappush(open_ones, (added, next(order), (*parts, *more), after))


def _moves(run: Run, step: Step, lack: Unmet, facts: State) -> Iterator[tuple[tuple[Change, ...], State]]:
    """What may be put in for one property that is lacking, and what is then known."""
    thing = facts.get(lack.argument)
    if thing is None:
        return
    words = lack.wanted if isinstance(lack.wanted, tuple) else (str(lack.wanted),)
    cause = Cause(lack.property, lack.argument, lack.property, tuple(map(str, words)), True)
    for chain in _chains(run, step, cause, thing, DEEPEST):
        after = dict(facts)
        for tool, args in chain:
            own = _own_argument(tool, args)
            given = {own: after[lack.argument]}
            for name, value in args.items():
                same = next((key for key in after if name != own and step.args.get(key) == value), None)
                if same is not None:
                    given[name] = after[same]
            made = actions.results(tool, actions.with_defaults(tool, args), given)
            main = made.get(actions.main_key(tool))
            if main is None:
                break
            after[lack.argument] = replace(main, argument=lack.argument)
        else:
            changes = tuple(
                Change("insert", step.id, lack.argument, tool=tool.name, args=dict(args))
                for tool, args in chain
            )
            yield changes, after


def insertions(run: Run, step: Step, cause: Cause) -> Iterator[Change]:
    """Steps that, put in front of the argument, give it the property that it lacks; the shortest first."""
    facts = run.facts(step)
    thing = facts.get(cause.argument)
    if not isinstance(thing, Thing):
        return
    for chain in _chains(run, step, cause, thing, DEEPEST):
        parts = [
            Change("insert", step.id, cause.argument, tool=tool.name, args=dict(args)) for tool, args in chain
        ]
        yield parts[0] if len(parts) == 1 else Change("together", step.id, parts=tuple(parts))


def _chains(run: Run, step: Step, cause: Cause, thing: Thing, deepest: int) -> Iterator[Chain]:
    """The tools that give a property, and before them those that give what they lack themselves."""
    for tool, args in _givers(run, step, cause):
        own = _own_argument(tool, args)
        lacks = actions.lacking(tool, actions.with_defaults(tool, args), {own: thing})
        if not lacks:
            yield ((tool, args),)
        elif deepest > 1:
            need = lacks[0]
            words = need.wanted if isinstance(need.wanted, tuple) else (str(need.wanted),)
            before = Cause(need.property, cause.argument, need.property, tuple(map(str, words)))
            for chain in _chains(run, step, before, thing, deepest - 1):
                if all(each[0].name != tool.name for each in chain):
                    yield (*chain, (tool, args))


def _givers(run: Run, step: Step, cause: Cause) -> Iterator[Link]:
    """Tools whose effect on what they are given says the property, with arguments that can be filled."""
    for tool in run.session.engine.toolbox:
        if tool.category not in CATEGORIES or tool.external or tool.name == step.tool:
            continue
        for effect in tool.effects:
            if not effect.of or effect.kind not in KINDS or not _says(effect, cause):
                continue
            args = _filled(run, tool, effect, step, cause)
            if args is not None:
                yield tool, args
                break


def _says(effect: Thing, cause: Cause) -> bool:
    if cause.property == "grid_of":
        return bool(effect.grid_of)
    value = getattr(effect, cause.property, None)
    if cause.property in ("done", "bands"):
        return bool(value) and set(cause.wanted) <= set(value or ())
    if cause.property in ("modality", "level"):
        return bool(value) and set(value or ()) <= set(cause.wanted)
    if cause.property in ("placed", "metric"):
        return value is True
    return cause.property == "cloud_pct" and value is not None


def _filled(run: Run, tool: Tool, effect: Thing, step: Step, cause: Cause) -> dict[str, Any] | None:
    """The arguments of a tool put in front: what the step was given, its neighbour as the reference."""
    args: dict[str, Any] = {effect.of: "$@"}
    for each in effect.when:
        name, _, value = each.partition("=")
        if value != "none" and name not in args:
            args[name] = {"true": True, "false": False}.get(value, value)
    other = next((v for k, v in step.args.items() if k != cause.argument and is_thing(v)), None)
    named = cause.wanted[0] if cause.property == "grid_of" else ""
    of_input = f"${named}" if run.instance.workflow.input(named) is not None else other
    neighbour = step.args.get(named, of_input)
    handles = {each.argument for each in tool.preconditions if each.argument} - {effect.of}
    required = set(tool.schema.get("required", ()))
    for name in sorted(handles & (required | {effect.grid_of})):
        if neighbour is None:
            return None
        args[name] = neighbour
    return args if required <= set(args) else None


def is_thing(value: Any) -> bool:
    """Whether an argument as it is written is a reference."""
    return isinstance(value, str) and reference(value) is not None


def _own_argument(tool: Tool, args: Mapping[str, Any]) -> str:
    return next((name for name, value in args.items() if value == "$@"), "")


__all__ = ["CATEGORIES", "insertions", "is_thing", "jointly"]
