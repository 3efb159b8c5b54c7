"""The desk of one process: it queues the jobs of its sessions, follows them, and keeps their rows."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from copilot.worker.folder import JobFolder
from copilot.worker.owner import this_process
from copilot.worker.places import Place, Running
from copilot.worker.task import TRIES, Outcome, packed
from data.fair import FairQueue
from state.jobs import Caller, Job, Jobs, JobState
from state.store import Store, StoreUnavailable, now
from tools.base import OutsideError

TICK_S = 0.1
"""How often a job is looked at."""
NOTE_S = 0.5
"""How often its row is written while it changes; with nothing new, every BEAT_S."""
BEAT_S = 2.0
NO_WORKER_S = 3.0
"""How long a job may take to begin until it says what it waits for."""
GRACE_S = 1.2
"""How long a job that was told to stop may take until its worker is ended."""
_log = logging.getLogger(__name__)

Heard = Callable[[Job], None]


class Doing:
    """One job that this process waits for."""

    def __init__(self, job: Job, folder: JobFolder) -> None:
        self.job, self.folder = job, folder
        self.stop = threading.Event()
        self.killed = False
        """Whether its worker was ended on purpose."""
        self.pardons = 0
        """How often its worker was ended because of another job."""


@dataclass
class Desk:
    """Runs the work of this process's sessions. Safe to use from several threads."""

    store: Store
    home: Path
    """Where the jobs' folders are; workers on other machines must see it under the same path."""
    open_place: Callable[[], Place]
    queue: FairQueue = field(default_factory=FairQueue)
    _doing: dict[str, Doing] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _listeners: list[Heard] = field(default_factory=list)
    _place: Place | None = None
    _left: bool = False
    _unwritten: list[Job] = field(default_factory=list)
    """Jobs that have ended and whose rows do not say so yet."""

    @cached_property
    def jobs(self) -> Jobs:
        """The rows."""
        return Jobs(self.store)

    @property
    def place(self) -> Place:
        """Where the jobs run, opened when the first one comes."""
        with self._lock:
            if self._place is None:
                self._place = self.open_place()
            return self._place

    def close(self) -> None:
        """Stop what runs, and give back the workers."""
        for each in self.doing():
            each.stop.set()
            each.folder.stop()
        with self._lock:
            place, self._place = self._place, None
        if place is not None:
            place.close()

    def leave(self) -> None:
        """End the workers with the process: what runs is found again by the next one."""
        self._left = True
        with self._lock:
            place, self._place = self._place, None
        if place is not None:
            place.close()

    # -- working -------------------------------------------------------------------------------

    def run(
        self, caller: Caller, title: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        """Run the function as a job, and wait for it: what it returns, or raises.

        Raises OutsideError in one sentence when it was stopped, its worker died twice or filled its memory,
        or the scheduler is gone; TypeError for a function that a worker cannot find.
        """
        payload = packed(function, args, kwargs)
        job = Job(**vars(caller), title=title, owner=this_process())
        doing = Doing(job, JobFolder(self.home / "jobs" / job.id))
        self.jobs.add(job)
        doing.folder.make(TRIES)
        with self._lock:
            self._doing[job.id] = doing
        self.queue.enter(job.session_id, job.id)
        state: JobState = "failed"
        try:
            self._tell(job)
            outcome = self._to_its_end(doing, payload, bool(getattr(function, "uses_gpu", False)))
            if outcome.how == "done" or self._was_stopped(doing, outcome):
                state = "done" if outcome.how == "done" else "cancelled"
            return self._result(doing, outcome)
        except KeyboardInterrupt:
            state = "cancelled"
            raise
        except Exception as error:
            job.say(str(error).split("\n", 1)[0])
            raise
        finally:
            self._end(doing, state)

    def _end(self, doing: Doing, state: JobState) -> None:
        job = doing.job
        doing.folder.stop()
        self.queue.leave(job.session_id, job.id)
        job.state, job.place, job.ended_at = state, 0, now()
        if state == "done":
            job.fraction = 1.0
            job.say("Done.")
        with self._lock:
            self._doing.pop(job.id, None)
            self._unwritten.append(job)
        doing.folder.remove()
        self._write_ends()
        self._tell(job)

    def _write_ends(self) -> None:
        """Write the rows of jobs that have ended; while the store is away they wait for it."""
        with self._lock:
            waiting, self._unwritten = self._unwritten, []
        for place, job in enumerate(waiting):
            try:
                self.jobs.note(job)
            except StoreUnavailable:
                with self._lock:
                    self._unwritten += waiting[place:]
                return

    def _to_its_end(self, doing: Doing, payload: bytes, gpu: bool) -> Outcome:
        if not self._wait_for_turn(doing):
            return Outcome("cancelled")
        job = doing.job
        job.state, job.began_at = "running", now()
        job.say("Starting.")
        self._note(doing)
        began = time.monotonic()
        for number in range(1, TRIES + 1):
            running = self.place.begin(f"{job.id}-{number}", doing.folder, payload, gpu)
            outcome = self._follow(doing, running, began)
            if outcome.how != "lost" or doing.stop.is_set() or getattr(self.place, "address", None):
                break
            # The cluster of this machine is gone, and its workers with it: the next one is a new one.
            job.say("The background worker was lost; it is started again.")
        if outcome.how == "lost":
            self.place.close()
        return outcome

    def _wait_for_turn(self, doing: Doing) -> bool:
        job = doing.job
        noted = time.monotonic()
        while self._left or not self.queue.turn(job.session_id, job.id, self.place.slots(), TICK_S):
            while self._left:
                time.sleep(1)
            if doing.stop.is_set():
                return False
            place = self.queue.place(job.id)
            if place != job.place or time.monotonic() - noted > BEAT_S:
                job.place, noted = place, time.monotonic()
                self._note(doing)
        return not doing.stop.is_set()

    def _follow(self, doing: Doing, running: Running, began: float) -> Outcome:
        """Relay what the job tells until it ends, is stopped, or has to be ended."""
        job, told_to_stop, noted = doing.job, 0.0, 0.0
        shown: tuple[float, str, int, int] | None = None
        while True:
            outcome = running.wait(TICK_S)
            while self._left:
                time.sleep(1)  # the process ends, and this thread with it: the row stays as it is
            job.seconds = round(time.monotonic() - began, 2)
            self._read(doing)
            if not job.tries and job.seconds > NO_WORKER_S:
                job.say("Waiting for a worker: the scheduler has none that is free.")
            if outcome is not None:
                return outcome
            if doing.stop.is_set() and not told_to_stop:
                told_to_stop = time.monotonic()
                doing.folder.stop()
            elif told_to_stop and time.monotonic() - told_to_stop > GRACE_S:
                return self._force(doing, running)
            seen = (job.fraction, job.sentence, job.found, job.tries)
            if time.monotonic() - noted >= (BEAT_S if seen == shown else NOTE_S):
                noted, shown = time.monotonic(), seen
                self._note(doing)

    def _read(self, doing: Doing) -> None:
        """Take over what the job has written."""
        job = doing.job
        starts = doing.folder.starts()
        if job.tries < len(starts) <= TRIES + doing.pardons:
            if job.tries:
                job.say("Its worker died; it is run again from its beginning.")
                job.fraction = 0.0
            job.tries = len(starts)
            job.worker = starts[-1].worker or f"process {starts[-1].pid}"
        told = doing.folder.told()
        if told is not None:
            job.fraction, job.found = told[0], told[2]
            job.say(told[1])

    def _force(self, doing: Doing, running: Running) -> Outcome:
        """End a job that does not hear; what else its worker did is run again, and not counted as a try."""
        doing.killed = running.kill()
        if doing.killed:
            for other in self.doing():
                if other is not doing and other.job.worker == doing.job.worker:
                    other.pardons += 1
                    other.folder.allow(TRIES + other.pardons)
        return Outcome("cancelled")

    def _result(self, doing: Doing, outcome: Outcome) -> Any:
        """What the outcome means for the call."""
        title = doing.job.title
        if outcome.how == "done":
            return outcome.value
        if self._was_stopped(doing, outcome):
            how = " Its worker had to be ended and is started again." if doing.killed else ""
            raise OutsideError(f"{title} was stopped; nothing was changed.{how}")
        if outcome.how == "raised":
            _log.info("job %s failed\n%s", doing.job.id, outcome.detail)
            raise outcome.value
        raise OutsideError(_SENTENCES[outcome.how].format(title=title, home=self.home, worker=outcome.detail))

    def _was_stopped(self, doing: Doing, outcome: Outcome) -> bool:
        return outcome.how == "cancelled" or (doing.stop.is_set() and outcome.how in ("lost", "died"))

    # -- stopping ------------------------------------------------------------------------------

    def cancel(self, job_id: str) -> bool:
        """Stop a job of this process at once, or ask the process that waits for it; False when none does."""
        with self._lock:
            mine = self._doing.get(job_id)
        if mine is None:
            return self.jobs.ask_to_stop(job_id)
        mine.stop.set()
        return True

    def cancel_session(self, session_id: str) -> bool:
        """Stop what this process does for that session; False when it does nothing."""
        doing = self.doing(session_id)
        for each in doing:
            each.stop.set()
        return bool(doing)

    # -- telling -------------------------------------------------------------------------------

    def doing(self, session_id: str | None = None) -> tuple[Doing, ...]:
        """The jobs that this process waits for, the oldest first."""
        with self._lock:
            all_of_them = tuple(self._doing.values())
        return tuple(each for each in all_of_them if session_id in (None, each.job.session_id))

    def shown(self, session_id: str) -> tuple[Job, ...]:
        """How those of that session stand, as copies."""
        return tuple(replace(each.job) for each in self.doing(session_id))

    def found(self, job_id: str, after: int = 0) -> list[dict[str, Any]]:
        """The features that a running job has shown, without the first `after`; none when it has ended."""
        with self._lock:
            mine = self._doing.get(job_id)
        return [] if mine is None else mine.folder.found(after)

    def listen(self, listener: Heard) -> None:
        """Be told whenever a job of this process has changed. The listener must not block."""
        self._listeners.append(listener)

    def unlisten(self, listener: Heard) -> None:
        """Tell that listener no more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _note(self, doing: Doing) -> None:
        """Write the row; a job that somebody else asked to stop, or whose session is gone, stops."""
        try:
            if not self.jobs.note(doing.job):
                doing.stop.set()
            self._write_ends()
        except StoreUnavailable:
            _log.warning("the row of job %s waits for the store", doing.job.id)  # the work goes on
        self._tell(doing.job)

    def _tell(self, job: Job) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(job)
            except Exception:
                _log.exception("a listener failed on job %s", job.id)


_SENTENCES = {
    "memory": (
        "{title} needs more memory than the worker has, and nothing was changed; the image is too large for "
        "it: cut out a part, lower its resolution, or give the worker more with COPILOT_WORKER_MEMORY."
    ),
    "died": "{title} was given up: its worker died twice in the middle of it, and nothing was changed.",
    "blind": (
        "{title} could not begin: the worker at {worker} does not see the folder {home}; "
        "share it with the workers under the same path."
    ),
    "lost": (
        "{title} was cut off: the Dask scheduler stopped answering; nothing was changed, and the call can be "
        "made again once it runs."
    ),
}
