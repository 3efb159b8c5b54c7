"""Where sessions are kept: an append-only table of events, on SQLite by default, PostgreSQL by URL."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import StaticPool

from state.codec import canonical
from state.log import Event

_metadata = MetaData()
_sessions = Table(
    "sessions",
    _metadata,
    Column("id", String(64), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("parent", String(64)),
)
_events = Table(
    "events",
    _metadata,
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),
)
_shares = Table(
    "shares",
    _metadata,
    Column("token", String(64), primary_key=True),
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("turn", Integer, nullable=False),
)


class Conflict(Exception):
    """Somebody else appended an event of that number first."""


class UnknownSession(Exception):
    """No session has that id."""


@dataclass(frozen=True)
class SessionRow:
    """A session as the list shows it."""

    id: str
    owner: str
    name: str
    created_at: str
    updated_at: str
    parent: str | None


def now() -> str:
    """The time as it is written down: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """Sessions and their events. Safe to use from several threads and processes."""

    def __init__(self, url: str) -> None:
        """`url`: "sqlite:///path", "sqlite://" (in memory) or "postgresql://…"."""
        self._engine = _engine(url)
        _metadata.create_all(self._engine)

    def create(self, owner: str, name: str, parent: str | None = None) -> SessionRow:
        """A new, empty session under an id that cannot be guessed."""
        at = now()
        row = SessionRow(secrets.token_urlsafe(12), owner, name, at, at, parent)
        with self._engine.begin() as connection:
            connection.execute(insert(_sessions).values(**asdict(row)))
        return row

    def sessions(self, owner: str | None = None) -> list[SessionRow]:
        """All sessions of that owner, the last used first."""
        query = select(_sessions).order_by(_sessions.c.updated_at.desc(), _sessions.c.id)
        if owner is not None:
            query = query.where(_sessions.c.owner == owner)
        with self._engine.connect() as connection:
            return [SessionRow(**row) for row in connection.execute(query).mappings()]

    def session(self, session_id: str) -> SessionRow:
        """The session of that id. Raises UnknownSession."""
        with self._engine.connect() as connection:
            row = connection.execute(select(_sessions).where(_sessions.c.id == session_id)).mappings().first()
        if row is None:
            raise UnknownSession(f"There is no session '{session_id}'.")
        return SessionRow(**row)

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        with self._engine.begin() as connection:
            connection.execute(update(_sessions).where(_sessions.c.id == session_id).values(name=name))

    def remove(self, session_id: str) -> None:
        """Delete a session with its events and shares."""
        with self._engine.begin() as connection:
            connection.execute(delete(_sessions).where(_sessions.c.id == session_id))

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        """Add events at the end, all or none. Raises Conflict when a number is taken."""
        rows = [{"session_id": session_id, "seq": each.seq, "body": canonical(_body(each))} for each in events]
        if not rows:
            return
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(_events), rows)
                touch = update(_sessions).where(_sessions.c.id == session_id).values(updated_at=now())
                connection.execute(touch)
        except IntegrityError as error:
            self.session(session_id)
            raise Conflict(f"Event {events[0].seq} of session {session_id} is already there.") from error

    def events(self, session_id: str, after: int = 0) -> list[Event]:
        """The events of a session with a number above `after`, in order."""
        query = (
            select(_events.c.body)
            .where(_events.c.session_id == session_id, _events.c.seq > after)
            .order_by(_events.c.seq)
        )
        with self._engine.connect() as connection:
            return [Event(**json.loads(body)) for (body,) in connection.execute(query)]

    def share(self, session_id: str, turn: int) -> str:
        """A token that lets others copy the session as it was after `turn`."""
        token = secrets.token_urlsafe(12)
        with self._engine.begin() as connection:
            connection.execute(insert(_shares).values(token=token, session_id=session_id, turn=turn))
        return token

    def shared(self, token: str) -> tuple[str, int]:
        """(session id, turn) behind a share token. Raises UnknownSession."""
        with self._engine.connect() as connection:
            row = connection.execute(select(_shares).where(_shares.c.token == token)).mappings().first()
        if row is None:
            raise UnknownSession("This share link is not known here, or its session was deleted.")
        return row["session_id"], row["turn"]

    def close(self) -> None:
        """Give back the connections."""
        self._engine.dispose()


def _body(each: Event) -> dict[str, Any]:
    return {key: value for key, value in vars(each).items() if value is not None}


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    in_memory = parsed.database in (None, "", ":memory:")
    engine = (
        create_engine(parsed, connect_args={"check_same_thread": False}, poolclass=StaticPool)
        if in_memory
        else create_engine(parsed, connect_args={"timeout": 30})
    )
    event.listen(engine, "connect", _configure_sqlite)
    return engine


def _configure_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    # WAL: readers never wait for the writer, and a killed process loses no committed event.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
