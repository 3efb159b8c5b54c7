"""On what a measurement was made, and the processes it starts."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Ran:
    """What one process took."""

    seconds: float
    peak_mib: float
    """The peak of its resident memory, looked at every 5 ms."""


class ProcessFailed(Exception):
    """A measured command did not succeed."""


def machine_line() -> str:
    """Processor, cores, memory, kernel and Python, in one line."""
    fields = _colon_file("/proc/cpuinfo")
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return (
        f"{fields.get('model name', platform.machine())}, {cores} cores, {memory_gib:.0f} GiB, "
        f"Linux {platform.release()}, Python {platform.python_version()}"
    )


def load_line() -> str:
    """What else runs: the load averages of the last 1, 5 and 15 minutes."""
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


def commit() -> str:
    """The commit that is measured, marked when the code differs from it."""
    head = _git("rev-parse", "--short=10", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "*.py", "requirements.txt")
    return f"{head} with local changes" if changed else head


def run_process(command: Sequence[str], environment: Mapping[str, str]) -> Ran:
    """Run a command from the repository's root to its end. Raises ProcessFailed with its last words."""
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=said
        )
        # Not ru_maxrss: a child starts with that of the process that forked it.
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, peak_mib(process.pid))
            time.sleep(0.005)
        seconds = time.perf_counter() - began
        said.seek(0)
        last = said.read().decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
    if process.returncode:
        raise ProcessFailed(f"{' '.join(command[1:])} ended with {process.returncode}: {last[0]}")
    return Ran(seconds, peak)


def peak_mib(pid: int) -> float:
    """The largest resident size of a process so far, MiB; 0 when it has gone."""
    return _memory_mib(pid, "VmHWM")


def resident_mib(pid: int) -> float:
    """The present resident size of a process, MiB; 0 when it has gone."""
    return _memory_mib(pid, "VmRSS")


def _memory_mib(pid: int, field: str) -> float:
    try:
        return float(_colon_file(f"/proc/{pid}/status")[field].split()[0]) / 1024
    except (KeyError, OSError):
        return 0.0  # between fork and exec, or after the end


def copilot(*arguments: str) -> list[str]:
    """The command line of `copilot` with the Python that runs this."""
    return [sys.executable, "-m", "copilot", *arguments]


def _colon_file(path: str) -> dict[str, str]:
    lines = Path(path).read_text().splitlines() if Path(path).exists() else []
    pairs = (line.partition(":") for line in lines)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or ("unknown" if done.returncode else "")
