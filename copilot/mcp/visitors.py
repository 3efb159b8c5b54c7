"""Who asks over MCP, and in which session: each client has one of its own, and opens no other person's.

A client is known by its token, and by its connection where the protocol has one. It may name another
session of the same person's; what it does not name goes on in the one that it used last.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from copilot.engine import Engine
from copilot.live import Live
from copilot.server.guard import LOCAL_OWNER
from copilot.session import Session
from state.store import UnknownSession
from tools.base import ToolError

KEPT = 1000
"""Clients of which it is remembered where they were."""
_NAME = "An MCP client's session"


@dataclass(frozen=True)
class Person:
    """Whoever asks."""

    owner: str
    """Whose sessions, uploads and data sets these are."""
    client: str
    """Which of the person's clients it is."""
    name: str = _NAME
    """What a session that is begun for it is called."""


@dataclass
class Visitors:
    """The sessions that clients are in. Safe to use from several threads."""

    engine: Engine
    opened: Callable[[str], Session]
    """A session of that id, one value for the whole process. Raises UnknownSession."""
    at_work: Callable[[str], bool] = lambda session_id: False
    """Whether somebody else's request runs in that session."""
    served: bool = True
    """Whether clients are strangers that come over the web."""
    _current: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _busy: set[str] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def of_app(cls, live: Live) -> Visitors:
        """Those of the app: in the sessions that its pages show."""
        return cls(live.engine, live.session, lambda session_id: live.running(session_id) is not None)

    @classmethod
    def of_process(cls, engine: Engine) -> Visitors:
        """The one on standard input: the user of this machine."""
        sessions: dict[str, Session] = {}

        def opened(session_id: str) -> Session:
            if session_id not in sessions:
                sessions[session_id] = Session.open(session_id, engine=engine)
            return sessions[session_id]

        return cls(engine, opened, served=False)

    def session(self, person: Person, named: str | None = None) -> Session:
        """The session that a person's client is in, or the one that it names. Raises UnknownSession."""
        with self._lock:
            wanted = named or self._current.get(person.client)
            if wanted is None:
                return self.begin(person)
            try:
                found = self._own(person, wanted)
            except UnknownSession:
                if named is not None:
                    raise
                return self.begin(person)  # the one that it was in was deleted
            self._be_in(person, found.id)
            return found

    def begin(self, person: Person) -> Session:
        """A new session of the person's, which the client is in from now on."""
        with self._lock:
            row = self.engine.store.create(person.owner, person.name)
            self._be_in(person, row.id)
            return self.opened(row.id)

    def look(self, person: Person, session_id: str) -> Session:
        """A session of the person's, without going there. Raises UnknownSession."""
        return self._own(person, session_id)

    @contextmanager
    def working(self, session: Session) -> Iterator[None]:
        """While one thing is done in a session. Raises ToolError where another one is."""
        with self._lock:
            if session.id in self._busy or self.at_work(session.id):
                raise ToolError("A request runs in this session; stop it, or wait for its answer.")
            self._busy.add(session.id)
        try:
            yield
        finally:
            with self._lock:
                self._busy.discard(session.id)

    def _own(self, person: Person, session_id: str) -> Session:
        found = self.opened(session_id)
        if found.row.owner not in (
            person.owner,
            LOCAL_OWNER,
        ):  # which the web opens too, for whoever knows the id
            raise UnknownSession(f"There is no session '{session_id}' here.")
        return found

    def _be_in(self, person: Person, session_id: str) -> None:
        self._current[person.client] = session_id
        self._current.move_to_end(person.client)
        while len(self._current) > KEPT:
            self._current.popitem(last=False)
