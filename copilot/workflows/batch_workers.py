"""The worker processes of a batch, one for each core: Python runs in one thread of a process at a time."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import psutil

from copilot.worker.cluster import ClusterFailed, end_cluster, start_cluster
from copilot.worker.places import OnDask

if TYPE_CHECKING:
    from copilot.engine import Engine

SHARE_OF_MEMORY = 0.3
"""Of the machine's memory, for all processes that are started beside the worker's own together."""
_log = logging.getLogger(__name__)


@contextmanager
def process_a_core(engine: Engine) -> Iterator[int]:
    """While it lasts, this machine's own worker has a process for each core; how many items run at once.

    A scheduler that is configured has the workers that it has. Raises OutsideError where none answers.
    """
    place = engine.desk.place
    slots = place.slots()
    more = max(0, (os.cpu_count() or 1) - 1)
    if not isinstance(place, OnDask) or place.address is not None or not more:
        yield slots
        return
    memory = int(SHARE_OF_MEMORY * psutil.virtual_memory().total / more)
    address = str(place.client().scheduler_info()["address"])
    with ExitStack() as started:
        running = 0
        for _ in range(more):
            try:
                process, _address = start_cluster(threads=1, memory=str(memory), join=address)
            except ClusterFailed as error:
                _log.warning("a batch goes on with fewer processes: %s", error)
                break
            started.callback(end_cluster, process)
            running += 1
        yield slots + running


__all__ = ["process_a_core"]
