"""Checking the calls that a served model made: which named values of the request none of them has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copilot.language.alignment import NotSaid, aligned
from copilot.language.coverage import unread
from copilot.language.interpreter import shown_in
from copilot.language.linking import Links
from copilot.language.schema import schema_of
from copilot.planner.situation import Situation
from state.codec import to_json
from state.model import State

if TYPE_CHECKING:
    from copilot.engine import Engine


def left_out(
    request: str, calls: Sequence[tuple[str, Mapping[str, Any]]], before: State, engine: Engine
) -> tuple[str, ...]:
    """The places, days, classes and other values that a request names and none of its calls has.

    `before` is the state that the calls were made in. Nothing is left out where nothing was called, or where
    a call says at length what the request does not.
    """
    if not calls:
        return ()
    situation = Situation(to_json(before), engine.clock(), engine.catalogue, engine.gazetteer)
    shown = shown_in(request, situation)
    schema = schema_of(engine.toolbox)
    known = [(tool, arguments) for tool, arguments in calls if tool in schema]
    try:
        frame = aligned(known, shown, schema, {}, Links.of(engine.catalogue, engine.gazetteer))
    except NotSaid:
        return ()
    return unread(shown, frame)
