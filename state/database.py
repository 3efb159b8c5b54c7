"""The database of a store: opened, watched, and opened again where it went away; its errors as one sentence.

What is committed is only acknowledged while the file that was committed to is the one that others will open.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.pool import StaticPool

from state.sqlite_file import HeldFile, make_private

_ATTEMPTS = 3
_DRAINED_S = 20.0
"""How long those who are at work on a database that went away may take to find that out."""
_DAMAGE = ("malformed", "not a database", "encrypted")
"""What SQLite calls a file that it cannot read as a database."""
_WHY = {
    "locked": "another program keeps it locked",
    "full": "its disk is full",
    "no space": "its disk is full",
    "readonly": "it can only be read",
    "read-only": "it can only be read",
    "too busy": "too much goes on at once",
    "unable to open": "its file cannot be opened",
    "i/o error": "its disk fails",
    "no such table": "its tables are gone",
}
_BUSY_S = 30.0
"""How long somebody else who writes to the same file is waited for."""
_ANSWER_S = 10
"""How long a server may take to answer."""
_log = logging.getLogger(__name__)


class StoreUnavailable(Exception):
    """The store cannot be used now: a wrong address, or a server, a file or a disk that refuses."""

    def __init__(self, sentence: str, public: str | None = None) -> None:
        super().__init__(sentence)
        self.public = public or sentence
        """The same for somebody who is not to know where the store is."""


class Database:
    """Connections to a store's database. Safe to use from several threads."""

    def __init__(self, url: str, metadata: MetaData) -> None:
        """`url`: "sqlite:///path", "sqlite://" (in memory) or "postgresql://…". Raises StoreUnavailable."""
        self._metadata = metadata
        self._path = _path_of(url)
        self._engine = self._engine_for(url)
        # An in-memory store has one connection: two threads at once would share a transaction.
        in_memory = isinstance(self._engine.pool, StaticPool)
        self._turn = threading.RLock() if in_memory else nullcontext()
        self._gate = threading.Condition()
        self._at_work = 0
        self._held: HeldFile | None = None
        self.opened = 0
        """How often it has been opened: another number means that what was read before may be gone."""
        with self._gate:
            self._open()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose changes are kept together at the end, or not at all. Raises StoreUnavailable."""
        with self._turn, self._entered(), self._telling(), self._engine.connect() as connection:
            with connection.begin():
                yield connection
            if self._held is not None and not self._held.is_the_same:
                self._check_kept(connection, self._held)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with. Raises StoreUnavailable."""
        with self._turn, self._entered(), self._telling(), self._engine.connect() as connection:
            yield connection

    def add_tables(self) -> None:
        """Create the tables that were declared since it was opened. Raises StoreUnavailable."""
        with self._turn, self._entered():
            self._create_tables()

    def close(self) -> None:
        """Give back the connections."""
        with self._gate:
            if self._held is not None:
                self._held.let_go()
            self._shut()

    # -- opening ------------------------------------------------------------------------------

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """While it is used nobody opens it anew."""
        with self._gate:
            if self._path is not None and (self._held is None or not self._held.is_the_same):
                self._open_again()
            self._at_work += 1
        try:
            yield
        finally:
            with self._gate:
                self._at_work -= 1
                self._gate.notify_all()

    def _open_again(self) -> None:
        """Open what is at the path now, once nobody uses what was there. Raises StoreUnavailable."""
        # Connections of one process share what they know of a file: a new one beside an old would go wrong.
        if not self._gate.wait_for(lambda: self._at_work == 0, _DRAINED_S):
            raise StoreUnavailable(f"{self._gone()} Calls are still at work on it; try again in a moment.")
        held = self._held
        if held is not None:
            if held.is_the_same:
                return  # somebody else was first
            _log.warning(
                "the session store at %s is not the file that was opened; opening it again", self._path
            )
            if held.can_take_its_log_in:
                self._take_log_in()
            self._shut()
        if self._path is not None and not self._path.is_file():
            # A new one in its place would pass for all that there is, and be in the way of what is put back.
            raise StoreUnavailable(
                f"The session store {self._name()} is gone: it was moved or deleted. Put it back, or start "
                "Azimuth again to begin with an empty one."
            )
        self._open()

    def _open(self) -> None:
        if self._path is not None:
            try:
                make_private(self._path)
            except OSError as error:
                raise self._unopened(error.strerror or str(error)) from error
        self._create_tables()
        if self._path is not None:
            try:
                with self._engine.connect() as connection:
                    connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
                    self._held = HeldFile.hold(self._path)
            except (OSError, DBAPIError) as error:
                self._shut()
                raise self._unopened(_reason(error)) from error
            make_private(self._path)
        self.opened += 1

    def _shut(self) -> None:
        self._engine.dispose()
        if self._held is not None:
            self._held.close()
            self._held = None

    def _create_tables(self) -> None:
        """Create the tables where they are not there; another process may do so at the same moment."""
        for attempt in range(_ATTEMPTS):
            try:
                self._metadata.create_all(self._engine)
                return
            except (DBAPIError, OSError, NoConnection) as error:
                if attempt == _ATTEMPTS - 1:
                    self._engine.dispose()
                    raise self._unopened(_reason(error)) from error
                time.sleep(0.05 * (attempt + 1))

    # -- what went wrong ----------------------------------------------------------------------

    def _check_kept(self, connection: Connection, held: HeldFile) -> None:
        """Raise StoreUnavailable unless what was just committed is in the database that others will open."""
        if held.can_take_its_log_in and self._took_in(connection) and held.is_whole_without_its_log:
            return
        raise StoreUnavailable(f"{self._gone()} What was just done is not kept; do it again.")

    def _take_log_in(self) -> None:
        try:
            with self._engine.connect() as connection:
                self._took_in(connection)
        except (DBAPIError, OSError, NoConnection):
            _log.exception("the log of %s could not be taken in", self._path)

    def _took_in(self, connection: Connection) -> bool:
        """Write what the log has into the database that this connection has open, and empty the log."""
        row = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").first()
        connection.rollback()
        return row is not None and row[0] == 0

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What the database or its disk refuses as one sentence; a broken rule of the tables as it is."""
        try:
            yield
        except IntegrityError:
            raise
        except (OperationalError, InterfaceError, NoConnection, OSError) as error:
            _log.warning("the session store at %s cannot be used: %s", self._address(), _reason(error))
            raise StoreUnavailable(
                f"The session store {self._name()} cannot be used now: {_why(error)}. Nothing was changed; "
                "try again once that is over."
            ) from error
        except DBAPIError as error:
            if not any(each in str(error.orig) for each in _DAMAGE):
                raise
            _log.error("the session store at %s is damaged: %s", self._address(), _reason(error))
            raise StoreUnavailable(
                f"The session store {self._name()} is damaged; put a backup in its place."
            ) from error

    def _unopened(self, reason: str) -> StoreUnavailable:
        _log.warning("the session store at %s cannot be opened: %s", self._address(), reason)
        return StoreUnavailable(
            f"The session store at {self._address()} cannot be opened: {reason}.",
            "The session store cannot be opened now; whoever runs Azimuth finds the reason in its log.",
        )

    def _gone(self) -> str:
        return (
            f"The session store {self._name()} or its log is not the file that Azimuth opened: "
            "it was moved, deleted or replaced."
        )

    def _name(self) -> str:
        """What the store is called where its place is nobody's business."""
        return "on PostgreSQL" if self._path is None else self._path.name

    def _address(self) -> str:
        return self._engine.url.render_as_string(hide_password=True)

    # -- engines ------------------------------------------------------------------------------

    def _engine_for(self, url: str) -> Engine:
        try:
            parsed = make_url(url)
            if parsed.get_backend_name() == "postgresql":
                wait = {"connect_timeout": _ANSWER_S}
                named = parsed.set(drivername="postgresql+psycopg")
                return create_engine(named, pool_pre_ping=True, connect_args=wait)
            if parsed.get_backend_name() != "sqlite":
                raise ArgumentError("neither SQLite nor PostgreSQL")
        except (ArgumentError, NoSuchModuleError) as error:
            raise StoreUnavailable(
                "The session store's address is not one of sqlite:///path/to/file.db and "
                "postgresql://user@host/database."
            ) from error
        in_memory = parsed.database in (None, "", ":memory:")
        engine = (
            create_engine(parsed, connect_args={"check_same_thread": False}, poolclass=StaticPool)
            if in_memory
            else create_engine(parsed, connect_args={"timeout": _BUSY_S})
        )
        event.listen(engine, "connect", self._configure_sqlite)
        return engine

    def _configure_sqlite(self, connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        # WAL: readers never wait for the writer, and a killed process loses no committed event.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()
        if self._held is not None and not self._held.is_the_same:
            connection.close()
            raise OSError(f"{self._path} is not the file that was opened")


def _path_of(url: str) -> Path | None:
    """The file of an SQLite database; None for one in memory, on a server, or named by a URI."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    name = parsed.database if parsed.drivername.startswith("sqlite") else None
    return None if name in (None, "", ":memory:") or name.startswith("file:") else Path(name)


def _why(error: BaseException) -> str:
    """Why, in plain words."""
    reason = _reason(error).lower()
    return next((said for part, said in _WHY.items() if part in reason), "it does not answer")


def _reason(error: BaseException) -> str:
    """Why, in the words of the database or the system, on one line."""
    if isinstance(error, NoConnection):
        return "it is too busy"
    orig = error.orig if isinstance(error, DBAPIError) else error
    text = getattr(orig, "strerror", None) or str(orig)
    return " ".join(text.strip().split("\n", 1)[0].split()).rstrip(".") or "it does not answer"
