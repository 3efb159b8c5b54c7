"""Starts and ends the cluster of this machine, which is a process of its own (copilot/worker/__main__.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class ClusterFailed(Exception):
    """The cluster of this machine did not start; the text is its last words."""


def start_cluster(
    threads: int | None = None, memory: str | None = None, join: str | None = None, gpus: int = 0
) -> tuple[subprocess.Popen[str], str]:
    """A process with one worker, and its scheduler's address: its own, or the one to join.

    Raises ClusterFailed.
    """
    command = [sys.executable, "-m", "copilot.worker"]
    if join is not None:
        command += ["--join", join, "--gpus", str(gpus)]
    if threads is not None:
        command += ["--threads", str(threads)]
    if memory is not None:
        command += ["--memory", memory]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,  # closed when this process ends, however that happens
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for this process, which then ends the cluster
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address:
        end_cluster(process)
        raise ClusterFailed("The background worker could not be started; the log has the details.")
    return process, address


def end_cluster(process: subprocess.Popen[str]) -> None:
    """End it, and wait until its processes are gone."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
