"""One run: chunks of tasks to Dask's workers, finished chunks to disk, a stop at a limit."""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from copilot.bench.run.limits import Limits
from copilot.bench.run.store import Progress, Run, Settings
from copilot.bench.run.tasks import TaskSet
from copilot.bench.run.work import Work, run_chunk
from copilot.models import EMBEDDED

if TYPE_CHECKING:
    from distributed import Client, Future

Told = Callable[[Progress], None]
PACKAGES = ("copilot", "tools", "state", "data")
SCHEDULER_SECONDS = 20
"""How long a scheduler may take to answer."""
_ROOT = Path(__file__).resolve().parents[3]


class RunFailed(Exception):
    """The workers or the model are gone, in one sentence; what was finished is on disk."""


@cache
def code_stamp() -> str:
    """What the code is that answers: a run is not gone on with by other code unnoticed."""
    found = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((_ROOT / package).rglob("*.*")):
            if path.suffix == ".pyc" or not path.is_file():
                continue
            found.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:12]


def chunk_size(model: str, total: int) -> int:
    """Tasks that a worker takes at a time: few where each costs money, and never so many that one waits."""
    return 4 if model != EMBEDDED else max(1, min(25, total // 8))


def carry_on(
    run: Run,
    tasks: TaskSet,
    *,
    jobs: int,
    scheduler: str | None = None,
    limits: Limits | None = None,
    tell: Told = lambda progress: None,
) -> Progress:
    """Run every task that has no result yet. Raises RunFailed.

    A chunk's results are on disk before they are counted; a killed run begins again at the first chunk
    that is not there. A chunk in which the model answered nothing ends the run and is not kept: its server
    is down, or refuses us, and says nothing of what the model can do.
    """
    settings = run.settings
    progress = _counted(run)
    before, started = progress.seconds, time.monotonic()
    progress.pid, progress.stopped = os.getpid(), ""

    def note(rows: list[dict[str, Any]]) -> None:
        progress.add(rows)
        progress.seconds = round(before + time.monotonic() - started, 3)
        run.note(progress)
        tell(progress)

    note([])
    try:
        done = run.parts()
        chunks = range(-(-len(tasks.tasks) // settings.chunk))
        left = [number for number in chunks if number not in done]
        if left and not (limits or Limits()).reached(progress):
            with _interruptible() as interrupts, _client(jobs, scheduler) as client:
                sent = partial(_submitted, client, tasks, settings, interrupts)
                for number, rows in _results(client, left, sent, progress, limits or Limits()):
                    if rows and all(row["unanswered"] for row in rows):
                        raise RunFailed(_no_model(run, rows[0]["reply"]))
                    run.write_part(number, rows)
                    note(rows)
                    if interrupts.pressed:
                        raise KeyboardInterrupt
        progress.stopped = "" if progress.done >= settings.total else (limits or Limits()).reached(progress)
    finally:
        progress.pid = 0
        run.note(progress)
    return progress


def _no_model(run: Run, why: str) -> str:
    return (
        f"The model '{run.settings.model}' does not answer, so the run was ended: {why} "
        f"`copilot bench run --resume {run.id}` goes on."
    )


class _Interrupts:
    """Ctrl-C, kept: one that is raised within a callback of the garbage collector, such as Dask's, is lost,
    and one within a future that is being made leaves half of it."""

    def __init__(self) -> None:
        self.pressed = self._held = False

    def press(self, number: int, frame: object) -> None:
        """Take the signal."""
        self.pressed = True
        if not self._held:
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nothing be interrupted until the block has ended."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self.pressed:
            raise KeyboardInterrupt


@contextmanager
def _interruptible() -> Iterator[_Interrupts]:
    """Whether Ctrl-C was pressed."""
    interrupts = _Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts  # only the main thread hears of signals
        return
    before = signal.signal(signal.SIGINT, interrupts.press)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def _counted(run: Run) -> Progress:
    """What is on disk; the note may lack the chunk that was being written when the process was killed."""
    progress = Progress(seconds=run.progress.seconds)
    progress.add(run.rows(("success", "tokens", "estimated_tokens", "usd")))
    return progress


def _submitted(
    client: Client, tasks: TaskSet, settings: Settings, interrupts: _Interrupts, number: int
) -> Future[Any]:
    """A chunk's tasks, sent. Their JSON is made now: that of a hundred thousand at once fills the memory."""
    first = number * settings.chunk
    plain = [task.to_json() for task in tasks.tasks[first : first + settings.chunk]]
    with interrupts.held():
        return client.submit(run_chunk, plain, _work(settings), pure=False)


def _work(settings: Settings) -> Work:
    return Work(
        settings.catalogue,
        settings.today,
        settings.agent,
        settings.model,
        settings.shots,
        settings.epsilon,
    )


@contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator[Client]:
    """A client of the scheduler at that address, or of a cluster of this machine that ends with the run."""
    from distributed import Client, LocalCluster

    if scheduler:
        if not _is_address(scheduler):  # Dask's client waits for 40 s before it says so
            raise RunFailed(
                f"'{scheduler}' is no address of a Dask scheduler; give one such as tcp://host:8786."
            )
        try:
            client = Client(scheduler, timeout=SCHEDULER_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunFailed(f"No Dask scheduler answers at '{scheduler}'.") from error
        with client:
            yield client
        return
    # More jobs than cores wait for a model's address: they are threads, and share their process's catalogue.
    processes = min(jobs, os.cpu_count() or 1)
    with (
        LocalCluster(
            n_workers=processes,
            threads_per_worker=-(-jobs // processes),
            processes=True,
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _is_address(scheduler: str) -> bool:
    """Whether a host and a port are named."""
    try:
        where = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        return bool(where.hostname and where.port)
    except ValueError:  # a port that is none
        return False


def _results(
    client: Client,
    chunks: list[int],
    submit: Callable[[int], Future[Any]],
    progress: Progress,
    limits: Limits,
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Finished chunks as they come. Few are out at a time: a limit is not passed by what was queued."""
    from distributed import KilledWorker, as_completed

    slots = sum(client.nthreads().values()) or 1
    left = iter(chunks)
    numbers: dict[Any, int] = {}

    def send(count: int) -> list[Any]:
        sent = []
        for number in islice(left, count):
            future = submit(number)
            numbers[future.key] = number
            sent.append(future)
        return sent

    out = as_completed(send(slots if limits.any else 2 * slots), loop=client.loop)
    try:
        for future in out:
            rows = future.result()
            yield numbers.pop(future.key), rows
            if not limits.reached(progress):
                for following in send(1):
                    out.add(following)
            future.release()
    except KilledWorker as error:
        raise RunFailed(
            "A worker died again and again over the same tasks, perhaps for want of memory; "
            "the finished tasks are kept. Go on with fewer --jobs."
        ) from error
