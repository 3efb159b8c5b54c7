"""Whether there is room for a file: what a folder may take in all, and what its disk must keep free."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

QUOTA_VARIABLE = "AZIMUTH_QUOTA_GB"
DEFAULT_QUOTA_GB = 20.0
KEEP_FREE_BYTES = 1 << 30
"""1 GiB: the store, and whatever else runs on the machine, must go on being written to."""


def quota_bytes() -> int:
    """The most that a session's files may take, and a browser's uploads: $AZIMUTH_QUOTA_GB, else 20 GB."""
    try:
        wanted = float(os.environ.get(QUOTA_VARIABLE, ""))
    except ValueError:
        wanted = DEFAULT_QUOTA_GB
    return int((wanted if 0 < wanted < 1e9 else DEFAULT_QUOTA_GB) * 1e9)


def taken_bytes(folder: Path) -> int:
    """What a folder's files take, those of its folders too; 0 where there is none."""
    total = 0
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.is_dir(follow_symlinks=False):
                    total += taken_bytes(Path(each.path))
                else:
                    total += each.stat(follow_symlinks=False).st_size
    except FileNotFoundError:  # gone meanwhile, as what is half written is
        pass
    return total


def free_bytes(folder: Path) -> int:
    """What may still be written to a folder's disk; below 0 where it is too full already."""
    return shutil.disk_usage(folder).free - KEEP_FREE_BYTES


def disk_full() -> str:
    """The sentence for a disk on which no more is written."""
    return (
        f"The disk has less than {KEEP_FREE_BYTES >> 30} GiB free, which Azimuth leaves alone; delete "
        "sessions or files that are not needed any more."
    )


def ran_out(error: BaseException | None) -> bool:
    """Whether an error says that a disk is full, or comes of one that does."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if "no space left on device" in _said(error):  # so GDAL puts it
            return True
        error = error.__cause__ or error.__context__
    return False


def _said(error: BaseException) -> str:
    """What an error says, in lower case; nothing of one whose own words break, as some of Pint's do."""
    try:
        return str(error).lower()
    except Exception:
        return ""
