"""What a tool is: a typed function from a state to a step, and what it declares about itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from data.apart.reader import NOBODYS, Reader
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer
from data.progress import Unheard
from state.log import Event
from state.model import State
from tools.conditions import KINDS, Declared, Thing, coarse, typed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Category = Literal[
    "database", "map", "ui", "geotools", "vision", "data", "python", "web", "knowledge", "langchain", "openai"
]


ASKED_AS = "Asked as:"
"""What the paragraph of a tool's docstring starts with that says how people ask for it."""


class ToolError(Exception):
    """A mistake the caller can put right: one sentence with what came in and what would have worked."""


class OutsideError(ToolError):
    """A failure that came from outside, such as a full disk: another time it may not come."""


@dataclass(frozen=True)
class Step:
    """What a call leads to: the state after it, and what is said of it."""

    state: State
    observation: str
    """For the agent and the trace: plain sentences, with every number that `data` holds and matters."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same as plain JSON values: what an answer may quote and a later call may use."""
    failed: bool = False
    outside: bool = False
    """Whether something outside of the call made it what it is: a replay then takes it from the record."""
    session_name: str | None = None
    """What the session is called from this call on; None leaves its name."""


class Encode(Protocol):
    """Turns texts into vectors whose dot product is their cosine."""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, dimensions) of length one, in the order of the texts."""


class ArtifactStore(Protocol):
    """Where the content of a session's artifacts lies. Sessions never see each other's."""

    def path(self, artifact_id: str, suffix: str) -> Path:
        """Where the artifact's file of that suffix (".parquet", ".json") is, or is to be written."""

    def named(self, artifact_id: str, name: str) -> Path:
        """Where the artifact's one file is to be written that keeps its own name, which is made safe."""

    def find(self, artifact_id: str) -> Path | None:
        """The artifact's file, whatever its suffix or name; None when there is none."""

    def about(self, artifact_id: str) -> Path:
        """Where what is known of the artifact is written: the call and the inputs it came from, as JSON."""


@dataclass(frozen=True)
class ChatAddress:
    """Where a chat model answers in OpenAI's protocol. The key is shown nowhere."""

    model: str
    base_url: str | None = None
    """None: OpenAI's own."""
    key: str = field(default="none", repr=False)


class Work(Protocol):
    """Where heavy computing runs: here, or in a background worker as a job to follow and stop."""

    def __call__(self, title: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """What `function(progress, *args, **kwargs)` returns, run elsewhere.

        The function is one of data's, found by its name, with paths and plain values in and plain values (or
        paths of what it wrote) out; `progress` is a data.progress.Progress. What it raises comes back as it
        is. Raises ToolError in one sentence for a job that was cancelled or whose worker was lost.
        """


def work_here(title: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Work in this process, which nobody follows."""
    return function(Unheard(), *args, **kwargs)


@dataclass(frozen=True)
class Reach:
    """Which files that are not the session's a caller may name; `tools.outside` is the door."""

    free: bool = True
    """Any path, as on one's own machine; False for whoever comes over the web."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """What the operator opens to everybody: folders by the name that stands before a file's own path."""
    closed: tuple[Path, ...] = ()
    """Azimuth's own files and folders: never opened as data, by whatever path or link."""


class Procedures(Protocol):
    """The workflows that tools find, bind, change and keep: the library's, and the owner's own.

    A bound workflow is plain JSON with its id under "id". What cannot be done raises ToolError.
    """

    def search(self, goal: str, most: int) -> list[dict[str, Any]]:
        """The tasks nearest to a goal: task, field, goal, score, workflows [{id, title, when}]."""

    def bound(
        self, state: State, world: World, workflow: str, data: Mapping[str, str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A workflow on data of the session; those not named are chosen among what is there."""

    def changed(self, bound: Mapping[str, Any], change: Mapping[str, Any], **note: str) -> dict[str, Any]:
        """A bound workflow after a change of its graph, which is noted on it."""

    def report(self, state: State, world: World, bound: Mapping[str, Any]) -> dict[str, Any]:
        """How far a bound workflow has come by the session's log: ok, steps, answer, said."""

    def kept(self, state: State, world: World, name: str, goal: str, turns: int) -> dict[str, Any]:
        """What was done in the last turns, kept as a workflow of the owner's own: id, steps, inputs."""


@dataclass(frozen=True)
class World:
    """The outside, as a tool may use it: everything that is not the state comes in here."""

    catalogue: Catalogue
    gazetteer: Gazetteer
    artifacts: ArtifactStore
    today: date
    catalogue_root: Path | None = None
    """Where an ingest writes; None when the catalogue cannot be written."""
    log: Sequence[Event] = ()
    """The session's events so far: what undo, exports and feedback read."""
    session: str = ""
    uploads: Path | None = None
    """The folder that the session's owner uploads to; None when there is none."""
    owner: str | None = None
    """Whose alone it is what this session ingests; None where it is everybody's, on one's own machine."""
    reach: Reach = Reach()
    """Which other files may be read: asked through `tools.outside`."""
    encode: Encode | None = None
    """The embedded sentence encoder, which raises ToolError without its files; None where there is none."""
    chat: ChatAddress | None = None
    """The chat model that is configured; None where none is."""
    work: Work = work_here
    """Where heavy computing runs."""
    models: Path | None = None
    """The folder of models that the user added; None where there are those of the repository only."""
    rendered: Path | None = None
    """Where rendered scenes of the sample's records are kept; None where none are made."""
    knowledge: Path | None = None
    """The folder of documents that people added to the knowledge base; None where none can be kept."""
    reader: Reader = NOBODYS
    """Where files that strangers made are read: for this session's owner, in processes of their own."""
    workflows: Procedures | None = None
    """The workflows that there are; None where there are none."""


@dataclass(frozen=True)
class Tool:
    """A function with what the agents, the schema, the command line and the docs need to know of it."""

    name: str
    category: Category
    function: Callable[..., Step]
    changes_state: bool = False
    needs: tuple[str, ...] = ()
    """State parts and artifact kinds that must be there: "loaded", "layer", "table", "image"."""
    gives: tuple[str, ...] = ()
    """State parts and artifact kinds that are there afterwards."""
    external: bool = False
    """Reaches outside the process: recorded, and not run again at a replay."""
    reads_files: bool = False
    """Reads files that are not the session's: not run again at a replay either, since they may be gone."""
    long_running: bool = False
    asks_approval: bool = False
    signed: bool = False
    """Has the arguments `by` and `at`: who calls and when, which the session fills in before it records."""
    asks: bool = False
    """May end in a question to the user: it then leaves `ui.question` in the state, and the turn waits."""
    answer: str | None = None
    """The argument that takes the answer to what it asked; None where an answer is a request of its own."""
    needed: tuple[Thing, ...] = ()
    """What was said of `needs` beyond their kinds; `preconditions` has all."""
    given: tuple[Thing, ...] = ()
    """What was said of `gives` beyond their kinds; `effects` has all."""

    @cached_property
    def preconditions(self) -> tuple[Thing, ...]:
        """What must hold before a call: of each argument that takes a handle, and of the state.

        Several of one argument are alternatives. Those of an argument that is left out do not count.
        """
        said = {each.argument for each in self.needed}
        handles = {name: _handle_kind(each) for name, each in self.schema.get("properties", {}).items()}
        plain = [Thing(kind, name) for name, kind in handles.items() if kind and name not in said]
        parts = [Thing(kind) for kind in self.needs if kind not in KINDS]
        return (*self.needed, *plain, *parts)

    @cached_property
    def effects(self) -> tuple[Thing, ...]:
        """What holds after a call: each artifact under its key of the step's data, and parts of the state."""
        said = {each.kind for each in self.given if not each.in_place}
        plain = [Thing(kind, kind if kind in KINDS else "") for kind in self.gives if kind not in said]
        return (*self.given, *plain)

    @cached_property
    def summary(self) -> str:
        """The docstring's first line: what an agent reads."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """What people say who want it: the docstring's paragraph "Asked as: one | another"."""
        paragraphs = (inspect.getdoc(self.function) or "").split("\n\n")
        said = next((each for each in paragraphs if each.startswith(ASKED_AS)), ASKED_AS)
        parts = " ".join(said.removeprefix(ASKED_AS).split()).split("|")
        return tuple(part.strip() for part in parts if part.strip())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The arguments as a pydantic model, from the function's keyword-only parameters."""
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                default = ... if parameter.default is inspect.Parameter.empty else parameter.default
                fields[parameter.name] = (hints[parameter.name], default)
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=False, allow_inf_nan=False)
        return create_model(self.name, __config__=config, **fields)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The arguments' JSON schema, without what a language model does not need."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        for each in schema.get("properties", {}).values():
            each.pop("title", None)
        return schema


def _handle_kind(schema: Mapping[str, Any]) -> str:
    """The kind of artifact that an argument of that schema is the handle of; empty for none."""
    for each in (schema, *schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        if each.get("format") in KINDS:
            return str(each["format"])
        if each is not schema and "items" in each and each["items"].get("format") in KINDS:
            return str(each["items"]["format"])
    return ""


def tool(
    category: Category,
    *,
    changes_state: bool = False,
    needs: tuple[Declared, ...] = (),
    gives: tuple[Declared, ...] = (),
    external: bool = False,
    reads_files: bool = False,
    long_running: bool = False,
    asks_approval: bool = False,
    signed: bool = False,
    asks: bool = False,
    answer: str | None = None,
) -> Callable[[Callable[..., Step]], Tool]:
    """Declare a function `(state, world, *, arguments…) -> Step` a tool of its own name.

    `needs` and `gives` are kinds ("raster", "loaded"), or more that can be checked: `tools.conditions`.
    """

    def declare(function: Callable[..., Step]) -> Tool:
        return Tool(
            name=function.__name__,
            category=category,
            function=function,
            changes_state=changes_state,
            needs=coarse(needs),
            gives=coarse(each for each in gives if isinstance(each, str) or not each.in_place),
            needed=typed(needs),
            given=typed(gives),
            external=external,
            reads_files=reads_files,
            long_running=long_running,
            asks_approval=asks_approval,
            signed=signed,
            asks=asks,
            answer=answer,
        )

    return declare


__all__ = [
    "ArtifactStore",
    "Category",
    "ChatAddress",
    "Field",
    "OutsideError",
    "Procedures",
    "Reach",
    "Step",
    "Tool",
    "ToolError",
    "Work",
    "World",
    "tool",
]
