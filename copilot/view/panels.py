"""Which panel a session has opened last, and the picture that stands in for a place on the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.view.imagery import about, not_on_the_map
from state.log import Event
from state.model import State
from tools.base import ToolError, World


@dataclass(frozen=True)
class Picture:
    """An image of the session that no map can show: it has no coordinates."""

    name: str
    """Of what was brought in or found last: the image, or the detections in it."""
    handle: str
    """Of the image."""
    since: int
    """The event that brought it."""


@dataclass(frozen=True)
class Front:
    """What is in front, and what changes whenever something new is opened."""

    panel: str | None
    """None where nothing was opened."""
    key: tuple[Any, ...]


def picture(state: State, events: Sequence[Event], world: World) -> Picture | None:
    """The newest image or detections, where they have no place on the map."""
    found = not_on_the_map(state, world)
    if found is None:
        return None
    name, handle = found
    try:
        if about(state, world, handle).has_place:
            return None
    except ToolError:  # its file is gone or broken: the Imagery page says so
        return None
    newest = next(each.id for each in reversed(state.artifacts) if each.kind in ("raster", "detections"))
    since = _since(events, lambda at: newest in {each["id"] for each in at["artifacts"]})
    return Picture(name, handle, since)


def picture_in_front(state: State, events: Sequence[Event], world: World) -> Picture | None:
    """The picture, unless an image of the catalogue was opened after it."""
    found = picture(state, events, world)
    if found is None or (state.ui.selected_image is None and state.ui.compared is None):
        return found
    opened = _since(events, lambda at: [at["ui"].get(name) for name in ("selected_image", "compared")])
    return found if found.since >= opened else None


def front(state: State, events: Sequence[Event], world: World) -> Front:
    """The panel that was opened last: by a call, or by an image that only a panel can show."""
    shown, opened = picture(state, events, world), state.ui.panels
    key = (opened, None if shown is None else (shown.name, shown.handle, shown.since))
    if shown is not None and shown.since >= _since(events, lambda at: at["ui"].get("panels")):
        return Front("image", key)
    return Front(opened[-1] if opened else None, key)


def _since(events: Sequence[Event], value: Callable[[dict[str, Any]], Any]) -> int:
    """The number of the event from which on that part of the state is what it is now; 0 without one."""
    changes = [each for each in events if each.state is not None]
    first = 0
    for event in reversed(changes):
        if value(event.state or {}) != value(changes[-1].state or {}):
            break
        first = event.seq
    return first
