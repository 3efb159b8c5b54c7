"""What tools read strangers' files with: a function that runs in a process of its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from data.apart.limits import Limits, limits_of
from data.apart.pool import Pool, ReadFailed, pool
from data.apart.reading import name_of, plain, returned
from data.room import quota_bytes

Found = TypeVar("Found")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reader:
    """Reads for one owner and one of its sessions."""

    owner: str = ""
    session: str = ""
    patient: bool = False
    """Without a limit of time: for the command line, where whoever waits can stop it."""
    pool: Pool = pool

    def read(
        self,
        work: partial[Found],
        *,
        about: str,
        error: type[Exception],
        reads: Sequence[Path],
        also: Sequence[Path] = (),
        folder: Path | None = None,
        heard: Callable[..., None] | None = None,
    ) -> Found:
        """What the work returns, where nothing that goes wrong in it matters to this process.

        It is a module's function that takes paths and plain values and says by its annotation what it
        returns. It reads only what is at `reads`, whose size says how long it may take, and at `also`, and
        writes only in `folder` (else in one that is gone afterwards). With `heard` it is given a `progress`
        whose arguments come here.

        Raises `error`, the one that the function raises for a file that cannot be used, in one sentence about
        `about` for whatever else goes wrong.
        """
        job = {
            "function": name_of(work.func),
            "args": plain(work.args),
            "kwargs": plain(work.keywords),
            "error": error.__name__,
            "reads": [str(each.absolute()) for each in (*reads, *also)],
        }
        limits = self._limits(reads)
        try:
            with nullcontext(str(folder)) if folder else TemporaryDirectory(prefix="azimuth-read-") as place:
                job["folder"] = os.path.abspath(place)
                said = self.pool.run(job, limits, self.owner, self.session, heard)
        except ReadFailed as failed:
            if failed.how == "bug":
                _log.error("%s failed in a reader: %s", job["function"], failed)
            raise error(_sentence(failed.how, about, limits)) from None
        if "error" in said:
            raise error(str(said["error"]))
        found: Found = returned(work.func).validate_python(said["answer"])
        return found

    def _limits(self, reads: Sequence[Path]) -> Limits:
        found = limits_of(reads, quota_bytes())
        return replace(found, seconds=float("inf")) if self.patient else found


def _sentence(how: str, about: str, limits: Limits) -> str:
    if how == "time":
        return f"{about} could not be read in {_time(limits.seconds)}; send less of it."
    if how == "memory":
        return f"{about} needs more memory than one file may take; send less of it."
    if how == "aborted":
        return f"{about} needs more memory than one file may take, or is broken; send less of it, or another."
    if how == "stopped":
        return f"The reading of {about} was stopped; nothing was changed."
    return f"{about} broke down what reads it, so it is broken or meant to; send another."


def _time(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


NOBODYS = Reader()
"""For whoever has no owner: the command line, tests."""
