"""Jobs whose process was killed: found by the next one, closed, and made again where that is safe."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from copilot.worker.desk import Desk
from copilot.worker.folder import JobFolder
from copilot.worker.owner import is_gone, this_process
from state.jobs import Job
from state.store import now

if TYPE_CHECKING:
    from copilot.session import Session

RESTART = "restart"
"""Who acts where a call is made again after the app was closed in the middle of it."""
FROM_PAGE = frozenset({"chat", "page"})
"""Whose calls are made again by themselves: whoever reads a command line makes it again or does not."""


def left_behind(desk: Desk) -> list[Job]:
    """The jobs that waited or ran when their process ended, closed now; those of living processes stay.

    Each is given to one process only, however many look at the same time.
    """
    found = [job for job in desk.jobs.live() if is_gone(job) and desk.jobs.take_over(job, this_process())]
    for job in found:
        JobFolder(desk.home / "jobs" / job.id).remove()  # which stops it, where a worker still goes on
        job.state, job.place, job.ended_at = "failed", 0, now()
        job.say("Azimuth was closed in the middle of it; nothing was changed.")
        desk.jobs.note(job)
    return found


def drop_parts(desk: Desk, session_id: str, artifacts: Path) -> None:
    """Remove what a killed process has half written, unless a job of that session runs elsewhere."""
    if any(job.session_id == session_id for job in desk.jobs.live()):
        return
    for part in (*artifacts.glob(".*.part*"), *artifacts.glob("*.d/.*.part*")):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def is_safe_again(job: Job, session: Session) -> bool:
    """Whether a call can be made again as if nothing had happened: it was the page's, and the last thing."""
    last = session.events[-1].seq if session.events else 0
    return job.source in FROM_PAGE and job.seq == last + 1 and job.hash == session.hash
