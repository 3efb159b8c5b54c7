"""A call's step that was computed ahead of it, beside others: taken where it holds on the present state.

    with taking(made):                       # the next calls of this thread
        session.call_tool("slope", {"raster": "raster-5ce4e1"})

`made` is asked for the step on the state that the call finds; None, and the tool is run as ever. What a step
computed on an earlier state adds (artifacts, and the layers that show them) is added to the present one by
`moved`, by the rules by which the tool itself would have added it; where anything else is different, or was
changed by it, it does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from state.model import Layer, State
from tools.base import Step
from tools.map.styles import free_id, free_name, slug

Made = Callable[[State, str, Mapping[str, Any]], Step | None]
_MADE: ContextVar[Made | None] = ContextVar("made_ahead", default=None)


@contextmanager
def taking(made: Made) -> Iterator[None]:
    """While this lasts, calls of this thread take what `made` has for them."""
    token = _MADE.set(made)
    try:
        yield
    finally:
        _MADE.reset(token)


def made_ahead(state: State, name: str, arguments: Mapping[str, Any]) -> Step | None:
    """The step of a call that was computed ahead; None where there is none that holds."""
    made = _MADE.get()
    return made(state, name, arguments) if made is not None else None


def moved(step: Step, before: State, present: State) -> Step | None:
    """A step that was computed on `before`, on the present state; None where that cannot be told."""
    if step.failed or step.session_name is not None:
        return None
    if before == present:
        return step
    after = step.state
    if _rest(before) != _rest(present) or _rest(after) != _rest(before):
        return None
    old = {each.id: each for each in before.artifacts}
    for artifact in after.artifacts:
        if old.get(artifact.id) == artifact:
            continue
        present = present.with_artifact(artifact)
    shown = {each.id: each for each in before.map.layers}
    renamed: dict[str, str] = {}
    for layer in after.map.layers:
        if shown.get(layer.id) == layer:
            continue
        here = _layer(layer, before, after, present)
        if here is None:
            return None
        renamed[layer.id] = here.id
        present = present.with_layer(here)
    data = {key: renamed.get(each, each) if key == "layer" else each for key, each in step.data.items()}
    return replace(step, state=present, data=data)


def _layer(layer: Layer, before: State, after: State, present: State) -> Layer | None:
    """The layer as the tool would have put it on the present map; None where its name tells nothing."""
    artifact = after.artifact(layer.artifact) if layer.artifact is not None else None
    if artifact is None or before.layer(layer.id) is not None:
        return None
    if any(each.artifact == layer.artifact for each in present.map.layers):
        return None
    wanted = artifact.name
    if free_id(before, slug(wanted)) != layer.id or free_name(before, wanted) != layer.name:
        return None
    return replace(layer, id=free_id(present, slug(wanted)), name=free_name(present, wanted))


def _rest(state: State) -> State:
    """The state but for its artifacts and layers."""
    return replace(state, artifacts=(), map=replace(state.map, layers=()))


__all__ = ["Made", "made_ahead", "moved", "taking"]
