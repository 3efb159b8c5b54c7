"""Artifacts: the id of what a call makes, and how it is said who made it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import TypeAdapter

from data.vocabulary import words
from state.codec import canonical, filters_to_json
from state.model import Artifact, State
from tools.base import Tool, ToolError, World
from tools.noting import note

ArtifactKind = Literal["table", "figure", "document", "raster", "vector", "detections", "reviews", "workflow"]

FEATURES = ("vector", "detections")
"""The kinds of artifact with features on the ground: detections are features with a class and a score."""

_PLAIN = TypeAdapter(Any)


@dataclass(frozen=True)
class Call:
    """A call as its artifact remembers it: the tool and the arguments that were given."""

    tool: str
    args: Mapping[str, Any]

    @classmethod
    def of(cls, tool: Tool, **args: Any) -> Call:
        """The call without arguments that have their default value."""
        fields = tool.arguments.model_fields
        given = {key: value for key, value in args.items() if value != fields[key].default}
        return cls(tool.name, _PLAIN.dump_python(given, mode="json"))

    def __str__(self) -> str:
        return f"{self.tool}({', '.join(f'{key}={_short(value)}' for key, value in self.args.items())})"

    def artifact_id(self, kind: ArtifactKind, state: State, inputs: Sequence[Input] | None = None) -> str:
        """The same call on the same inputs is the same artifact, whoever makes it and whenever.

        Without `inputs` the current selection is what goes in.
        """
        database = state.database
        parts: list[Any] = [self.tool, self.args]
        if inputs is None:
            table = self.args.get("table")
            parts += [database.loaded, filters_to_json(database.filters), table, *_drawn(state, table)]
        else:
            parts += [[each.key for each in inputs]]
        return f"{kind}-{sha256(canonical(parts).encode()).hexdigest()[:6]}"

    def artifact(
        self, kind: ArtifactKind, state: State, name: str, summary: str, inputs: Sequence[Input] | None = None
    ) -> Artifact:
        """The artifact of this call: what the state keeps of it. A name that is another's too is told so."""
        made = self.artifact_id(kind, state, inputs)
        if name == self.args.get("name"):
            said = words.spelled(name)
            others = [each.id for each in state.artifacts if words.spelled(each.name) == said]
            if others := [each for each in others if each != made]:
                note(f"{name!r} is the name of {others[-1]} too; from now on it means {made}, the newest.")
        return Artifact(made, kind, name, summary, made_by=str(self))


class Input(Protocol):
    """Something that a call works on."""

    @property
    def handle(self) -> str:
        """What the caller named it by."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def key(self) -> str:
        """What stands for its content: two inputs of one key are the same."""


@dataclass(frozen=True)
class Named:
    """Something that a call takes, as an input of what it makes."""

    handle: str
    name: str
    key: str


def artifacts_taken(state: State, call: Call) -> list[Input] | None:
    """The tables or features of the session that a call took; None where it took anything else."""
    handles = [str(call.args[each]) for each in ("table", "other") if call.args.get(each) is not None]
    found = [state.artifact(each) or newest_named(state.artifacts, each) for each in handles]
    if not found or any(each is None for each in found):
        return None
    return [Named(each.id, each.name, each.id) for each in found]


def write_about(world: World, artifact: Artifact, call: Call, inputs: Sequence[Input], **more: Any) -> None:
    """Write what is known of an artifact beside it: the call, its arguments and what went in."""
    known = {
        "id": artifact.id,
        "name": artifact.name,
        "tool": call.tool,
        "arguments": call.args,
        "inputs": [{"handle": each.handle, "name": each.name, "key": each.key} for each in inputs],
        **more,
    }
    world.artifacts.about(artifact.id).write_text(canonical(known), encoding="utf-8")


def about(world: World, artifact_id: str) -> dict[str, Any]:
    """What is known of an artifact; nothing for one that was made without a word."""
    path = world.artifacts.about(artifact_id)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def artifact_file(state: State, world: World, artifact_id: str, kind: ArtifactKind) -> Path:
    """The file of one of the session's artifacts. Raises ToolError with the nearest ids of that kind."""
    artifact = state.artifact(artifact_id)
    if artifact is None or artifact.kind != kind:
        raise ToolError(_no_artifact(state, artifact_id, kind))
    path = world.artifacts.find(artifact_id)
    if path is None:
        raise ToolError(f"The file of {artifact_id} is gone; {artifact.made_by} makes it again.")
    return path


def id_or_name(state: State, asked: str, *kinds: ArtifactKind) -> str:
    """The id of the artifact that is meant: by its id, or the newest of those kinds that bears that name.

    What is neither comes back as it is, for whoever looks it up says so.
    """
    if state.artifact(asked) is not None:
        return asked
    found = newest_named([each for each in state.artifacts if each.kind in kinds], asked)
    return str(found.id) if found is not None else asked


def newest_named(items: Sequence[Any], name: str) -> Any:
    """The newest of the artifacts or layers that bears a name; None when none does.

    As it is written; else whatever its case, the signs between its words, and the number of its nouns, as
    people say "town before" for town_before and "each field" of fields. It is said where several bear it.
    """
    wanted = name.strip()
    # The nearer spelling goes first: "Fields" is not the newer fields, nor field_2 the newer fields_2.
    for spelling in (str.strip, str.casefold, words.spelled, words.key):
        said = spelling(wanted)
        found = [each for each in items if said and spelling(each.name) == said]
        if found:
            _note_namesakes(found, wanted)
            return found[-1]
    return None


def named(state: State, asked: str, *kinds: str) -> Artifact | None:
    """The artifact of that id, or the newest of those kinds of that name, else the newest of any kind."""
    of_kinds = [each for each in state.artifacts if each.kind in kinds]
    found: Artifact | None = (
        state.artifact(asked) or newest_named(of_kinds, asked) or newest_named(state.artifacts, asked)
    )
    return found


def _note_namesakes(found: Sequence[Any], asked: str) -> None:
    """Say that several artifacts of one kind bear the name that was meant, and which was taken."""
    taken = found[-1]
    if not isinstance(taken, Artifact):
        return
    names = [each.name for each in found if each.kind == taken.kind]
    if len(names) > 1:
        others = "" if set(names) == {asked} else f" ({', '.join(dict.fromkeys(names[-4:]))})"
        note(
            f"{asked!r} is the name of {len(names):,} {taken.kind} results{others}; the newest, {taken.id}, "
            "was taken."
        )


def _no_artifact(state: State, asked: str, kind: ArtifactKind) -> str:
    known = {each.id: each.name for each in state.artifacts if each.kind == kind}
    if (found := state.artifact(asked)) is not None:
        problem = f"{asked!r} is a {found.kind}, not a {kind}."
    else:
        problem = f"No {kind} has the id {asked!r}."
    if not known:
        return f"{problem} There is no {kind} yet."
    near = get_close_matches(asked, known, n=1)
    if near:
        return f"{problem} Did you mean {near[0]!r} ({known[near[0]]})?"
    return f"{problem} There are {', '.join(f'{key} ({name})' for key, name in list(known.items())[-8:])}."


def _drawn(state: State, handle: Any) -> list[Any]:
    """What fills the layer of a handle, which may be another tomorrow; nothing for an artifact."""
    if not isinstance(handle, str) or state.artifact(handle) is not None:
        return []
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    drawn = [layer] if layer is not None else []
    if handle in ("drawings", "drawing"):
        drawn = [each for each in state.map.layers if each.kind == "drawing"]
    fills = [[each.artifact, each.query, each.geometry] for each in drawn]
    return [_PLAIN.dump_python(fills, mode="json")] if fills else []


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
