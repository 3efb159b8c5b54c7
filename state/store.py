"""Where sessions are kept: an append-only table of events, on SQLite by default, PostgreSQL by URL."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    exists,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from state.database import Database, StoreUnavailable
from state.log import Event

metadata = MetaData()
"""Every table of the store; state.jobs adds its own when it is first imported."""
_sessions = Table(
    "sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("parent", String(64)),
)
_events = Table(
    "events",
    metadata,
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),
)
_shares = Table(
    "shares",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("turn", Integer, nullable=False),
)
_settings = Table(
    "settings",
    metadata,
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("body", Text, nullable=False),
)


class Conflict(Exception):
    """Somebody else appended an event of that number first."""


class UnknownSession(Exception):
    """No session has that id."""


class Behind(Exception):
    """The store has less of a session, or another past of it, than whoever appends to it knows."""


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
        """`url`: "sqlite:///path", "sqlite://" (in memory) or "postgresql://…". Raises StoreUnavailable."""
        self._database = Database(url, metadata)

    @property
    def opened(self) -> int:
        """How often its database was opened: another number means that what was read may be gone from it."""
        return self._database.opened

    def create(self, owner: str, name: str, parent: str | None = None) -> SessionRow:
        """A new, empty session under an id that cannot be guessed."""
        at = now()
        row = SessionRow(secrets.token_hex(12), owner, name, at, at, parent)
        with self.writing() as connection:
            connection.execute(insert(_sessions).values(**asdict(row)))
        return row

    def sessions(self, owner: str | None = None) -> list[SessionRow]:
        """All sessions of that owner, the last used first."""
        query = select(_sessions).order_by(_sessions.c.updated_at.desc(), _sessions.c.id)
        if owner is not None:
            query = query.where(_sessions.c.owner == owner)
        with self.reading() as connection:
            return [SessionRow(**row) for row in connection.execute(query).mappings()]

    def session(self, session_id: str) -> SessionRow:
        """The session of that id. Raises UnknownSession."""
        with self.reading() as connection:
            row = connection.execute(select(_sessions).where(_sessions.c.id == session_id)).mappings().first()
        if row is None:
            raise _unknown(session_id)
        return SessionRow(**row)

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name. Raises UnknownSession."""
        with self.writing() as connection:
            done = connection.execute(update(_sessions).where(_sessions.c.id == session_id).values(name=name))
        if not done.rowcount:
            raise _unknown(session_id)

    def change_owner(self, owner: str, other: str) -> int:
        """Make one owner's sessions another's: of how many."""
        with self.writing() as connection:
            query = update(_sessions).where(_sessions.c.owner == owner).values(owner=other)
            return connection.execute(query).rowcount

    def settings(self, session_id: str) -> dict[str, Any]:
        """What was last set for that session: how it is worked with, no part of its state."""
        with self.reading() as connection:
            body = connection.scalar(select(_settings.c.body).where(_settings.c.session_id == session_id))
        found: dict[str, Any] = {} if body is None else json.loads(body)
        return found

    def set_settings(self, session_id: str, values: dict[str, Any]) -> None:
        """Keep these values, in place of what was set before. Raises UnknownSession, Conflict."""
        try:
            with self.writing() as connection:
                connection.execute(delete(_settings).where(_settings.c.session_id == session_id))
                connection.execute(insert(_settings).values(session_id=session_id, body=json.dumps(values)))
        except IntegrityError as error:
            self.session(session_id)
            raise Conflict(f"The settings of session {session_id} are being set by somebody else.") from error

    def remove(self, session_id: str) -> None:
        """Delete a session with its events, shares and settings."""
        with self.writing() as connection:
            connection.execute(delete(_sessions).where(_sessions.c.id == session_id))

    def append(
        self, session_id: str, events: Sequence[Event], name: str | None = None, *, opened: int | None = None
    ) -> int:
        """Add events at the end, and name the session where they do so: all or none. How many bytes they are.

        Raises Conflict when a number is taken, UnknownSession when there is no such session, Behind when the
        event before them is not there, or when the store is not the one of that number of `opened`.
        """
        bodies = [_body(each) for each in events]
        rows = [
            {"session_id": session_id, "seq": each.seq, "body": body}
            for each, body in zip(events, bodies, strict=True)
        ]
        if not rows:
            return 0
        changes = {"updated_at": now()} if name is None else {"updated_at": now(), "name": name}
        mine = _sessions.c.id == session_id
        if events[0].seq > 1:
            before = (_events.c.session_id == session_id) & (_events.c.seq == events[0].seq - 1)
            mine &= exists().where(before)
        try:
            with self.writing() as connection:
                if opened not in (None, self.opened):
                    raise Behind(f"The store of session {session_id} was opened again.")
                connection.execute(insert(_events), rows)
                if not connection.execute(update(_sessions).where(mine).values(changes)).rowcount:
                    raise Behind(f"Session {session_id} has no event {events[0].seq - 1}.")
        except IntegrityError as error:
            self.session(session_id)
            raise Conflict(f"Event {events[0].seq} of session {session_id} is already there.") from error
        return sum(map(len, bodies))

    def events(self, session_id: str, after: int = 0, limit: int | None = None) -> list[Event]:
        """The events of a session with a number above `after`, in order, the first `limit` of them."""
        return [event for event, _ in self.read(session_id, after, limit)]

    def read(self, session_id: str, after: int = 0, limit: int | None = None) -> list[tuple[Event, int]]:
        """As `events`, each with how many bytes it is."""
        query = (
            select(_events.c.body)
            .where(_events.c.session_id == session_id, _events.c.seq > after)
            .order_by(_events.c.seq)
            .limit(limit)
        )
        with self.reading() as connection:
            return [(Event(**json.loads(body)), len(body)) for (body,) in connection.execute(query)]

    def share(self, session_id: str, turn: int) -> str:
        """A token that lets others copy the session as it was after `turn`. Raises UnknownSession."""
        token = secrets.token_hex(12)
        try:
            with self.writing() as connection:
                connection.execute(insert(_shares).values(token=token, session_id=session_id, turn=turn))
        except IntegrityError as error:
            raise _unknown(session_id) from error
        return token

    def shared(self, token: str) -> tuple[str, int]:
        """(session id, turn) behind a share token. Raises UnknownSession."""
        with self.reading() as connection:
            row = connection.execute(select(_shares).where(_shares.c.token == token)).mappings().first()
        if row is None:
            raise UnknownSession("This share link is not known here, or its session was deleted.")
        return row["session_id"], row["turn"]

    def close(self) -> None:
        """Give back the connections."""
        self._database.close()

    def add_tables(self) -> None:
        """Create the tables that were declared since the store was opened. Raises StoreUnavailable."""
        self._database.add_tables()

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection whose changes are kept together at the end, or not at all. Raises StoreUnavailable."""
        return self._database.writing()

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection to read with. Raises StoreUnavailable."""
        return self._database.reading()


def _unknown(session_id: str) -> UnknownSession:
    return UnknownSession(f"There is no session '{session_id}'.")


def _body(each: Event) -> str:
    """The event as ASCII JSON, which any database takes, whatever characters the event has."""
    return json.dumps({key: value for key, value in vars(each).items() if value is not None}, allow_nan=False)


__all__ = [
    "Behind",
    "Conflict",
    "SessionRow",
    "Store",
    "StoreUnavailable",
    "UnknownSession",
    "metadata",
    "now",
]
