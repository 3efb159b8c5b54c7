"""One worker process: `python -m copilot.worker.process ADDRESS THREADS GPUS`, started by copilot.worker."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading


def main(address: str, threads: str, gpus: str) -> None:
    """Work for the scheduler at that address until standard input ends: its parent is gone then."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="azimuth-worker-") as folder:
        asyncio.run(_work(address, int(threads), int(gpus), folder))


async def _work(address: str, threads: int, gpus: int, folder: str) -> None:
    import dask
    from distributed import Worker

    from copilot.worker.__main__ import SETTINGS

    dask.config.set(SETTINGS)
    resources = {"GPU": float(gpus)} if gpus else None
    async with Worker(
        address,
        nthreads=threads,
        memory_limit=0,
        resources=resources,
        local_directory=folder,
        dashboard=False,
        death_timeout=30,
    ) as worker:
        await worker.finished()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
