"""Jobs as plain values for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copilot.messages import t
from copilot.view.transcript import duration
from state.jobs import Job


def job_line(job: Job) -> dict[str, Any]:
    """A job that waits or runs, as the chat and the map show it."""
    return {
        "id": job.id,
        "title": job.title,
        "percent": round(100 * job.fraction),
        "sentence": standing(job),
        "time": duration(job.seconds) if job.state == "running" else "",
        "found": job.found,
    }


def shown_job(jobs: Sequence[Job]) -> dict[str, Any] | None:
    """The one of a session's jobs that the chat shows: what runs, else what waits."""
    running = [each for each in jobs if each.state == "running"]
    return job_line((running or list(jobs))[0]) if jobs else None


def standing(job: Job) -> str:
    """Where a job stands, in one sentence."""
    if job.state == "queued":
        return (
            t("Waiting: it is next.") if job.place == 0 else t("Waiting: {place} before it.", place=job.place)
        )
    return job.sentence
