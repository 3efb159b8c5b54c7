"""Runs a command that must not hang: `python3 scripts/guard.py SECONDS COMMAND…`

When the seconds are over, or on SIGTERM, it says what still runs and where the tests stand
(tests/suite/stacks.py), interrupts the command, so that it may sum up, and then ends every process of it.
It exits as the command does, or with 124.
It needs nothing but Python, since it runs before anything is set up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 30
TOO_LONG = 124


class Told(Exception):
    """The guard itself was told to end."""


def parents() -> dict[int, int]:
    """Each process of this machine, and its parent."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended meanwhile
            continue
    return found


def below(root: int) -> list[int]:
    """All processes that came of one, and still run."""
    tree, found = parents(), [root]
    for pid in found:
        found += [child for child, parent in tree.items() if parent == pid]
    return found[1:]


def send(pid: int, number: signal.Signals) -> None:
    """Signal a process, which may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def show_what_runs(root: int, stacks: Path) -> None:
    """Print each process's command line, and the stacks of those that can tell them."""
    for pid in below(root):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        print(f"guard: still runs: {pid} {line[:200]}", flush=True)
    asked = sorted(stacks.iterdir())
    for path in asked:
        send(int(path.stem), signal.SIGUSR1)
    wait_until(lambda: all(said(path) for path in asked if path.exists()))
    for path in asked:
        print(f"guard: where {path.stem} stands:\n{said(path)}", flush=True)


def said(path: Path) -> str:
    """What a process has written; of one that ended meanwhile, that it has."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return "it has ended"


def wait_until(seen: Callable[[], bool]) -> None:
    """Wait for something, but not for ever."""
    ends = time.monotonic() + PATIENCE_S
    while not seen() and time.monotonic() < ends:
        time.sleep(0.1)


def end(running: subprocess.Popen[bytes], stacks: Path) -> None:
    """Show where everything stands, let the tests sum up, end what is left."""
    show_what_runs(running.pid, stacks)
    left = below(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    wait_until(lambda: not any(stacks.iterdir()))  # a process of the tests takes its file away as it ends
    for pid in {running.pid, *left, *below(running.pid)}:
        send(pid, signal.SIGKILL)
    running.wait()


def told(*_: object) -> None:
    """Take SIGTERM for the end of the time."""
    raise Told


def main(limit_s: float, command: list[str]) -> int:
    """Run the command; how it ended."""
    signal.signal(signal.SIGTERM, told)
    # What a shell starts in the background ignores SIGINT, and so would the command, which could not sum up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "AZIMUTH_STACKS": folder}
        running = subprocess.Popen(command, env=environment, start_new_session=True)
        try:
            return running.wait(limit_s)
        except subprocess.TimeoutExpired:
            print(f"guard: {' '.join(command)} has not ended within {limit_s:g} s", flush=True)
        except Told:
            print(f"guard: told to end {' '.join(command)}", flush=True)
        end(running, Path(folder))
    return TOO_LONG


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
