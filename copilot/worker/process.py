"""One worker process: `python -m copilot.worker.process ADDRESS THREADS GPUS`, started by copilot.worker."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
import tempfile
import threading
import time

# Ours before any library is loaded: while cv2 is, its folder stands in the path before this project's, behind
# the worker's own that Dask puts first, and a job that comes then would take cv2's `data` for ours.
import data  # noqa: F401

LIBRARIES = ("onnxruntime", "cv2", "rasterio", "geopandas", "data.models.serving", "data.vision.detect")
"""What the first job would wait for: they take seconds to load."""
IDLE_S = 5.0
"""How long after its start the worker loads them: a job that waits already comes first."""


def main(address: str, threads: str, gpus: str) -> None:
    """Work for the scheduler at that address until standard input ends: its parent is gone then."""
    for work in (_end_with_parent, _load_libraries):
        threading.Thread(target=work, daemon=True).start()
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


def _load_libraries() -> None:
    time.sleep(IDLE_S)
    for name in LIBRARIES:
        importlib.import_module(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
