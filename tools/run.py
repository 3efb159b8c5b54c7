"""How one call is run: look up, validate, run, and turn every failure into a sentence."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from math import isfinite
from typing import Any

from pydantic import BaseModel, ValidationError

from data.catalogue.base import CatalogueError, DatasetBroke
from data.catalogue.whole import sentences
from data.room import disk_full, ran_out
from state.codec import recorded
from state.model import State
from state.store import StoreUnavailable
from tools.added import AddedTool
from tools.base import Step, Tool, ToolError, World
from tools.bounds import MAX_ERROR_CHARS, are_too_much, check_arguments, check_said, cut, cut_sentence
from tools.faults import came_from_outside
from tools.made_ahead import made_ahead
from tools.noting import noting
from tools.titles import by_titles
from tools.toolbox import Toolbox

MAX_STATE_BYTES = 64 * 1024
_FEW = 20
"""How many arguments are kept where they are too much."""
_SHOWN_CHARS = 120
"""How much of a wrong value an error repeats."""

_NO_MEMORY = "{name} needs more memory than there is; nothing was changed. Take less at once."
_log = logging.getLogger(__name__)


def run_call(toolbox: Toolbox, state: State, world: World, name: str, arguments: Mapping[str, Any]) -> Step:
    """Run one call against a state. A failure is a step on the state from before; nothing is raised."""
    step = made_ahead(state, name, arguments) or _run(toolbox, state, world, name, arguments)
    return replace(step, observation=cut_sentence(step.observation, MAX_ERROR_CHARS)) if step.failed else step


def _run(toolbox: Toolbox, state: State, world: World, name: str, arguments: Mapping[str, Any]) -> Step:
    try:
        check_arguments(name, arguments)
        wanted = toolbox.get(name)
        try:
            step = _titled(wanted, state, world, arguments)
        except DatasetBroke:  # and is set aside by now: the others go on
            step = _titled(wanted, state, world, arguments)
        return _settled(wanted, state, _with_set_aside(wanted, step, world))
    except (ToolError, CatalogueError, StoreUnavailable) as error:
        return Step(state, str(error), failed=True, outside=came_from_outside(error))
    except MemoryError:
        return Step(state, _NO_MEMORY.format(name=name), failed=True, outside=True)
    except Exception as error:
        if ran_out(error):
            return Step(state, disk_full(), failed=True, outside=True)
        # A bug of ours: the user gets a sentence and keeps the state, the log gets the traceback.
        _log.exception("tool %s failed on %s", name, _shown(dict(arguments)))
        return Step(
            state,
            f"{name} failed inside Azimuth; nothing was changed. The details are in the log.",
            {"bug": True},
            failed=True,
            outside=True,
        )


def _titled(wanted: Tool, state: State, world: World, arguments: Mapping[str, Any]) -> Step:
    """The tool's step, which like what it refuses names rasters by the title that people see.

    A place that was not read as it is written comes first.
    """
    given = validated(wanted, arguments)
    try:
        with noting() as read:
            step = wanted.function(state, world, **given)
    except ToolError as error:
        raise ToolError(by_titles(str(error), wanted, given, state, world)) from error
    said = by_titles(step.observation, wanted, given, state, world)
    # A tool that says little of itself is summed up in an answer, but never what was read otherwise.
    data = {**step.data, "read_as": read} if read else step.data
    return replace(step, observation=" ".join([*read, said]), data=data)


def _with_set_aside(wanted: Tool, step: Step, world: World) -> Step:
    """The step, where it is about loaded data sets, with what is said of those of them that are broken."""
    if step.failed or not (wanted.category == "database" or "loaded" in wanted.needs):
        return step
    loaded = step.state.database.loaded
    broken = [each for each in world.catalogue.set_aside() if each.name in loaded]
    new = [each for each in broken if each.sentence not in step.observation]
    if not broken:
        return step
    said = " ".join([step.observation, *([sentences(new)] if new else [])])
    return replace(step, observation=said, data={**step.data, "set_aside": [each.name for each in broken]})


def validated(wanted: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their types and defaults. Raises ToolError naming the first that is wrong."""
    if isinstance(wanted, AddedTool):
        return wanted.checked(arguments)
    try:
        model = wanted.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        raise ToolError(_sentence(wanted, error)) from error
    return {name: getattr(model, name) for name in type(model).model_fields}


def call_arguments(toolbox: Toolbox, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they go on record: plain JSON, without those left out.

    Those that are wrong, or of a tool that is not there, are kept as near to what came in as JSON can be;
    of those that are too much, a few are kept, and cut.
    """
    if are_too_much(arguments):
        few = list(arguments.items())[:_FEW]
        return {cut(str(key), _SHOWN_CHARS): _shown(value) for key, value in few}
    if name in toolbox and not isinstance(toolbox.get(name), AddedTool):
        try:
            model: BaseModel = toolbox.get(name).arguments.model_validate(dict(arguments))
            return model.model_dump(mode="json", exclude_unset=True)
        except ValidationError:
            pass
    return {str(key): as_plain(value) for key, value in arguments.items()}


def as_plain(value: Any) -> Any:
    """Any value as JSON can hold it: what is no JSON value becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): as_plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_plain(each) for each in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return value if isinstance(value, float) and isfinite(value) else str(value)


def _settled(wanted: Tool, before: State, step: Step) -> Step:
    """A step as it is kept: an open question is closed by what is done, and the state stays small.

    The state goes through its JSON once, so that it is the one that the record will give back, and so that
    a tool which made something that is no state is found out here. Raises ToolError when it is too large.
    """
    if step.failed:
        check_said(wanted.name, replace(step, observation=""))
        return replace(step, state=before)
    state = step.state
    if wanted.changes_state and not wanted.asks and state.ui.question is not None:
        state = state.with_ui(question=None)
    check_said(wanted.name, step)
    if state == before:
        return replace(step, state=before)
    kept, size = recorded(state)
    if size > MAX_STATE_BYTES:
        raise ToolError(
            f"{wanted.name} would make the session's state larger than {MAX_STATE_BYTES // 1024} KiB; "
            "remove some layers, drawings or filters first."
        )
    return replace(step, state=kept)


def _sentence(wanted: Tool, error: ValidationError) -> str:
    # A name that is not known says more than what is then missing: it is most often a slip of that.
    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    where = ".".join(str(part) for part in first["loc"])
    fields = wanted.arguments.model_fields
    if first["type"] == "extra_forbidden" and len(first["loc"]) > 1:
        inside = ".".join(str(part) for part in first["loc"][:-1])
        said = fields[str(first["loc"][0])].description or ""
        return f"{wanted.name} knows no '{first['loc'][-1]}' in '{inside}'. {said.rstrip('.')}."
    if first["type"] == "extra_forbidden":
        near = get_close_matches(where, fields, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        known = ", ".join(fields) or "none"
        return f"{wanted.name} has no argument '{where}'.{hint} Its arguments: {known}."
    if first["type"] == "missing":
        return f"{wanted.name} needs the argument '{where}'."
    message = str(first["msg"]).removeprefix("Value error, ")
    reason = message[:1].lower() + message[1:]
    return f"{wanted.name} cannot take {_shown(first['input'])} as '{where}': {reason}."


def _shown(value: Any) -> str:
    """A wrong value, cut short before it is spelled out: it may be megabytes long or nested deep."""
    return _REPR.repr(value)


def _short_repr() -> reprlib.Repr:
    short = reprlib.Repr()
    short.maxstring = short.maxother = _SHOWN_CHARS
    short.maxlist = short.maxtuple = short.maxdict = 4
    short.maxlevel = 2
    return short


_REPR = _short_repr()
