"""Ends the app and its children where it does not end by itself: `python -I -S watcher.py PID SECONDS`.

Standard input is a pipe into which the app's signal handlers write the signal's number, from C. It is closed
when the app has ended, and then there is nothing to do. Nothing is imported that takes memory: it may wait
for days.
"""

import os
import select
import signal
import sys
import time

TOLD = {int(signal.SIGTERM), int(signal.SIGINT)}


def main(pid: int, seconds: float) -> None:
    """Wait for the end of that process, and end it so long after it was told to end itself."""
    until = None
    while True:
        wait = None if until is None else max(0.0, until - time.monotonic())
        ready, _, _ = select.select([0], [], [], wait)
        if not ready:
            end(pid)
            return
        said = os.read(0, 64)
        if not said:
            return
        if until is None and TOLD & set(said):
            until = time.monotonic() + seconds


def end(pid: int) -> None:
    """Kill that process and whatever came from it, but for this one."""
    for each in [pid, *descendants(pid)]:
        if each != os.getpid():
            try:
                os.kill(each, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def descendants(pid: int) -> list[int]:
    """The processes that came from it, and from those."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as about:
                    parents[int(name)] = int(about.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
