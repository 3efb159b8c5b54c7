"""How much time and memory the reading of one file may take.

A small file is read within seconds; one that takes a minute is broken or meant to. Larger ones get more, by
their megabytes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

SECONDS_VARIABLE = "AZIMUTH_READ_SECONDS"
MOST_SECONDS_VARIABLE = "AZIMUTH_READ_MAX_SECONDS"
MEMORY_VARIABLE = "AZIMUTH_READ_MEMORY_GB"
FIRST_S = 60.0
"""For any file ..."""
S_PER_MB = 3.0
"""... with so much more for each of its megabytes ..."""
S_PER_FILE = 0.02
"""... and for each file of a folder ..."""
MOST_S = 1_800.0
"""... up to this."""
MEMORY_GB = 6.0
"""Of address space, beside what the libraries take of it."""
CORES = 2
"""The processor time is so many times the time: GDAL and Arrow use more than one core."""
OPEN_FILES = 512
_MOST_COUNTED = 200_000


@dataclass(frozen=True)
class Limits:
    """What one process that reads a file may take."""

    seconds: float
    memory_bytes: int
    written_bytes: int
    """The largest file that it may write."""
    open_files: int = OPEN_FILES

    @property
    def processor_seconds(self) -> int:
        """Of all its threads together; 0 for no limit."""
        return 0 if math.isinf(self.seconds) else math.ceil(self.seconds * CORES)

    def plain(self) -> dict[str, float]:
        """As JSON; no limit of time is 0."""
        return {**asdict(self), "seconds": 0.0 if math.isinf(self.seconds) else self.seconds}


def limits_of(paths: Iterable[Path], written_bytes: int) -> Limits:
    """The limits for what lies at those paths, files or folders.

    $AZIMUTH_READ_SECONDS is what a small file gets, $AZIMUTH_READ_MAX_SECONDS the most for any, and
    $AZIMUTH_READ_MEMORY_GB the memory.
    """
    total, files = size_of(paths)
    wanted = _setting(SECONDS_VARIABLE, FIRST_S) + total / 1e6 * S_PER_MB + files * S_PER_FILE
    memory = int(_setting(MEMORY_VARIABLE, MEMORY_GB) * 1e9)
    return Limits(min(wanted, _setting(MOST_SECONDS_VARIABLE, MOST_S)), memory, written_bytes)


def size_of(paths: Iterable[Path]) -> tuple[int, int]:
    """(bytes, files) of what lies there; a huge folder is counted in part."""
    total = files = 0
    waiting = [os.fspath(each) for each in paths]
    while waiting and files < _MOST_COUNTED:
        path = waiting.pop()
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                waiting += [each.path for each in os.scandir(path)]
            else:
                total += os.stat(path).st_size
                files += 1
        except OSError:  # gone meanwhile, or closed to us: whoever reads it says so
            continue
    return total, files


def _setting(name: str, otherwise: float) -> float:
    try:
        value = float(os.environ.get(name, ""))
    except ValueError:
        return otherwise
    return value if 0 < value < math.inf else otherwise
