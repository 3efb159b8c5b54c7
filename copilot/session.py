"""A session: the one way through which anybody changes the state."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copilot.answer import Answer as Answer  # also found here
from copilot.answer import answer_of
from copilot.answer import call_to_json as call_to_json
from copilot.approval import WAITS, asks_first, not_run
from copilot.bounds import check_record
from copilot.copies import copy_artifacts, speaking_of
from copilot.engine import Engine, default_engine, encode_texts
from copilot.language.view import ARTIFACTS
from copilot.models import chat_address
from copilot.names import UNTITLED, kept_text, reviewer, session_name
from copilot.replaying import replayed
from copilot.workflows.driving import drive
from copilot.workflows.starting import procedures_of, starts
from data.apart.reader import Reader
from data.catalogue.base import Catalogue
from state.codec import digest, to_json
from state.jobs import Caller
from state.log import Event, Fold, History, Outcome, Turn, state_after, turns, until
from state.model import State
from state.store import Behind, Conflict, SessionRow, StoreUnavailable, now
from tools.base import Step, Work, World, work_here
from tools.bounds import MAX_NAME_CHARS as MAX_TOOL_CHARS
from tools.bounds import cut
from tools.columns import columns_of
from tools.run import call_arguments, run_call

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.agents.budget import Budget, Usage
    from tools.toolbox import Toolbox

Listener = Callable[[Event], None]
Made = tuple[Event, State, str | None]
"""The next event, the state after it, and the session's name from then on where it gives one."""

_MAX_CONFLICTS = 100
_log = logging.getLogger(__name__)


class Session:
    """A conversation and its state, rebuilt from the store's events. Safe to use from several threads."""

    def __init__(self, row: SessionRow, engine: Engine) -> None:
        self.row = row
        self.engine = engine
        self._lock = threading.RLock()
        """Held while a call runs: calls of one session come one after another."""
        self._taking = threading.Lock()
        """Held while an event is taken in: nobody reads half of one."""
        self._events: list[Event] = []
        self._fold = Fold()
        self._last_turn = 0
        self._bytes = 0
        """How many bytes the events are in the store."""
        self._opened = engine.store.opened
        """Which opening of the store the events were read from."""
        self._listeners: list[Listener] = []
        self.refresh()

    # -- opening ------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        session_id: str | None = None,
        *,
        name: str = UNTITLED,
        owner: str = "local",
        engine: Engine | None = None,
    ) -> Session:
        """The session of that id, or a new one. Raises state.store.UnknownSession."""
        engine = engine or default_engine()
        if session_id is not None:
            return cls(engine.store.session(session_id), engine)
        return cls(engine.store.create(owner, session_name(name)), engine)

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
        with self._taking:
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
        """Take in what others have done, without waiting for a call that runs.

        Raises UnknownSession, StoreUnavailable.
        """
        self.row = self.engine.store.session(self.id)
        self.check_kept()
        for event, size in self.engine.store.read(self.id, after=self._next_seq - 1):
            self._take(event, size)

    def check_kept(self, *, always: bool = False) -> None:
        """See whether the store still has what this session remembers, where it was opened anew since.

        Where it has not, the session stands as the store has it from now on, and StoreUnavailable says so,
        once. Raises UnknownSession where the store has nothing of it.
        """
        store = self.engine.store
        if store.opened == self._opened and not always:
            return
        self.row = store.session(self.id)
        opened, last = store.opened, self._events[-1] if self._events else None
        if last is None or [_mark(each) for each in store.events(self.id, last.seq - 1, 1)] == [_mark(last)]:
            self._opened = opened
            return
        read, fold = store.read(self.id), Fold()
        kept = [event for event, _ in read]
        for event in kept:
            fold.take(event)
        with self._taking:
            self._events, self._fold, self._opened = kept, fold, opened
            self._bytes = sum(size for _, size in read)
            self._last_turn = max((each.turn for each in kept), default=0)
        raise StoreUnavailable(
            f"The session store was replaced while Azimuth ran: it has this session up to event {len(kept)}, "
            f"where {last.seq} had been. The session goes on from there; ask again for what is gone."
        )

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told of every event after it is stored, of others' when they are seen; the result stops it."""
        self._listeners.append(listener)

        def leave() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return leave

    # -- acting -------------------------------------------------------------------------------

    def call(self, tool: str, /, **args: Any) -> Event:
        """Run one tool: validate, check, run, append one event, tell whoever listens.

        Outside a request every call is a turn of its own. Never raises for what the tool or the
        caller got wrong: the event says so (`ok` is False) and the state is as before.
        Raises state.store.UnknownSession when the session was deleted meanwhile, StoreUnavailable, and
        SessionFull when its record has no room for more.
        """
        return self.call_tool(tool, args)

    def call_tool(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        source: str = "script",
        turn: int | None = None,
        approved: bool = False,
    ) -> Event:
        """As `call`, with the arguments as a mapping, who acts, and the turn that the call is part of.

        A call within a turn is a model's: where the tool asks first, it is put on record and not run, unless
        it was `approved` by the user.
        """
        check_record(self._bytes)
        tool, args = cut(tool, MAX_TOOL_CHARS), self._signed(tool, args)
        if self._acts_outside(tool):
            self.refresh()  # what cannot be taken back is not run against a state that is gone
        event = self._append_next(lambda: self._run(tool, args, source, turn, approved))
        return drive(self, event) if starts(event) else event

    def undo(self) -> Event:
        """Take back the last turn that changed the state."""
        return self.call("undo")

    def redo(self) -> Event:
        """Do again what was last undone."""
        return self.call("redo")

    def ask(self, request: str, **options: Any) -> Answer:
        """Answer one request to its end. Options as for `stream`."""
        turn = [event.turn for event in self.stream(request, **options)][-1]
        return self.answer(turn)

    def stream(
        self,
        request: str,
        *,
        agent: str = "direct",
        model: str | BaseChatModel | None = None,
        source: str = "chat",
        stop: threading.Event | None = None,
        shots: int = 0,
        budget: Budget | None = None,
    ) -> Iterator[Event]:
        """Answer one request, giving each event after it is stored.

        `model` is a name, or a chat model of LangChain's; `shots` is how many worked examples the model is
        shown. Raises UnknownAgent and ModelNotConfigured before anything is on record.
        """
        from copilot.agents import get_agent
        from copilot.agents.budget import Budget
        from copilot.models import chat_model, fallback_model, turn_seconds

        run = get_agent(agent)
        if model is None or isinstance(model, str):
            budget = budget or Budget(seconds=turn_seconds(model))
            model = chat_model(model, self.engine, self.catalogue)
        yield from run(
            self,
            request,
            model,
            source=source,
            stop=stop or threading.Event(),
            shots=shots,
            budget=budget or Budget(),
            fallback=lambda: fallback_model(self.engine, self.catalogue),
        )

    def answer(self, number: int | None = None) -> Answer:
        """How turn `number` (the last one that was a request) ended. Raises ValueError when it is none."""
        asked = [each for each in self.turns if each.request is not None and number in (None, each.number)]
        if not asked:
            raise ValueError(f"Turn {number} is no request." if number else "Nothing was asked yet.")
        turn = asked[-1]
        return answer_of(turn, state_after(self._events, turn.number) or State())

    def begin(self, request: str, source: str) -> Event:
        """Append the request that opens a turn. Raises SessionFull."""
        self.refresh()
        check_record(self._bytes)

        def opening() -> Made:
            event = Event(
                self._next_seq, self._next_turn, "request", now(), text=kept_text(request), source=source
            )
            return replace(event, hash=self.hash), self.state, None

        return self._append_next(opening)

    def think(self, turn: int, text: str, usage: Usage) -> Event:
        """Append what the model thinks beside its calls, with what the turn has cost so far."""

        def thinking() -> Made:
            event = Event(self._next_seq, turn, "thought", now(), text=kept_text(text), tokens=usage.total)
            return replace(event, data=usage.to_json(), hash=self.hash), self.state, None

        return self._append_next(thinking)

    def end(
        self,
        turn: int,
        reply: str,
        outcome: Outcome,
        seconds: float,
        usage: Usage | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> Event:
        """Append the reply that closes a turn, with what it cost and what else was counted."""
        tokens, data = (usage.total, usage.to_json()) if usage else (0, {})
        data |= counts or {}

        def closing() -> Made:
            event = Event(
                self._next_seq, turn, "reply", now(), text=kept_text(reply), outcome=outcome, tokens=tokens
            )
            return replace(event, data=data, seconds=round(seconds, 4), hash=self.hash), self.state, None

        return self._append_next(closing)

    # -- copies -------------------------------------------------------------------------------

    def fork(self, turn: int | None = None, *, name: str | None = None, owner: str | None = None) -> Session:
        """A new session with the same past up to the end of `turn` (default: all of it), artifacts included.

        Raises state.log.UnknownTurn.
        """
        events = self.events
        kept = events if turn is None else until(events, turn)
        store = self.engine.store
        row = store.create(
            owner or self.row.owner, session_name(name or f"{self.name} (copy)"), parent=self.id
        )
        copy_artifacts(self.engine, self.id, row.id, kept)
        # A copy's records speak of the copy: of its own files, and not of the session that it came from.
        store.append(row.id, [replace(each, data=speaking_of(row.id, self.id, each.data)) for each in kept])
        return Session(row, self.engine)

    def share(self, turn: int | None = None) -> str:
        """A token for a link that opens a copy of the session as it is now, or was after `turn`.

        Raises state.log.UnknownTurn.
        """
        last = self._last_turn if turn is None else turn
        until(self._events, last)
        return self.engine.store.share(self.id, last)

    def replay(self) -> State:
        """Run every recorded call again from the start.

        Raises state.log.ReplayDiverged, ReplayCutOff. Calls that reach outside are taken from the record, and
        so are those that something outside made fail. Nothing of the session is touched: what the
        calls make again goes to a folder that is then thrown away.
        """
        return replayed(self)

    def rename(self, name: str) -> None:
        """Give the session another name."""
        self.engine.store.rename(self.id, session_name(name))
        self.row = replace(self.row, name=session_name(name))

    # -- inside -------------------------------------------------------------------------------

    @property
    def hash(self) -> str:
        """The hash of the present state."""
        last = self._events[-1] if self._events else None
        return last.hash if last is not None else digest(self.state)

    @property
    def _next_seq(self) -> int:
        return self._events[-1].seq + 1 if self._events else 1

    @property
    def _next_turn(self) -> int:
        return self._last_turn + 1

    def world(self, work: Work = work_here) -> World:
        """The outside as this session's tools see it, with heavy computing done by `work`."""
        return World(
            catalogue=self.catalogue,
            gazetteer=self.engine.gazetteer,
            artifacts=self.engine.artifacts(self.id, self._bytes),
            today=self.engine.clock(),
            catalogue_root=self.engine.catalogue_root,
            log=self._events,
            session=self.name,
            uploads=self.engine.uploads(self.row.owner),
            owner=self.row.owner if self.engine.served else None,
            reach=self.engine.reach,
            encode=encode_texts,
            chat=chat_address(),
            work=work,
            models=self.engine.home / "models",
            rendered=self.engine.rendered,
            knowledge=self.engine.home / "knowledge",
            reader=Reader(self.row.owner, self.id),
            workflows=procedures_of(self.engine.home, self.row.owner),
        )

    def columns(self) -> Mapping[str, Sequence[str]]:
        """The columns of its newest tables and layers, as many as a reader is shown, by their ids."""
        return columns_of(self.state.artifacts[-ARTIFACTS:], self.engine.artifacts(self.id).find)

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue as the session's owner sees it."""
        return self.engine.catalogue_for(self.row.owner)

    @property
    def toolbox(self) -> Toolbox:
        """Every tool that the session has: Azimuth's, and those of servers that its owner has added."""
        return self.engine.toolbox_for(self.row.owner)

    def _signed(self, tool: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with who calls and when, for a tool that keeps that: they then are on record."""
        if tool not in self.toolbox or not self.toolbox.get(tool).signed:
            return args
        given = {key: value for key, value in args.items() if value is not None}
        return {"by": reviewer(self.row.owner), "at": self._moment(), **given}

    def _moment(self) -> str:
        """Now in UTC, to the second; midnight where the clock stands still."""
        fixed = self.engine.today
        return f"{fixed.isoformat()}T00:00:00Z" if fixed is not None else f"{now()[:19]}Z"

    def _acts_outside(self, tool: str) -> bool:
        if tool not in self.toolbox:
            return False
        wanted = self.toolbox.get(tool)
        return wanted.external or wanted.long_running

    def _run(self, tool: str, args: Mapping[str, Any], source: str, turn: int | None, approved: bool) -> Made:
        """The next event, from one tool run on the present state."""
        # The number first: where something comes in meanwhile, it is taken, and the call is run again.
        seq, number, unchanged, before = self._next_seq, turn or self._next_turn, self.hash, self.state
        said = call_arguments(self.toolbox, tool, args)
        work = self.engine.work_for(Caller(self.id, number, seq, unchanged, tool, said, source))
        started = time.perf_counter()
        if turn is not None and not approved and asks_first(self.toolbox, tool, self._events):
            said_why = not_run(self.toolbox.get(tool))
            step = Step(before, said_why, {WAITS: True}, failed=True, outside=True)
        else:
            step = run_call(self.toolbox, before, self.world(work), tool, args)
        if self.engine.served:
            step = self.engine.mask.step(step)
        changed = step.state is not before
        event = Event(
            seq=seq,
            turn=number,
            kind="call",
            at=now(),
            text=step.observation,
            source=source,
            tool=tool,
            args=said,
            ok=not step.failed,
            outside=step.outside,
            data=dict(step.data),
            state=to_json(step.state) if changed else None,
            hash=digest(step.state) if changed else unchanged,
            seconds=round(time.perf_counter() - started, 6),
        )
        return event, step.state, step.session_name

    def _append_next(self, make: Callable[[], Made]) -> Event:
        """Store the event that `make` gives for the present, made again when somebody else came first."""
        with self._lock:
            for attempt in range(_MAX_CONFLICTS):
                event, after, name = make()
                try:
                    size = self._store(event, name)
                except Behind:
                    self.check_kept(always=True)
                    continue
                except Conflict:
                    self.refresh()
                    time.sleep(random.uniform(0, 0.002 * min(attempt, 20)))
                    continue
                self._take(event, size, after)
                return event
        raise Conflict(f"Session {self.id} is being written to from too many places at once.")

    def _store(self, event: Event, name: str | None) -> int:
        store, opened = self.engine.store, self._opened
        if name is None:
            return store.append(self.id, [event], opened=opened)
        size = store.append(self.id, [event], name=session_name(name), opened=opened)
        self.row = replace(self.row, name=session_name(name))
        return size

    def _take(self, event: Event, size: int, after: State | None = None) -> None:
        with self._taking:
            if event.seq < self._next_seq:
                return  # seen meanwhile by whoever refreshed
            self._events.append(event)
            self._bytes += size
            self._last_turn = max(self._last_turn, event.turn)
            self._fold.take(event, after)
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:  # the event is stored: whoever cannot hear of it stops nobody else
                _log.exception("a listener of session %s failed on event %s", self.id, event.seq)


def _mark(event: Event) -> tuple[int, str, str, str]:
    """What tells an event from another one of its number."""
    return event.seq, event.at, event.tool, event.hash


__all__ = ["Answer", "Session", "call_to_json", "reviewer"]
