"""Run chains of calls in memory, without a session store: for gold runs and candidate solutions.

It goes through the same `run_call` as a session, so it ends in the same state with the same hash. Calls
are remembered by the state they were made in, so that chains with a common beginning run it once.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from copilot.bench.check.aspects import touched
from copilot.bench.check.runs import Made
from copilot.bench.standin import CATEGORIES, standing_in
from copilot.bench.task import GoldCall
from copilot.engine import Engine, encode_texts, safe_id
from copilot.workflows.starting import procedures_of
from state.codec import canonical, digest, to_json
from state.log import START, Event
from state.model import State
from tools.base import Step, World
from tools.kept import has_own_name, kept_folder, safe_file_name
from tools.run import as_plain, call_arguments, run_call
from tools.toolbox import Toolbox, toolbox

MAX_REMEMBERED = 20_000


@dataclass(frozen=True)
class Played:
    """Where a chain of calls led to."""

    state: State = START
    steps: tuple[Made, ...] = ()
    """The calls of this chain, without those that it started from."""
    states: tuple[State, ...] = ()
    """The state after each of them."""
    past: tuple[tuple[int, Made, State], ...] = ()
    """Every call since the session's start with its turn and the state after it."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """The file of each artifact."""

    @property
    def failed(self) -> tuple[Made, ...]:
        """The calls that did not work."""
        return tuple(each for each in self.steps if not each.ok)


FRESH = Played()


class Player:
    """Plays calls over one catalogue. One per process and thread; its files go when it does."""

    def __init__(self, world: World, tools: Toolbox | None = None, remembered: int = MAX_REMEMBERED) -> None:
        """`world` gives the catalogue, the gazetteer and the day; its artifacts and its log are not used."""
        self.toolbox = tools or toolbox()
        self._world = world
        self._remembered = remembered
        self._steps: OrderedDict[tuple[State, str, str], _Remembered] = OrderedDict()
        self._folder = Path(tempfile.mkdtemp(prefix="azimuth-play-"))
        self._next_number = 0
        self._close = weakref.finalize(self, shutil.rmtree, self._folder, True)

    @classmethod
    def over(cls, engine: Engine) -> Player:
        """A player over an engine's catalogue, at its clock."""
        nowhere = _Files(Path(), {})
        root, clock = engine.catalogue_root, engine.clock()
        return cls(World(engine.catalogue, engine.gazetteer, nowhere, clock, root, encode=encode_texts))

    def begin(self, setup: Iterable[GoldCall] = ()) -> Played:
        """A session in progress: each call is a turn of its own, as when a user clicks."""
        played = FRESH
        for call in setup:
            played = self.play((call,), played)
        return replace(played, steps=(), states=())

    def play(self, calls: Iterable[GoldCall], start: Played = FRESH) -> Played:
        """Make those calls as one turn after `start`. A call that fails is a step; the next ones are made."""
        turn = (start.past[-1][0] if start.past else 0) + 1
        state, past, files = start.state, list(start.past), dict(start.files)
        made: list[Made] = []
        states: list[State] = []
        for call in calls:
            step, name_args, files = self._step(state, call, past, files)
            changed = touched(state, step.state)
            made.append(
                Made(call.tool, name_args, not step.failed, step.observation, dict(step.data), changed)
            )
            state = step.state
            states.append(state)
            past.append((turn, made[-1], state))
        self._forget()
        return Played(state, tuple(made), tuple(states), tuple(past), files)

    def close(self) -> None:
        """Remove its files now."""
        self._close()

    def _step(
        self, state: State, call: GoldCall, past: list[tuple[int, Made, State]], files: dict[str, Path]
    ) -> tuple[Step, dict[str, Any], dict[str, Path]]:
        key = (state, call.tool, canonical(as_plain(call.args)))
        known = self._steps.get(key)
        if known is None:
            log = _Log(past)
            own = _Files(self._folder / f"{self._next_number:08d}-", dict(files))
            # A workflow that one call keeps is known to no other: a task ends alike whatever ran before.
            workflows = procedures_of(self._folder / f"{self._next_number:08d}-home", "bench")
            self._next_number += 1
            known = _Remembered(
                self._run(state, call, replace(self._world, artifacts=own, log=log, workflows=workflows)),
                call_arguments(self.toolbox, call.tool, call.args),
                {name: path for name, path in own.known.items() if files.get(name) != path},
            )
            # What looks at the session's past depends on more than the state: it is run every time.
            if not log.was_read:
                self._steps[key] = known
        else:
            self._steps.move_to_end(key)
        return known.step, known.args, {**files, **known.files} if known.files else files

    def _run(self, state: State, call: GoldCall, world: World) -> Step:
        wanted = self.toolbox.get(call.tool) if call.tool in self.toolbox else None
        if wanted is not None and wanted.category in CATEGORIES:
            return run_call(Toolbox((standing_in(wanted),)), state, world, call.tool, call.args)
        if wanted is not None and wanted.external:
            return Step(state, f"{call.tool} reaches outside; here only what stays inside is run.", {}, True)
        return run_call(self.toolbox, state, world, call.tool, call.args)

    def _forget(self) -> None:
        while len(self._steps) > self._remembered:
            _, oldest = self._steps.popitem(last=False)
            for path in oldest.files.values():
                if has_own_name(path):
                    shutil.rmtree(path.parent, ignore_errors=True)
                    continue
                path.unlink(missing_ok=True)
                _beside(path).unlink(missing_ok=True)


@dataclass(frozen=True)
class _Remembered:
    step: Step
    args: dict[str, Any]
    files: Mapping[str, Path]


@dataclass
class _Files:
    """The artifacts of one chain: those of this call begin with its number, older ones lie where they are."""

    prefix: Path
    known: dict[str, Path]

    def path(self, artifact_id: str, suffix: str) -> Path:
        self.known[artifact_id] = Path(f"{self.prefix}{safe_id(artifact_id)}{suffix}")
        return self.known[artifact_id]

    def named(self, artifact_id: str, name: str) -> Path:
        folder = kept_folder(self.prefix.parent, f"{self.prefix.name}{safe_id(artifact_id)}")
        folder.mkdir(parents=True, exist_ok=True)
        self.known[artifact_id] = folder / safe_file_name(name, artifact_id)
        return self.known[artifact_id]

    def find(self, artifact_id: str) -> Path | None:
        found = self.known.get(artifact_id)
        return found if found is not None and found.is_file() else None

    def about(self, artifact_id: str) -> Path:
        known = self.known.get(artifact_id)
        return _beside(known) if known else Path(f"{self.prefix}{safe_id(artifact_id)}.about")


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.about")


class _Log(Sequence[Event]):
    """The session's events, made only when a tool reads them: few do."""

    def __init__(self, past: list[tuple[int, Made, State]]) -> None:
        self._past = tuple(past)
        self.was_read = False

    @cached_property
    def _events(self) -> tuple[Event, ...]:
        self.was_read = True
        return tuple(self._made())

    def _made(self) -> Iterator[Event]:
        before = State()
        for seq, (turn, made, state) in enumerate(self._past, 1):
            yield Event(
                seq,
                turn,
                "call",
                "",
                text=made.text,
                source="bench",
                tool=made.tool,
                args=made.args,
                ok=made.ok,
                data=made.data,
                state=None if state == before else to_json(state),
                hash=digest(state),
            )
            before = state

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._events[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)
