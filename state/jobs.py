"""Jobs: the long work of sessions' calls, one row each in the session store."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from sqlalchemy import Column, Float, ForeignKey, Integer, String, Table, Text, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from state.store import Store, UnknownSession, metadata, now

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
LIVE: tuple[JobState, ...] = ("queued", "running")
KEPT_LINES = 100
"""How many lines of a job's log are kept, the last ones."""
KEPT_JOBS = 200
"""How many finished jobs of a session are kept, the last ones."""

_jobs = Table(
    "jobs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("turn", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("tool", String(100), nullable=False),
    Column("args", Text, nullable=False),
    Column("source", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("owner", String(128), nullable=False),
    Column("queued_at", String(32), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("place", Integer, nullable=False),
    Column("fraction", Float, nullable=False),
    Column("sentence", Text, nullable=False),
    Column("log", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("worker", String(200), nullable=False),
    Column("began_at", String(32), nullable=False),
    Column("ended_at", String(32), nullable=False),
    Column("found", Integer, nullable=False),
    Column("beat", String(32), nullable=False),
    Column("stop", Integer, nullable=False),
)
_AS_JSON = ("args", "log")


@dataclass(frozen=True)
class Caller:
    """The call that a job belongs to: what is needed to make it again."""

    session_id: str
    turn: int
    seq: int
    """The number that the call's event would get: nothing has happened since while it is still free."""
    hash: str
    """The hash of the state that the call was made on."""
    tool: str
    args: dict[str, Any]
    source: str


@dataclass
class Job:
    """One job, as its row shows it. Times are ISO 8601 UTC, empty until they come."""

    session_id: str
    turn: int
    seq: int
    hash: str
    tool: str
    args: dict[str, Any]
    source: str
    title: str
    owner: str
    """The process that waits for it."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    queued_at: str = field(default_factory=now)
    state: JobState = "queued"
    place: int = 0
    """How many jobs are served before it, while it is queued."""
    fraction: float = 0.0
    sentence: str = ""
    log: list[list[str]] = field(default_factory=list)
    """[time, sentence], the oldest first, the last KEPT_LINES."""
    seconds: float = 0.0
    """How long it ran, without the time in the queue."""
    tries: int = 0
    worker: str = ""
    began_at: str = ""
    ended_at: str = ""
    found: int = 0
    """How many features it has shown so far."""
    beat: str = field(default_factory=now)
    """When its owner was last known to be alive."""
    stop: int = 0
    """1 once somebody asked for it to stop."""

    @property
    def live(self) -> bool:
        """Whether it waits or runs."""
        return self.state in LIVE

    def say(self, sentence: str) -> None:
        """Make this its sentence, and keep it in the log."""
        if sentence and sentence != self.sentence:
            self.sentence = sentence
            self.log.append([now(), sentence])
            del self.log[:-KEPT_LINES]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


_NAMES = tuple(each.name for each in fields(Job))
_CHANGING: tuple[str, ...] = (
    *("state", "place", "fraction", "sentence", "log", "seconds", "tries", "worker"),
    *("began_at", "ended_at", "found"),
)


class Jobs:
    """The jobs of a store. Safe to use from several threads and processes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.add_tables()

    def add(self, job: Job) -> None:
        """Keep a new job; the oldest finished ones of its session beyond KEPT_JOBS are dropped.

        Raises UnknownSession.
        """
        old = (
            select(_jobs.c.id)
            .where(_jobs.c.session_id == job.session_id, _jobs.c.state.not_in(LIVE))
            .order_by(_jobs.c.queued_at.desc())
            .offset(KEPT_JOBS)
        )
        try:
            with self._store.writing() as connection:
                connection.execute(insert(_jobs).values(_row(job, _NAMES)))
                dropped = list(connection.scalars(old))
                if dropped:
                    connection.execute(delete(_jobs).where(_jobs.c.id.in_(dropped)))
        except IntegrityError as error:
            raise UnknownSession(f"There is no session '{job.session_id}'.") from error

    def note(self, job: Job) -> bool:
        """Keep how a job stands, by its owner; whether it is to go on.

        It is not where its row is gone, somebody else has taken it over, or somebody asked for it to stop.
        """
        job.beat = now()
        mine = (_jobs.c.id == job.id) & (_jobs.c.owner == job.owner)
        with self._store.writing() as connection:
            done = connection.execute(update(_jobs).where(mine).values(_row(job, (*_CHANGING, "beat"))))
            asked = connection.scalar(select(_jobs.c.stop).where(_jobs.c.id == job.id))
        job.stop = int(asked or 0)
        return bool(done.rowcount) and not job.stop

    def get(self, job_id: str) -> Job | None:
        """The job of that id."""
        return next(iter(self._read(_jobs.c.id == job_id)), None)

    def of(self, session_id: str, limit: int = 50) -> list[Job]:
        """The last jobs of a session, the newest first."""
        return self._read(_jobs.c.session_id == session_id, limit=limit)

    def all(self, limit: int = 50) -> list[Job]:
        """The last jobs of every session, the newest first."""
        return self._read(limit=limit)

    def live(self) -> list[Job]:
        """Those that wait or run, whoever owns them."""
        return self._read(_jobs.c.state.in_(LIVE))

    def ask_to_stop(self, job_id: str) -> bool:
        """Ask whoever owns it to stop a job; False when it does not wait or run."""
        wanted = (_jobs.c.id == job_id) & _jobs.c.state.in_(LIVE)
        with self._store.writing() as connection:
            return bool(connection.execute(update(_jobs).where(wanted).values(stop=1)).rowcount)

    def take_over(self, job: Job, owner: str) -> bool:
        """Become the owner of a job whose own is gone; False when somebody else was first, or it is not gone.

        The job is then as this owner closes it.
        """
        same = (_jobs.c.id == job.id) & (_jobs.c.owner == job.owner) & (_jobs.c.beat == job.beat)
        changed = {"owner": owner, "beat": now()}
        with self._store.writing() as connection:
            taken = connection.execute(update(_jobs).where(same & _jobs.c.state.in_(LIVE)).values(changed))
        if not taken.rowcount:
            return False
        job.owner, job.beat = owner, changed["beat"]
        return True

    def _read(self, *conditions: Any, limit: int | None = None) -> list[Job]:
        query = select(_jobs).where(*conditions).order_by(_jobs.c.queued_at.desc(), _jobs.c.id)
        with self._store.reading() as connection:
            rows: Sequence[Any] = connection.execute(query.limit(limit)).mappings().all()
        return [
            Job(**{name: json.loads(row[name]) if name in _AS_JSON else row[name] for name in _NAMES})
            for row in rows
        ]


def _row(job: Job, names: Sequence[str]) -> dict[str, Any]:
    plain = {name: getattr(job, name) for name in names}
    return {name: json.dumps(value) if name in _AS_JSON else value for name, value in plain.items()}
