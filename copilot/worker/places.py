"""Where jobs run: in a thread of this process, or in the workers of a Dask scheduler."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from copilot.worker.cluster import ClusterFailed, end_cluster, start_cluster
from copilot.worker.folder import JobFolder
from copilot.worker.task import Outcome, outcome_in, run_on_worker, run_task
from tools.base import OutsideError

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S = 10
"""How long a scheduler may take to answer."""
COUNT_S = 2.0
"""How often the scheduler is asked for its workers' threads."""
_log = logging.getLogger(__name__)


class Running(Protocol):
    """A job that was begun."""

    def wait(self, seconds: float) -> Outcome | None:
        """How it ended; None while it runs on after that time."""

    def kill(self) -> bool:
        """End it by force; False when there is no way to."""


class Place(Protocol):
    """Where jobs run."""

    def slots(self) -> int:
        """How many jobs run at once. Raises OutsideError when the place cannot be reached."""

    def begin(self, key: str, folder: JobFolder, payload: bytes, gpu: bool) -> Running:
        """Start a job. Raises OutsideError when the place cannot be reached."""

    def close(self) -> None:
        """Give back what is held."""


class Here:
    """This process: one job at a time for each core, each in a thread."""

    def slots(self) -> int:
        """As many as cores."""
        return os.cpu_count() or 1

    def begin(self, key: str, folder: JobFolder, payload: bytes, gpu: bool) -> Running:
        """Start a thread."""
        return _InThread(folder, payload)

    def close(self) -> None:
        """Nothing is held."""


class _InThread:
    def __init__(self, folder: JobFolder, payload: bytes) -> None:
        self._folder = folder
        self._thread = threading.Thread(
            target=run_task, args=(str(folder.path), payload), name="job", daemon=True
        )
        self._thread.start()

    def wait(self, seconds: float) -> Outcome | None:
        """How it ended; None while it runs."""
        self._thread.join(seconds)
        return None if self._thread.is_alive() else outcome_in(self._folder) or Outcome("cancelled")

    def kill(self) -> bool:
        """A thread cannot be ended from outside."""
        return False


class OnDask:
    """The workers of a scheduler: the one at that address, or one of this machine that is started here."""

    def __init__(self, address: str | None = None, threads: int | None = None, memory: str | None = None):
        self.address = address
        self._threads, self._memory = threads, memory
        self._lock = threading.RLock()
        self._process: subprocess.Popen[str] | None = None
        self._client: Client | None = None
        self._counted = (-COUNT_S, 1)
        """When the threads were counted last, and how many there were."""

    def slots(self) -> int:
        """The threads of all its workers."""
        with self._lock:
            client = self.client()
            if time.monotonic() - self._counted[0] > COUNT_S:
                self._counted = (time.monotonic(), max(1, sum(client.nthreads().values())))
            return self._counted[1]

    def client(self) -> Client:
        """The connection, made where there is none. Raises OutsideError."""
        with self._lock:
            if self._client is not None and self._client.status == "running":
                return self._client
            self.close()
            try:
                self._client = self._connect()
            except (OSError, ValueError, ClusterFailed) as error:
                _log.exception("no scheduler")
                self.close()
                raise OutsideError(self._unreachable()) from error
            return self._client

    def begin(self, key: str, folder: JobFolder, payload: bytes, gpu: bool) -> Running:
        """Submit it; to a worker that declares a GPU where the job can use one and there is any."""
        client = self.client()
        wanted = {"GPU": 1} if gpu and any(each["gpus"] >= 1 for each in self.workers()) else None
        future = client.submit(
            run_on_worker, str(folder.path), payload, key=key, pure=False, resources=wanted
        )
        return _OnWorker(self, client, future, folder)

    def close(self) -> None:
        """Let go of the scheduler; the cluster of this machine ends with its workers."""
        with self._lock:
            client, self._client = self._client, None
            process, self._process = self._process, None
        if client is not None:
            with suppress(Exception):  # its scheduler may be gone
                client.close(timeout=2)
        if process is not None:
            end_cluster(process)

    def _connect(self) -> Client:
        import dask
        from distributed import Client

        address = self.address
        if address is None:
            self._process, address = start_cluster(self._threads, self._memory)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        with dask.config.set({"distributed.client.heartbeat": "2s"}):
            return Client(address, timeout=CONNECT_S, set_as_default=False)

    def _unreachable(self) -> str:
        if self.address is None:
            return (
                "The background worker could not be started; nothing was changed. The details are in the log."
            )
        return (
            f"No Dask scheduler answers at '{self.address}'; start it again, or unset COPILOT_SCHEDULER "
            "to work on this machine."
        )

    def workers(self) -> list[dict[str, Any]]:
        """{address, threads, gpus, running} of each worker. Raises OutsideError."""
        info = self.client().scheduler_info(n_workers=-1)["workers"]
        return [
            {
                "address": address,
                "threads": int(each["nthreads"]),
                "gpus": float(each.get("resources", {}).get("GPU", 0)),
                "running": int(each.get("metrics", {}).get("executing", 0)),
            }
            for address, each in info.items()
        ]


class _OnWorker:
    def __init__(self, place: OnDask, client: Client, future: Future[Any], folder: JobFolder) -> None:
        self._place, self._client, self._future, self._folder = place, client, future, folder
        self._done = threading.Event()
        future.add_done_callback(lambda _: self._done.set())

    def wait(self, seconds: float) -> Outcome | None:
        """How it ended; None while it runs. A lost scheduler is an outcome, and so is a lost worker."""
        self._done.wait(seconds)
        outcome = outcome_in(self._folder)
        if outcome is not None:
            return outcome if outcome.how != "died" else self._death()
        if not self._done.is_set():
            return None if self._client.status == "running" else Outcome("lost")
        status = self._future.status
        if status == "finished":
            return self._unseen()
        if status == "error":
            error = self._future.exception(timeout=CONNECT_S)
            return self._death() if type(error).__name__ == "KilledWorker" else Outcome("raised", error)
        return Outcome("lost")

    def kill(self) -> bool:
        """End the worker's process, which its nanny starts again."""
        starts = self._folder.starts()
        with suppress(Exception):
            self._future.cancel(force=True)
        if not starts:
            return True
        if starts[-1].host == socket.gethostname():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(starts[-1].pid, signal.SIGKILL)
            return True
        try:
            self._client.restart_workers([starts[-1].worker], timeout=5)
        except Exception:  # it has no nanny that could, or the scheduler is gone: the job goes on unheard
            return False
        return True

    def _unseen(self) -> Outcome | None:
        """What it means that a task has ended and nothing is in its folder."""
        try:
            seen = self._future.result(timeout=CONNECT_S)
        except Exception:  # its worker died with it: the scheduler gives the task to another
            return None
        if seen:
            return None  # what it wrote is on its way here
        worker = ", ".join(str(each) for each in self._client.nthreads())
        return Outcome("blind", detail=worker)

    def _death(self) -> Outcome:
        """Whether the workers that died over the job were ended for the memory they took."""
        pids = {each.pid for each in self._folder.starts()}
        events: Any = ()
        with suppress(Exception):
            events = self._client.get_events("worker-restart-memory") or ()
        ended = any(isinstance(event, dict) and event.get("pid") in pids for _, event in events)
        return Outcome("memory" if ended else "died")


def default_place(background: bool) -> Callable[[], Place]:
    """Where a process's jobs run: the scheduler that is configured, a cluster of its own, or itself."""
    address = os.environ.get("COPILOT_SCHEDULER", "").strip()
    if address:
        return lambda: OnDask(address)
    return OnDask if background else Here
