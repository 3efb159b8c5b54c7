"""The cluster of this machine: `python -m copilot.worker`, a process that ends with its parent.

A process of its own, so that neither the scheduler's loop nor a worker's start disturbs the pages: a worker
that is started from the app would import the page that happens to run there.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys

SHARE_OF_MEMORY = 0.6
"""Of the machine's memory, for the worker, unless $COPILOT_WORKER_MEMORY says how much ("4GB")."""


def main() -> None:
    """Run until standard input is closed, which the end of the parent does too."""
    parser = argparse.ArgumentParser(
        prog="python -m copilot.worker", description="The worker of this machine."
    )
    parser.add_argument("--threads", type=int, default=max(2, os.cpu_count() or 1))
    parser.add_argument("--memory", default=os.environ.get("COPILOT_WORKER_MEMORY") or str(SHARE_OF_MEMORY))
    asked = parser.parse_args()

    import dask
    from distributed import LocalCluster

    dask.config.set(
        {
            # A job counts its own tries; and it is stopped where it takes too much, not paused or swapped.
            "distributed.scheduler.allowed-failures": 100,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": 0.95,
            "distributed.worker.profile.enabled": False,
            "distributed.admin.tick.limit": "60s",
        }
    )
    with LocalCluster(
        n_workers=1,
        threads_per_worker=asked.threads,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=asked.memory,
        silence_logs=logging.ERROR,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
