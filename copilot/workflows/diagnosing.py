"""Names the cause of a step's trouble, out of those that a step can have, from what is known of its inputs.

A precondition that does not hold is its own cause. An error, and a quality that was not met, have causes
that are looked for in the facts of what the step was given: gaps, no place, other grids, a level that no
tool of its kind takes, grain, and what a check says by the side on which it was missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from copilot.workflows import actions
from copilot.workflows.engine import Run, Trouble
from tools.base import Tool
from tools.conditions import Thing

GAPS_PCT = 0.5
"""From so many per cent without a value on, gaps may be why something failed."""


@dataclass(frozen=True)
class Cause:
    """What may be why, ready to be looked up: `property` of `argument` should be `wanted`."""

    name: str
    """speckle, gaps, noise, haze, cloud, shift, grid, level, bands, no_place, tight_limit, method …"""
    argument: str = ""
    property: str = ""
    wanted: tuple[str, ...] = ()
    sure: bool = False
    """Whether it is known to be so, and does not only fit."""

    def __str__(self) -> str:
        return f"{self.name.replace('_', ' ')}{f' of {self.argument}' if self.argument else ''}"


def diagnose(run: Run, trouble: Trouble) -> tuple[Cause, ...]:
    """The causes that a step's trouble may have, the surest first."""
    step = run.instance.workflow.step(trouble.step)
    box = run.session.engine.toolbox
    if step.tool not in box:
        return (Cause("no_tool", sure=True),)
    tool, facts = box.get(step.tool), run.facts(step)
    if trouble.kind == "precondition":
        return tuple(
            Cause(
                _NAMES.get(each.property, each.property),
                each.argument,
                each.property,
                _words(each.wanted),
                True,
            )
            for each in trouble.lacks
        )
    found = [*_strictly(run, tool, step, facts), *_of_facts(facts)]
    if trouble.kind == "quality":
        found.extend(
            Cause("tight_limit", wanted=(f"{each.check.measure}:{each.side}",))
            for each in trouble.readings
            if not each.met
        )
    found.append(Cause("method"))
    return tuple(dict.fromkeys(found))


def _strictly(run: Run, tool: Tool, step: Any, facts: actions.Facts) -> Iterable[Cause]:
    """Preconditions of which nothing is known: with an error at hand, they may be why."""
    arguments = actions.with_defaults(tool, run.arguments(step))
    for each in actions.lacking(tool, arguments, facts, strict=True):
        yield Cause(
            _NAMES.get(each.property, each.property), each.argument, each.property, _words(each.wanted)
        )


def _of_facts(facts: actions.Facts) -> Iterable[Cause]:
    rasters = {
        name: each for name, each in facts.items() if isinstance(each, Thing) and each.kind == "raster"
    }
    for name, each in rasters.items():
        if (each.nodata_pct or 0) > GAPS_PCT and "filled" not in each.done:
            yield Cause("gaps", name, "done", ("filled",), True)
        if each.placed is False:
            yield Cause("no_place", name, "placed", ("yes",), True)
    yield from _of_pairs(rasters)
    for name, each in rasters.items():
        if "radar" in each.modality and "despeckled" not in each.done:
            yield Cause("speckle", name, "done", ("despeckled",))
        if {"optical", "picture"} & set(each.modality):
            for cause, deed in (("cloud", "cloud_free"), ("haze", "dehazed"), ("noise", "denoised")):
                if deed not in each.done:
                    yield Cause(cause, name, "done", (deed,))


def _of_pairs(rasters: Mapping[str, Thing]) -> Iterable[Cause]:
    names = list(rasters)
    for first, second in pairwise(names):
        one, other = rasters[first], rasters[second]
        if one.grid_of and other.grid_of and one.grid_of != other.grid_of:
            yield Cause("grid", second, "grid_of", (first,), True)
        if "coregistered" not in other.done:
            yield Cause("shift", second, "done", ("coregistered",))


def _words(wanted: Any) -> tuple[str, ...]:
    return tuple(map(str, wanted)) if isinstance(wanted, tuple) else (str(wanted),)


_NAMES = {
    "done": "not_prepared",
    "grid_of": "grid",
    "nodata_pct": "gaps",
    "cloud_pct": "cloud",
    "placed": "no_place",
}

__all__ = ["Cause", "diagnose"]
