"""The worker of this machine: `python -m copilot.worker`, a process that ends when its standard input does.

It is Dask's scheduler (or joins the one at an address) and keeps one worker process alive beside it.
Processes of their own, so that neither the scheduler's loop nor a worker's work disturbs the pages. Why not
Dask's LocalCluster and Nanny: a nanny whose worker dies while it starts, as a job that kills its worker makes
it, closes for good; and what is started from the app would import the page that happens to run there.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

import psutil

from copilot.worker.cluster import ROOT

SHARE_OF_MEMORY = 0.6
"""Of the machine's memory, for the worker, unless $COPILOT_WORKER_MEMORY says how much ("4GB")."""
LOOK_S = 0.1
"""How often the worker's memory is looked at."""
SETTINGS = {
    # A job counts its own tries.
    "distributed.scheduler.allowed-failures": 100,
    # A worker is gone when its connection is; one that does not answer computes.
    "distributed.scheduler.worker-ttl": None,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.limit": "60s",
}


def main() -> None:
    """Run until standard input is closed, which the end of the parent does too."""
    parser = argparse.ArgumentParser(
        prog="python -m copilot.worker", description="The worker of this machine."
    )
    parser.add_argument("--join", help="the address of a scheduler; without it one is started")
    parser.add_argument("--threads", type=int, default=max(2, os.cpu_count() or 1))
    parser.add_argument("--memory", default=os.environ.get("COPILOT_WORKER_MEMORY"))
    parser.add_argument("--gpus", type=int, default=0)
    asked = parser.parse_args()

    import dask

    dask.config.set(SETTINGS)
    asyncio.run(_join(asked) if asked.join else _serve(asked))
    os._exit(0)


async def _serve(asked: argparse.Namespace) -> None:
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        if not _told(scheduler.address):
            return

        def note(pid: int) -> None:
            scheduler.log_event("worker-restart-memory", {"pid": pid})

        await _keep_worker(scheduler.address, asked, note)


async def _join(asked: argparse.Namespace) -> None:
    from distributed import rpc

    async with rpc(asked.join) as scheduler:
        await scheduler.identity()
    if _told(asked.join):
        await _keep_worker(asked.join, asked, lambda pid: None)


def _told(address: str) -> bool:
    """Whether who started this heard the address; one that was killed meanwhile needs no worker."""
    try:
        print(address, flush=True)
    except BrokenPipeError:
        return False
    return True


async def _keep_worker(address: str, asked: argparse.Namespace, note: Callable[[int], None]) -> None:
    """Keep a worker process alive until standard input ends; end it where it takes too much memory."""
    limit = _bytes(asked.memory)
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    command = [sys.executable, "-m", "copilot.worker.process", address, str(asked.threads), str(asked.gpus)]
    while not ended.done():
        worker = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while worker.poll() is None and not ended.done():
            await asyncio.sleep(LOOK_S)
            if _resident(worker.pid) > limit:
                note(worker.pid)
                worker.kill()
        if worker.poll() is None:
            worker.kill()  # at once, whatever it does: who started it is gone, or has seen to its jobs
        worker.wait()


def _bytes(memory: str | None) -> int:
    """How much memory the worker may take."""
    from dask.utils import parse_bytes

    return int(parse_bytes(memory)) if memory else int(SHARE_OF_MEMORY * psutil.virtual_memory().total)


def _resident(pid: int) -> int:
    with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


if __name__ == "__main__":
    main()
