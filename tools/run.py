"""How one call is run: look up, validate, run, and turn every failure into a sentence."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from data.catalogue.base import CatalogueError
from state.codec import canonical, to_json
from state.model import State
from tools.base import Step, Tool, ToolError, World
from tools.toolbox import Toolbox

MAX_STATE_BYTES = 64 * 1024

_log = logging.getLogger(__name__)


def run_call(toolbox: Toolbox, state: State, world: World, name: str, arguments: Mapping[str, Any]) -> Step:
    """Run one call against a state. A failure is a step on the state from before; nothing is raised."""
    try:
        wanted = toolbox.get(name)
        step = wanted.function(state, world, **validated(wanted, arguments))
        return _settled(wanted, step)
    except (ToolError, CatalogueError) as error:
        return Step(state, str(error), failed=True)
    except Exception:
        # A bug of ours: the user gets a sentence and keeps the state, the log gets the traceback.
        _log.exception("tool %s failed on %r", name, dict(arguments))
        return Step(
            state,
            f"{name} failed inside Azimuth; nothing was changed. The details are in the log.",
            {"bug": True},
            failed=True,
        )


def validated(wanted: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their types and defaults. Raises ToolError naming the first that is wrong."""
    try:
        model = wanted.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        raise ToolError(_sentence(wanted, error)) from error
    return {name: getattr(model, name) for name in type(model).model_fields}


def call_arguments(wanted: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they go on record: plain JSON, without those left out."""
    try:
        model: BaseModel = wanted.arguments.model_validate(dict(arguments))
    except ValidationError:
        return dict(arguments)
    return model.model_dump(mode="json", exclude_unset=True)


def _settled(wanted: Tool, step: Step) -> Step:
    """A step as it is kept: an open question is closed by what is done, and the state stays small."""
    if step.failed:
        return step
    state = step.state
    if wanted.changes_state and wanted.name != "ask_user" and state.ui.question is not None:
        state = state.with_ui(question=None)
    if len(canonical(to_json(state)).encode()) > MAX_STATE_BYTES:
        raise ToolError(
            f"{wanted.name} would make the session's state larger than {MAX_STATE_BYTES // 1024} KiB; "
            "remove some layers, drawings or filters first."
        )
    return replace(step, state=state)


def _sentence(wanted: Tool, error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    fields = wanted.arguments.model_fields
    if first["type"] == "extra_forbidden":
        near = get_close_matches(where, fields, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        known = ", ".join(fields) or "none"
        return f"{wanted.name} has no argument '{where}'.{hint} Its arguments: {known}."
    if first["type"] == "missing":
        return f"{wanted.name} needs the argument '{where}'."
    message = str(first["msg"]).removeprefix("Value error, ")
    return f"{wanted.name} cannot take {first['input']!r} as '{where}': {message[:1].lower()}{message[1:]}."
