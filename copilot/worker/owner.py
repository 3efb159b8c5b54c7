"""Which process waits for a job, and whether it still lives."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import UTC, datetime
from functools import cache

from state.jobs import Job

SILENT_S = 30.0
"""A process of another machine counts as gone when it was not heard of for so long."""


@cache
def this_process() -> str:
    """host/pid/start/random: a name that no other process has or will have."""
    return f"{socket.gethostname()}/{os.getpid()}/{_began(os.getpid())}/{secrets.token_hex(4)}"


def is_gone(job: Job) -> bool:
    """Whether nobody waits for that job any more."""
    if job.owner == this_process():
        return False
    host, pid, began, _ = job.owner.rsplit("/", 3)
    if host == socket.gethostname():
        return _began(int(pid)) != int(began)
    silent = datetime.now(UTC) - datetime.fromisoformat(job.beat)
    return silent.total_seconds() > SILENT_S


def _began(pid: int) -> int:
    """When a process began, in hundredths of a second; 0 when there is none of that number."""
    import psutil

    try:
        process = psutil.Process(pid)
        return 0 if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time() * 100)
    except psutil.NoSuchProcess:
        return 0
