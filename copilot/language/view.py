"""The view: what the policy is shown of the session beside the request, as short items in words.

Items that a request can point at carry their value: a layer, an artifact, a column, an argument of a call
made before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

TURNS, CALLS, LAYERS, ARTIFACTS, COLUMNS, TABS, CHOICES, GROUPS = 2, 5, 8, 6, 14, 4, 6, 3
"""How many are shown of each, the last ones (of columns and choices the first, of groups the largest)."""
_SAID_CHARS, _VALUE_CHARS = 160, 60


@dataclass(frozen=True)
class Item:
    """Some words of the view."""

    text: str
    value: Any = None
    """What pointing at it means; None where it is only to be read."""
    names: tuple[str, ...] = ()
    """What else it is called, where something is known by an id and a name."""


@dataclass(frozen=True)
class Past:
    """An earlier turn."""

    said: str
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    gave: Sequence[Mapping[str, Any]] = ()
    """What each of the calls came back with."""


def view(
    state: Mapping[str, Any], past: Sequence[Past], columns: Mapping[str, Sequence[str]]
) -> tuple[Item, ...]:
    """The items of a session: `state` as JSON, the turns before, the columns of artifacts by their ids."""
    shown = (
        *(each for turn in past[-TURNS:] for each in _turn(turn)),
        *(each for data in (past[-1].gave[-CALLS:] if past else ()) for each in _groups(data)),
        *_selection(state["database"]),
        *(each for layer in state["map"]["layers"][-LAYERS:] for each in _layer(layer)),
        *(each for made in state["artifacts"][-ARTIFACTS:] for each in _artifact(made, columns)),
        *_page(state["ui"]),
    )
    return shown


def _turn(turn: Past) -> Iterator[Item]:
    yield Item(f"before: {turn.said[:_SAID_CHARS]}")
    for tool, arguments in turn.calls[-CALLS:]:
        yield Item(_plain(tool))
        for name, value in arguments.items():
            yield Item(f"{_plain(name)} =")
            several = isinstance(value, list) and all(isinstance(each, str) for each in value)
            yield from (_valued(each) for each in (value if several else [value]))


def _groups(data: Mapping[str, Any]) -> Iterator[Item]:
    """The largest groups that were counted, the first one first: "that year", "the country with most"."""
    sized = [
        (size, each["key"])
        for each in data.get("groups") or ()
        if isinstance(size := each.get("count", each.get("value")), int | float)
        and each.get("key") is not None
    ]
    if sized:
        yield Item("most")
        yield from (_valued(key) for _, key in sorted(sized, key=lambda each: -each[0])[:GROUPS])


def selected_days(state: Mapping[str, Any]) -> tuple[date, date] | None:
    """The first and the last day that are selected; None where either is open."""
    filters = state["database"]["filters"]
    first, last = filters.get("start"), filters.get("end")
    return (date.fromisoformat(first), date.fromisoformat(last)) if first and last else None


def _selection(database: Mapping[str, Any]) -> Iterator[Item]:
    if database["loaded"]:
        yield Item("loaded")
        yield from (_valued(name) for name in database["loaded"])
    filters = database["filters"]
    for part in ("place", "country", "start", "end"):
        if filters.get(part):
            yield Item(part)
            yield _valued(filters[part])
    for name in filters.get("classes") or ():
        yield Item("class")
        yield _valued(name)
    for each in filters.get("attributes") or ():
        yield Item("attribute")
        yield _valued(each["field"])
        yield Item(f"{each['op']} {_short(each['value'])}", each["value"])


def _layer(layer: Mapping[str, Any]) -> Iterator[Item]:
    yield Item(f"{layer['kind']} layer{'' if layer.get('visible', True) else ' hidden'}")
    yield Item(layer["name"], layer["name"], (layer["id"],))


def _artifact(made: Mapping[str, Any], columns: Mapping[str, Sequence[str]]) -> Iterator[Item]:
    yield Item(made["kind"])
    yield Item(made["name"], made["name"], (made["id"],))
    yield from (_valued(column) for column in columns.get(made["id"], ())[:COLUMNS])


def _page(ui: Mapping[str, Any]) -> Iterator[Item]:
    if ui["page"] != "home":
        yield Item(f"page {ui['page']}")
    for tab in ui["tabs"][-TABS:]:
        yield Item("tab")
        yield _valued(tab["url"])
    for panel in ui["panels"]:
        yield Item("panel")
        yield _valued(panel)
    if ui.get("selected_image"):
        yield Item("image")
        yield _valued(ui["selected_image"])
    if question := ui.get("question"):
        yield Item(f"asked: {question['text'][:_SAID_CHARS]}")
        yield from (_valued(choice) for choice in question["choices"][:CHOICES])


def _valued(value: Any) -> Item:
    return Item(_short(value), value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE_CHARS else f"{text[: _VALUE_CHARS - 3]}..."


def _plain(name: str) -> str:
    return name.replace("_", " ")
