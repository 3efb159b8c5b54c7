"""The sessions that this process has open, and the turns that run in it.

A turn runs in a thread of its own, not in a page's script: a reload, a second tab or a click never
kills it. Whoever shows a session subscribes to it and reads its events.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from copilot.bounds import SessionFull, too_much
from copilot.engine import Engine, default_engine
from copilot.session import Session
from copilot.settings import settings_of
from copilot.view.jobs import shown_job
from copilot.worker.recovery import RESTART, drop_parts, is_safe_again, left_behind
from data.apart.pool import pool as readers
from data.catalogue.base import CatalogueError
from state.jobs import Job
from state.log import Event, Outcome
from state.model import State
from state.store import StoreUnavailable, UnknownSession

KEPT_SESSIONS = 64
"""Open sessions beyond this number are closed, the least used first; their events are in the store."""
_STORE_S = 5.0
"""How often a store that is away is asked for at the start."""
_NOBODY_COMES_S = 10.0
_BROWSER_DRAWS_S = 2.0

_log = logging.getLogger(__name__)


class Refused(Exception):
    """A request that is not run, in one sentence for the user."""


@dataclass
class _Running:
    """A turn that runs."""

    request: str
    stop: threading.Event = field(default_factory=threading.Event)
    turn: int | None = None


class Live:
    """Open sessions by id, shared by the pages and the routes. Safe to use from several threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        engine.served = True  # whoever comes here comes over the web
        self._lock = threading.RLock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._running: dict[str, _Running] = {}
        self._problems: dict[str, str] = {}
        self._listeners: dict[str, list[Callable[[], None]]] = {}
        self._follows = False
        self.drawn = threading.Event()
        """Set once a page has been drawn."""

    def session(self, session_id: str) -> Session:
        """The one open session of that id. Raises state.store.UnknownSession."""
        with self._lock:
            self._follow_jobs()
            found = self._sessions.get(session_id)
            if found is None:
                found = Session.open(session_id, engine=self.engine)
                found.listen(partial(self._heard, session_id))
                self._sessions[session_id] = found
                self._close_unused()
            self._sessions.move_to_end(session_id)
        try:
            found.check_kept()
        except UnknownSession:
            with self._lock:
                self._sessions.pop(session_id, None)
            raise
        return found

    def create(self, owner: str, name: str = "Untitled session") -> Session:
        """A new session of that owner."""
        row = self.engine.store.create(owner, name)
        return self.session(row.id)

    def delete(self, session_id: str) -> None:
        """Stop what runs in a session, and delete it."""
        self.stop(session_id)
        with self._lock:
            self._sessions.pop(session_id, None)
        self.engine.remove_session(session_id)

    def ask(self, session_id: str, request: str) -> None:
        """Start a turn. Raises Refused for an empty or huge request, or while another turn runs."""
        text = request.strip()
        if not text:
            raise Refused("The request is empty; write what you would like to see.")
        if (sentence := too_much(text)) is not None:
            raise Refused(sentence)
        session = self.session(session_id)
        with self._lock:
            if session_id in self._running:
                raise Refused("A request is still running in this session. Stop it, or wait for its answer.")
            running = _Running(text)
            self._running[session_id] = running
            self._problems.pop(session_id, None)
        thread = threading.Thread(
            target=self._run, args=(session, running), name=f"turn-{session_id[:6]}", daemon=True
        )
        thread.start()

    def call(self, session_id: str, tool: str, args: Mapping[str, Any]) -> None:
        """Start one call for the page, in a thread like a turn's. Raises Refused while another one runs."""
        session = self.session(session_id)
        self._start(session, tool, lambda: session.call_tool(tool, args, source="page"))

    def work(self, session_id: str, title: str, work: Callable[[threading.Event], object]) -> None:
        """Start work of several calls for the page; what it is given is set when it is to stop.

        Raises Refused.
        """
        stop = threading.Event()
        self._start(self.session(session_id), title, lambda: work(stop), stop)

    def _start(
        self, session: Session, title: str, work: Callable[[], object], stop: threading.Event | None = None
    ) -> None:
        with self._lock:
            if session.id in self._running:
                raise Refused("A request is still running in this session. Stop it, or wait for its answer.")
            running = _Running(title, stop or threading.Event())
            self._running[session.id] = running
            self._problems.pop(session.id, None)
        threading.Thread(
            target=self._call, args=(session, running, work), name=f"call-{session.id[:6]}", daemon=True
        ).start()

    def stop(self, session_id: str) -> bool:
        """Ask the running turn and its job to stop; False when none runs."""
        with self._lock:
            running = self._running.get(session_id)
        if running is not None:
            running.stop.set()
            self._tell(session_id)
        from copilot.workflows import following

        ended = [readers.stop(session_id), following.stop(session_id)]
        return self.engine.desk.cancel_session(session_id) or any(ended) or running is not None

    def running(self, session_id: str) -> str | None:
        """The request that runs in that session; None when none does."""
        with self._lock:
            found = self._running.get(session_id)
        return None if found is None else found.request

    def stopping(self, session_id: str) -> bool:
        """Whether what runs in that session was asked to stop and has not ended yet."""
        with self._lock:
            found = self._running.get(session_id)
        return found is not None and found.stop.is_set()

    def problem(self, session_id: str) -> str | None:
        """Why the last request could not even start, in one sentence."""
        return self._problems.get(session_id)

    def keep_problem(self, session_id: str, error: Exception) -> None:
        """Have the page say what went wrong while nobody asked for anything."""
        self._problems[session_id] = _sentence(error)

    def version(self, session_id: str) -> str:
        """What changes whenever there is something new to show."""
        session = self.session(session_id)
        running = "+" if self.running(session_id) is not None else ""
        stopping = "!" if self.stopping(session_id) else ""
        job = "*" if self.engine.desk.doing(session_id) else ""
        return f"{len(session.events)}{running}{stopping}{job}"

    def job(self, session_id: str) -> dict[str, Any] | None:
        """The job that the session waits for, as the page shows it."""
        return shown_job(self.engine.desk.shown(session_id))

    def take_up(self) -> None:
        """Find the jobs that a killed process left, and make again what is safe to make again.

        A turn that was cut off then gets its end; whatever else was cut off waits on the Jobs panel.
        """
        for job in self._left_behind():
            try:
                session = self.session(job.session_id)
                drop_parts(self.engine.desk, job.session_id, self.engine.artifacts(job.session_id).folder)
                if is_safe_again(job, session):
                    self._start(session, job.tool, partial(self._make_again, session, job))
            except (UnknownSession, Refused):
                continue  # deleted meanwhile, or somebody is at work there again

    def _left_behind(self) -> list[Job]:
        """Those jobs, as soon as the store can be asked."""
        while True:
            try:
                return left_behind(self.engine.desk)
            except StoreUnavailable:
                time.sleep(_STORE_S)

    def _make_again(self, session: Session, job: Job) -> None:
        event = session.call_tool(job.tool, job.args, source=RESTART, turn=job.turn)
        cut = next((each for each in session.turns if each.number == job.turn), None)
        if cut is None or not cut.interrupted:
            return
        outcome: Outcome = "done" if event.ok else "failed"
        said = f"Azimuth was closed in the middle of this, and has run {job.tool} again. {event.text}"
        session.end(job.turn, f"{said} Ask again for whatever was still to come.", outcome, event.seconds)

    def _follow_jobs(self) -> None:
        """Pass on what the jobs tell, from the first session on."""
        if not self._follows:
            self._follows = True
            self.engine.desk.listen(lambda job: self._tell(job.session_id))

    def subscribe(self, session_id: str, listener: Callable[[], None]) -> Callable[[], None]:
        """Be told that something changed; the result stops it. The listener must not block."""
        with self._lock:
            self._listeners.setdefault(session_id, []).append(listener)

        def leave() -> None:
            with self._lock:
                self._listeners[session_id].remove(listener)

        return leave

    def warm_up(self) -> None:
        """Load what the first request would wait for: outlines, catalogue, gazetteer, the planner.

        It takes a core for a second or two, so it lets a browser that is there draw its first page before.
        """
        from copilot.models import EMBEDDED, chat_model, configured_model
        from copilot.view.basemap import cities_in

        if self.drawn.wait(_NOBODY_COMES_S):
            time.sleep(_BROWSER_DRAWS_S)
        try:
            import plotly.graph_objects  # noqa: F401

            self.engine.catalogue.datasets()
            cities_in((-1.0, -1.0, 1.0, 1.0), 5)
            if configured_model() == EMBEDDED:
                aside = Engine.in_memory_like(self.engine)
                model = chat_model(EMBEDDED, self.engine)
                Session.open(engine=aside).ask(
                    "load everything around Paris from 2019 and draw a heat map", model=model
                )
            else:
                # What picks the tools that a served model is shown; the server itself is asked nothing.
                from copilot.retrieval import shown_tools

                shown_tools("load everything around Paris from 2019", State())
            if self.engine.background:
                self.engine.desk.place.slots()  # which starts the worker
        except Exception:
            # Whoever needs the part meets the same error, with a sentence for it.
            _log.exception("warming up failed")
        # Streamlit looks for garbage in all that there is after every run of a page, which takes longer than
        # the run. What is loaded by now stays until the end, and need not be looked through again.
        gc.collect()
        gc.freeze()

    def _run(self, session: Session, running: _Running) -> None:
        try:
            with_what = settings_of(self.engine.store, session.id)
            stream = session.stream(
                running.request, agent=with_what.agent, shots=with_what.shots, stop=running.stop
            )
            for _ in stream:
                pass
        except Exception as error:
            # Before a turn begins, nothing is on record: the sentence is kept here, the traceback in the log.
            _log.exception("a turn of session %s could not run", session.id)
            self._problems[session.id] = _sentence(error)
        finally:
            self._ended(session.id, running)

    def _call(self, session: Session, running: _Running, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            _log.exception("a call of session %s could not run", session.id)
            self._problems[session.id] = _sentence(error)
        finally:
            self._ended(session.id, running)

    def _heard(self, session_id: str, event: Event) -> None:
        """Tell of an event. A reply ends its turn: whoever sees it may ask for the next thing at once."""
        with self._lock:
            running = self._running.get(session_id)
            if event.kind == "reply" and running is not None and event.turn == running.turn:
                del self._running[session_id]
            elif event.kind == "request" and running is not None and running.turn is None:
                running.turn = event.turn
        self._tell(session_id)

    def _ended(self, session_id: str, running: _Running) -> None:
        with self._lock:
            if self._running.get(session_id) is not running:
                return  # its reply has ended it, and was told of
            del self._running[session_id]
        self._tell(session_id)

    def _tell(self, session_id: str) -> None:
        with self._lock:
            listeners = tuple(self._listeners.get(session_id, ()))
        for listener in listeners:
            listener()

    def _close_unused(self) -> None:
        for session_id in list(self._sessions):
            if len(self._sessions) <= KEPT_SESSIONS:
                return
            if session_id not in self._running and not self._listeners.get(session_id):
                del self._sessions[session_id]


def own_words(error: Exception) -> str | None:
    """The sentence of an error that is written for whoever uses Azimuth; None for any other."""
    from copilot.models import ModelNotConfigured

    if isinstance(error, StoreUnavailable):
        return error.public
    return str(error) if isinstance(error, (ModelNotConfigured, CatalogueError, SessionFull)) else None


def _sentence(error: Exception) -> str:
    return own_words(error) or _NOT_STARTED


_NOT_STARTED = "The request could not be started; nothing was lost, and the log has the details. Try again."


@cache
def live() -> Live:
    """The open sessions of this process."""
    return Live(default_engine())
