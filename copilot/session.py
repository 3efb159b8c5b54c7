"""A session: the one way through which anybody changes the state."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from copilot.engine import Engine, default_engine
from state.codec import digest, from_json, to_json
from state.log import Event, Fold, History, Outcome, Turn, replay, state_after, turns
from state.model import State
from state.store import Conflict, SessionRow, now
from tools.base import World
from tools.run import call_arguments, run_call

Listener = Callable[[Event], None]

_MAX_CONFLICTS = 20


@dataclass(frozen=True)
class Answer:
    """How a request ended: the public result of `copilot ask`."""

    request: str
    reply: str
    calls: tuple[Event, ...]
    state: State
    outcome: Outcome
    seconds: float
    tokens: int = 0

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return {
            "reply": self.reply,
            "calls": [call_to_json(each) for each in self.calls],
            "state": to_json(self.state),
            "state_hash": digest(self.state),
            "outcome": self.outcome,
            "seconds": round(self.seconds, 4),
            "tokens": self.tokens,
        }


def call_to_json(event: Event) -> dict[str, Any]:
    """One call as the public result shows it."""
    return {
        "tool": event.tool,
        "args": event.args,
        "ok": event.ok,
        "error": None if event.ok else event.text,
        "observation": event.text,
    }


class Session:
    """A conversation and its state, rebuilt from the store's events. Safe to use from several threads."""

    def __init__(self, row: SessionRow, engine: Engine) -> None:
        self.row = row
        self.engine = engine
        self._lock = threading.RLock()
        self._events: list[Event] = []
        self._fold = Fold()
        self._listeners: list[Listener] = []
        self.refresh()

    # -- opening ------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        session_id: str | None = None,
        *,
        name: str = "Untitled session",
        owner: str = "local",
        engine: Engine | None = None,
    ) -> Session:
        """The session of that id, or a new one. Raises state.store.UnknownSession."""
        engine = engine or default_engine()
        row = engine.store.session(session_id) if session_id else engine.store.create(owner, name)
        return cls(row, engine)

    @classmethod
    def open_shared(cls, token: str, *, owner: str = "local", engine: Engine | None = None) -> Session:
        """A copy, of one's own, of what a share link shows. Raises state.store.UnknownSession."""
        engine = engine or default_engine()
        session_id, turn = engine.store.shared(token)
        return cls.open(session_id, engine=engine).fork(turn, owner=owner)

    # -- reading ------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The session's id."""
        return self.row.id

    @property
    def name(self) -> str:
        """The session's name."""
        return self.row.name

    @property
    def state(self) -> State:
        """The state after the last event."""
        return self._fold.present

    @property
    def history(self) -> History:
        """Where undo and redo lead."""
        return self._fold.history()

    @property
    def events(self) -> tuple[Event, ...]:
        """The log."""
        return tuple(self._events)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The log by turns."""
        return turns(self._events)

    def refresh(self) -> None:
        """Take in what others have appended."""
        with self._lock:
            for event in self.engine.store.events(self.id, after=len(self._events)):
                self._take(event)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told of every event after it is stored; the result stops it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- acting -------------------------------------------------------------------------------

    def call(self, tool: str, *, source: str = "script", turn: int | None = None, **args: Any) -> Event:
        """Run one tool: validate, check, run, append one event, tell whoever listens.

        Outside a request every call is a turn of its own. Never raises for what the tool or the
        caller got wrong: the event says so (`ok` is False) and the state is as before.
        """
        return self.call_tool(tool, args, source=source, turn=turn)

    def call_tool(
        self, tool: str, args: Mapping[str, Any], *, source: str = "script", turn: int | None = None
    ) -> Event:
        """As `call`, with the arguments as a mapping."""
        with self._lock:
            for _ in range(_MAX_CONFLICTS):
                event = self._run(tool, args, source, turn)
                try:
                    self._append(event)
                    return event
                except Conflict:
                    self.refresh()
        raise Conflict(f"Session {self.id} is being written to from too many places at once.")

    def undo(self) -> Event:
        """Take back the last turn that changed the state."""
        return self.call("undo")

    def redo(self) -> Event:
        """Do again what was last undone."""
        return self.call("redo")

    def ask(self, request: str, **options: Any) -> Answer:
        """Answer one request to its end. Options as for `stream`."""
        for _ in self.stream(request, **options):
            pass
        return self.answer()

    def stream(
        self,
        request: str,
        *,
        agent: str = "direct",
        model: str | None = None,
        source: str = "chat",
        stop: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Answer one request, giving each event after it is stored."""
        from copilot.agents import get_agent
        from copilot.models import chat_model

        run = get_agent(agent)
        yield from run(self, request, chat_model(model, self.engine), source=source, stop=stop or threading.Event())

    def answer(self, number: int | None = None) -> Answer:
        """How turn `number` (the last one that was a request) ended."""
        asked = [each for each in self.turns if each.request is not None]
        turn = asked[-1] if number is None else next(each for each in asked if each.number == number)
        reply = turn.reply
        return Answer(
            request=turn.request or "",
            reply=reply.text if reply else "",
            calls=turn.calls,
            state=self.state if number is None else (state_after(self._events, number) or State()),
            outcome=(reply.outcome if reply else None) or "failed",
            seconds=reply.seconds if reply else 0.0,
            tokens=reply.tokens if reply else 0,
        )

    def begin(self, request: str, source: str) -> Event:
        """Append the request that opens a turn."""
        with self._lock:
            self.refresh()
            event = Event(self._next_seq, self._next_turn, "request", now(), text=request, source=source)
            return self._append(replace(event, hash=self.hash))

    def end(self, turn: int, reply: str, outcome: Outcome, seconds: float, tokens: int = 0) -> Event:
        """Append the reply that closes a turn."""
        with self._lock:
            self.refresh()
            event = Event(self._next_seq, turn, "reply", now(), text=reply, outcome=outcome, tokens=tokens)
            return self._append(replace(event, seconds=round(seconds, 4), hash=self.hash))

    # -- copies -------------------------------------------------------------------------------

    def fork(self, turn: int | None = None, *, name: str | None = None, owner: str | None = None) -> Session:
        """A new session with the same past up to the end of `turn` (default: all of it)."""
        kept = [each for each in self._events if turn is None or each.turn <= turn]
        store = self.engine.store
        row = store.create(owner or self.row.owner, name or f"{self.name} (copy)", parent=self.id)
        store.append(row.id, kept)
        self._copy_artifacts(row.id)
        return Session(row, self.engine)

    def share(self, turn: int | None = None) -> str:
        """A token for a link that opens a copy of the session as it is now, or was after `turn`."""
        last = self._events[-1].turn if self._events else 0
        return self.engine.store.share(self.id, last if turn is None else turn)

    def replay(self) -> State:
        """Run every recorded call again from the start. Raises state.log.ReplayDiverged.

        Calls that reach outside are taken from the record.
        """
        return replay(State(), self._events, self._rerun)

    def rename(self, name: str) -> None:
        """Give the session another name."""
        self.engine.store.rename(self.id, name)
        self.row = replace(self.row, name=name)

    # -- inside -------------------------------------------------------------------------------

    @property
    def hash(self) -> str:
        """The hash of the present state."""
        return digest(self.state)

    @property
    def _next_seq(self) -> int:
        return len(self._events) + 1

    @property
    def _next_turn(self) -> int:
        return self._events[-1].turn + 1 if self._events else 1

    def world(self, events: Sequence[Event] | None = None) -> World:
        """The outside as this session's tools see it."""
        return World(
            catalogue=self.engine.catalogue,
            gazetteer=self.engine.gazetteer,
            artifacts=self.engine.artifacts(self.id),
            today=self.engine.clock(),
            catalogue_root=self.engine.catalogue_root,
            log=self._events if events is None else events,
            session=self.name,
        )

    def _run(self, tool: str, args: Mapping[str, Any], source: str, turn: int | None) -> Event:
        before = self.state
        started = time.perf_counter()
        step = run_call(self.engine.toolbox, before, self.world(), tool, args)
        changed = step.state != before
        recorded = call_arguments(self.engine.toolbox.get(tool), args) if tool in self.engine.toolbox else dict(args)
        return Event(
            seq=self._next_seq,
            turn=turn or self._next_turn,
            kind="call",
            at=now(),
            text=step.observation,
            source=source,
            tool=tool,
            args=recorded,
            ok=not step.failed,
            data=dict(step.data),
            state=to_json(step.state) if changed else None,
            hash=digest(step.state),
            seconds=round(time.perf_counter() - started, 6),
        )

    def _append(self, event: Event) -> Event:
        self.engine.store.append(self.id, [event])
        self._take(event)
        for listener in tuple(self._listeners):
            listener(event)
        return event

    def _take(self, event: Event) -> None:
        self._events.append(event)
        self._fold.take(event)

    def _rerun(self, state: State, event: Event, before: Sequence[Event]) -> State:
        if event.tool in self.engine.toolbox and self.engine.toolbox.get(event.tool).external:
            return from_json(event.state) if event.state else state
        return run_call(self.engine.toolbox, state, self.world(before), event.tool, event.args).state

    def _copy_artifacts(self, session_id: str) -> None:
        source, target = self.engine.artifacts(self.id).folder, self.engine.artifacts(session_id).folder
        if source.exists():
            shutil.copytree(source, target, dirs_exist_ok=True)


__all__ = ["Answer", "Session", "call_to_json"]
