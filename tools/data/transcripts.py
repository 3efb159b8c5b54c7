"""The session as a Python script or a notebook that makes its state again, call by call."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Any

from pydantic import Field

from state.codec import digest
from state.log import Event
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.provenance import azimuth_version
from tools.outside import uploaded_names
from tools.phrases import number_of
from tools.selection import loaded_infos

FileName = Annotated[
    str, Field(min_length=1, max_length=100, description="What the document is called in the list.")
]

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Stretch:
    """One turn as source code: its request as a comment, and its calls."""

    number: int
    request: str | None
    calls: tuple[Event, ...]

    def source(self) -> str:
        """The lines of Python."""
        return "\n".join([*_comment(self.request), *(_call(self.number, event) for event in self.calls)])


@tool("data", changes_state=True, gives=("document",))
def export_script(state: State, world: World, *, name: FileName = "Session as a script") -> Step:
    """Write the session as a Python script that makes its state again, call by call, and checks it.

    Example: copilot call export_script

    Asked as: give me this as a Python script | export the session as code | script that reproduces it | save
    the steps as .py | what would this be in Python
    """
    stretches = stretches_of(world.log)
    parts = [_opening(state, world), *(each.source() for each in stretches), _ending(state)]
    return _document(
        state, world, Call.of(export_script, name=name), name, ".py", "\n\n".join(parts) + "\n", stretches
    )


@tool("data", changes_state=True, gives=("document",))
def export_notebook(state: State, world: World, *, name: FileName = "Session as a notebook") -> Step:
    """Write the session as a Jupyter notebook that makes its state again, call by call, and checks it.

    Example: copilot call export_notebook

    Asked as: make a notebook of this | export to Jupyter | .ipynb of the session | notebook that reproduces
    everything | turn our conversation into a notebook
    """
    import nbformat

    stretches = stretches_of(world.log)
    sources = [_opening(state, world), *(each.source() for each in stretches), _ending(state)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {
        "cells": [_cell(number, text) for number, text in enumerate(sources)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    nbformat.validate(book)
    text = json.dumps(book, ensure_ascii=False, indent=1) + "\n"
    return _document(state, world, Call.of(export_notebook, name=name), name, ".ipynb", text, stretches)


def stretches_of(log: Sequence[Event]) -> tuple[Stretch, ...]:
    """The calls that went well, undo and redo included, in order, cut where the turn changes."""
    requests = {event.turn: event.text for event in log if event.kind == "request"}
    found: list[Stretch] = []
    for event in log:
        if event.kind != "call" or not event.ok:
            continue
        call = _within([stretch.number for stretch in found], event)
        if found and found[-1].number == event.turn:
            found[-1] = replace(found[-1], calls=(*found[-1].calls, call))
        else:
            found.append(Stretch(event.turn, requests.get(event.turn), (call,)))
    return tuple(found)


def _within(known: Sequence[int], event: Event) -> Event:
    """The call; one to a turn without calls goes to the last before it, whose state is the same."""
    if event.tool != "goto_turn":
        return event
    turn = max((number for number in known if number <= event.args["turn"]), default=0)
    return replace(event, args={**event.args, "turn": turn})


def _opening(state: State, world: World) -> str:
    versions = [f"{info.name} {info.version} ({info.origin})" for info in loaded_infos(state, world)]
    lines = [
        *_comment(f"A session of Azimuth {azimuth_version()}, call by call."),
        *_comment("Run it where `copilot` can be imported: from the folder of Azimuth's app.py."),
        *(line for version in versions for line in _comment(f"Data set: {version}")),
        "from copilot import Session",
        "",
        f"session = Session.open(name={world.session!r})",
        *_needed_files(world),
        "",
        "",
        "def step(turn, tool, arguments):",
        '    """Make one call in the turn it was made in, so that undo takes back the same."""',
        '    event = session.call_tool(tool, arguments, source="script", turn=turn)',
        "    if not event.ok:",
        '        raise SystemExit(f"{tool} failed: {event.text}")',
        "    return event",
        "",
    ]
    return "\n".join(lines)


def _needed_files(world: World) -> list[str]:
    """Lines that ask for the files that were uploaded: they are not part of the script."""
    there = set(uploaded_names(world))
    named = {str(event.args.get("file", "")) for event in world.log if event.kind == "call" and event.ok}
    uploaded = sorted(named & there)
    if not uploaded:
        return []
    return [
        "",
        "# Files that were uploaded: they go into this session's own upload folder.",
        "uploads = session.engine.uploads(session.row.owner)",
        f"missing = [name for name in {uploaded!r} if not (uploads / name).is_file()]",
        "if missing:",
        '    raise SystemExit(f"Put {missing} into {uploads} first; the session brings them in.")',
    ]


def _ending(state: State) -> str:
    return f'assert session.hash == {digest(state)!r}, "The catalogue or a tool has changed since."'


def _call(turn: int, event: Event) -> str:
    return f"step({turn}, {event.tool!r}, {_plain(event.args)!r})"


def _comment(text: str | None) -> list[str]:
    """A text as comment lines: nothing in it can end the comment."""
    if text is None:
        return []
    return [f"# {_CONTROL.sub(' ', line)}".rstrip() for line in text.splitlines()]


def _plain(value: Any) -> Any:
    """Plain JSON values, whose repr is their source; keys sorted, as a log read from the store has them."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _cell(number: int, text: str) -> dict[str, Any]:
    """A code cell. Its id comes from its place and text: the same session gives the same file."""
    return {
        "cell_type": "code",
        "id": f"{number}-{sha256(text.encode()).hexdigest()[:8]}",
        "metadata": {},
        "source": text,
        "execution_count": None,
        "outputs": [],
    }


def _document(
    state: State, world: World, call: Call, name: str, suffix: str, text: str, stretches: Sequence[Stretch]
) -> Step:
    count = sum(len(each.calls) for each in stretches)
    artifact = call.artifact("document", state, name, number_of(count, "call"))
    path = world.artifacts.path(artifact.id, suffix)
    path.write_text(text, encoding="utf-8")
    facts = {"document": artifact.id, "path": str(path), "calls": count, "bytes": path.stat().st_size}
    said = f"Wrote {number_of(count, 'call')}; the document is {artifact.id}."
    return Step(state.with_artifact(artifact), said, facts)


TOOLS = (export_script, export_notebook)
