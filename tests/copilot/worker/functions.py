"""What the tests have workers do: functions that a worker finds by their names."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from data.progress import Progress, on_gpu
from data.raster.errors import RasterError


def add(progress: Progress, one: int, other: int = 0) -> int:
    """A sum, told of."""
    progress.tell(0.5, "Half of it.")
    return one + other


def where(progress: Progress) -> int:
    """The process it runs in."""
    return os.getpid()


def loaded(progress: Progress, names: list[str]) -> list[str]:
    """Those modules that this process has loaded, as soon as it has them all, or after a minute."""
    for _ in range(600):
        if all(name in sys.modules for name in names):
            break
        time.sleep(0.1)
    return [name for name in names if name in sys.modules]


def until(progress: Progress, path: Path, began: Path | None = None) -> str:
    """Wait for that file to be there with something in it, telling so."""
    if began is not None:
        began.touch()
    step = 0
    while not (path.exists() and (said := path.read_text())):
        step += 1
        progress.tell(min(0.9, step / 100), f"Looked {step} times.")
        time.sleep(0.02)
    return said


def deaf(progress: Progress, began: Path) -> None:
    """Hear of nothing for ever."""
    began.write_text(str(os.getpid()))
    while True:
        time.sleep(0.02)


def write_tiles(progress: Progress, path: Path, gate: Path, count: int = 20) -> str:
    """Write numbers to a file tile by tile; wait for the gate in the middle of the first try only."""
    with path.open("w") as file:
        for tile in range(count):
            progress.tell(tile / count, f"Wrote {tile} of {count} tiles.")
            file.write(f"{tile * tile}\n")
            file.flush()
            progress.found([{"type": "Feature", "properties": {"tile": tile}, "geometry": None}])
            if tile == count // 2 and not gate.exists():
                gate.write_text(str(os.getpid()))
                time.sleep(3600)
    return path.read_text()


def die(progress: Progress, log: Path) -> None:
    """Take the worker down, as a fault in a library does."""
    with log.open("a") as file:
        file.write("died\n")
    os.kill(os.getpid(), signal.SIGKILL)


def swallow_memory(progress: Progress, log: Path) -> None:
    """Take more and more memory."""
    with log.open("a") as file:
        file.write("began\n")
    taken = []
    while True:
        taken.append(b"\1" * 20_000_000)
        progress.tell(0.1, f"Took {20 * len(taken)} MB.")
        time.sleep(0.01)


def run_out(progress: Progress) -> None:
    """Ask for more memory at once than any machine has."""
    bytearray(1 << 60)


def break_half_way(progress: Progress, path: Path) -> None:
    """Begin to write, and find the source broken."""
    path.write_text("half")
    progress.tell(0.5, "Read 1 of 2 tiles.")
    raise RasterError("The raster cannot be read beyond row 256; copy it again.")


def give_a_thread(progress: Progress) -> object:
    """Return what cannot travel."""
    import threading

    return threading.Lock()


@on_gpu
def where_on_gpu(progress: Progress) -> int:
    """The process it runs in, which is one with a GPU where there is any."""
    return os.getpid()


def find_until(progress: Progress, path: Path) -> None:
    """Find three things, and go on looking until that file is there."""
    progress.tell(0.4, "Looked at 2 of 5 tiles.")
    for tile in range(3):
        progress.found([{"type": "Feature", "properties": {"tile": tile}, "geometry": None}])
    while not path.exists():
        progress.tell(0.4, "Looked at 2 of 5 tiles.")
        time.sleep(0.02)
