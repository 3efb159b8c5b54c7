"""Requests as the policy sees them, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

from copilot.language.alignment import aligned
from copilot.language.frame import Frame
from copilot.language.grounding import grounded
from copilot.language.mentions import Mentions
from copilot.language.schema import Argument, schema_of
from copilot.language.shown import Shown
from copilot.language.view import Item
from copilot.planner.spans import Names, Reader
from data.gazetteer import Gazetteer
from tools.toolbox import toolbox

TODAY = date(2024, 1, 15)
Call = tuple[str, dict[str, Any]]


@cache
def tools() -> dict[str, dict[str, Argument]]:
    """The arguments of every tool."""
    return schema_of(toolbox())


@cache
def _places() -> Gazetteer:
    return Gazetteer()


def shown(text: str, *items: Item) -> Shown:
    """A request beside these items of the view."""
    return Shown(Mentions(text, TODAY, Reader(_places(), TODAY, Names()).read(text)), items)


def frame(text: str, calls: Sequence[Call], *items: Item, **made: Sequence[str]) -> Frame:
    """The frame of known calls; `made` as `step_0=["points"]`."""
    names = {int(key.removeprefix("step_")): value for key, value in made.items()}
    return aligned(calls, shown(text, *items), tools(), names)


def calls(text: str, meant: Frame, *items: Item) -> list[Call]:
    """What a frame says in calls."""
    said = shown(text, *items)
    return [(step.tool, grounded(step, tools()[step.tool], said)) for step in meant]
