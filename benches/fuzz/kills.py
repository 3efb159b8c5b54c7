"""SIGKILL over the real app: `python -m benches.fuzz.kills 300`. Nothing that was acknowledged may be lost.

The app is started as users start it, on a home of its own. Calls come over REST, requests through the chat.
It is killed between calls, in the middle of a job and of a chat's turn; and its worker alone, with the app
going on. After each kill every process of it must be gone; after each start the session must stand where its
last event left it, with all that was acknowledged, and jobs must be found again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil
import rasterio

from benches.fuzz.browser import Page, call
from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest
from tests.e2e.app import Server
from tests.tools.world import write_small_catalogue

QUICK = (
    ("db_load", {"names": ["fair1m", "xview1"]}),
    ("cluster_plot", {}),
    ("zoom_map", {"level": 7}),
    ("group_count", {"by": "class", "unit": "detections"}),
    ("draw_marker", {"lon": 3, "lat": 6}),
    ("filter_date", {"start": "2018-01-01", "end": "2018-12-31"}),
    ("filter_clear", {}),
    ("no_such_tool", {}),
)
REQUESTS = (
    "Plot the fair1m and xview1 images around Pittsburgh from May 2018, then zoom to level 9",
    "zoom out and show the layers",
    "show the fmow images as a heatmap and count them by country",
)
JOB = ("denoising", {"image": "noisy", "method": "nlm"})
WAIT_S = 180.0
_OURS = re.compile(r'File "(?:(?!/\.venv/)[^"])*/(?:copilot|tools|state|data|pages)/')


class Lost(AssertionError):
    """Something that must hold does not."""


class Trial:
    """One home, killed again and again."""

    def __init__(self, folder: Path, seed: int, workers_a_life: int = 3) -> None:
        self.workers_a_life = workers_a_life
        """How often the worker alone is killed before the app is."""
        self.random = Random(seed)
        catalogue = folder / "catalogue"
        catalogue.mkdir(parents=True)
        (folder / "home").mkdir()
        self.engine = Engine(folder / "home", catalogue_url=str(write_small_catalogue(catalogue)))
        session = Session.open(engine=self.engine, name="killed")
        added = session.call("add_file", file=str(_noisy(folder / "noisy.tif")), name="noisy")
        assert added.ok, added.text
        self.session = session.id
        self.server = Server(folder / "home", catalogue, {})
        self.server.environment["COPILOT_WORKER_MEMORY"] = "2GB"
        self.acknowledged: list[tuple[str, str]] = []
        """(tool, what was said) of every call that was answered, in order."""
        self.kills: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        """What was met: jobs found again, turns cut off, calls that were stored and not yet answered."""
        self.wrong: list[str] = []

    # -- a life of the app --------------------------------------------------------------------

    def life(self, way: str) -> None:
        """Start the app, look at what it finds, let it work, and kill it that way."""
        self.server.start()
        try:
            self.check("after a start")
            if way == "worker":
                for _ in range(self.workers_a_life):
                    self.worker_alone()
                way = "calls"
            getattr(self, f"_kill_in_{way}")()
        finally:
            if self.server.process.poll() is None:
                self.kill("unplanned")
        self.check("after a kill")

    def kill(self, way: str) -> None:
        """kill -9 the app; all its processes must be gone soon."""
        theirs = psutil.Process(self.server.process.pid).children(recursive=True)
        self.server.kill()
        self.kills[way] += 1
        left = psutil.wait_procs(theirs, timeout=30)[1]
        left = [each for each in left if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]
        if left:
            self.tell(f"after a kill in {way} these go on: {[_command(each) for each in left]}")
            for each in left:
                with suppress(psutil.NoSuchProcess):
                    each.kill()

    def _kill_in_calls(self) -> None:
        """In the middle of a run of quick calls."""
        over = threading.Event()
        worker = threading.Thread(target=self._keep_calling, args=(over,))
        worker.start()
        time.sleep(self.random.uniform(0.2, 1.5))
        self.kill("calls")
        over.set()
        worker.join()

    def _keep_calling(self, over: threading.Event) -> None:
        with suppress(OSError):
            while not over.is_set():
                tool, args = self.random.choice(QUICK)
                if self.make(tool, args)[0] == 200 and tool == "zoom_map":
                    self.make("undo", {})

    def _kill_in_job(self) -> None:
        """While the worker works on a job: one that a start has taken up again, or a new one."""
        maker: threading.Thread | None = None
        if not self._wait(self._job_runs, 4.0):
            if self._live_jobs():
                self._wait(self._job_runs, WAIT_S)
            else:
                self.make(*self.random.choice(QUICK))
                maker = threading.Thread(target=self._make_job)
                maker.start()
                self._wait(lambda: self._job_runs() or not maker.is_alive(), WAIT_S)
        else:
            self.seen["jobs taken up again"] += 1
        time.sleep(self.random.uniform(0.0, 1.0))
        self.kill("job" if self._live_jobs() else "calls")
        if maker is not None:
            maker.join()

    def _kill_in_chat(self) -> None:
        """In the middle of a turn that was asked for in the chat."""
        self._wait(lambda: not self._live_jobs(), WAIT_S)
        page = Page(self.server.port, self.session)
        before = len(self._events())
        page.ask(self.random.choice(REQUESTS))
        self._wait(lambda: len(self._events()) > before, WAIT_S)
        time.sleep(self.random.uniform(0.0, 0.6))
        self.kill("chat")
        with suppress(Exception):  # the other end is gone
            page.close()

    def worker_alone(self) -> None:
        """Kill the worker in the middle of a job: the job comes to its end all the same."""
        self._wait(lambda: not self._live_jobs(), WAIT_S)
        came: list[tuple[int, Any]] = []
        maker = threading.Thread(target=lambda: came.append(self.make(*JOB)))
        maker.start()
        self._wait(lambda: self._job_runs() or not maker.is_alive(), WAIT_S)
        time.sleep(self.random.uniform(0.0, 0.5))
        workers = [
            each
            for each in psutil.Process(self.server.process.pid).children(recursive=True)
            if "copilot.worker.process" in _command(each)
        ]
        for each in workers:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.SIGKILL)
        self.kills["worker"] += len(workers)
        maker.join(WAIT_S)
        if maker.is_alive() or not came:
            self.tell("a call whose worker was killed never came to its end")
        elif came[0][0] != 200:
            self.tell(f"a call whose worker was killed once failed: {came[0]}")

    # -- what is looked at --------------------------------------------------------------------

    def make(self, tool: str, args: dict[str, Any]) -> tuple[int, Any]:
        """A call over REST; what was answered is kept. Raises OSError where the app is killed meanwhile."""
        status, answer = call(self.server.port, self.session, tool, args)
        if status in (200, 422) and "tool" in answer:
            self.acknowledged.append((answer["tool"], answer["observation"]))
        elif status != 409:
            self.tell(f"{tool} was answered with {status}: {str(answer)[:300]}")
        return status, answer

    def _make_job(self) -> None:
        with suppress(OSError):
            self.make(*JOB)

    def check(self, when: str) -> None:
        """The session opens, is whole, stands at its last event, and has all that was acknowledged."""
        session = Session.open(
            self.session, engine=Engine(self.engine.home, catalogue_url=self.engine.catalogue_url)
        )
        events = session.events
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            self.tell(f"{when}: events are missing")
        if digest(session.state) != events[-1].hash:
            self.tell(f"{when}: the state is not the one of the last event")
        stored = [(event.tool, event.text) for event in events if event.kind == "call"]
        left = iter(stored)
        for told in self.acknowledged:
            if told not in left:  # in order: each is looked for behind the one before
                self.tell(f"{when}: lost {told}")
                break
        extra = len([each for each in events if each.source == "page"]) - len(self.acknowledged)
        self.seen["stored and not answered"] = max(self.seen["stored and not answered"], extra)
        self.seen["turns cut off"] = sum(turn.interrupted for turn in session.turns)
        self.seen["calls made again"] = sum(event.source == "restart" for event in events)
        self.seen["events"] = len(events)

    def finish(self) -> None:
        """A last life: the jobs come to their end, nothing half done is left, and SIGTERM ends all."""
        self.server.start()
        if not self._wait(lambda: not self._live_jobs(), WAIT_S):
            self.tell(f"jobs never ended: {self._live_jobs()}")
        parts = [each.name for each in (self.engine.home / "sessions").rglob(".*.part*")]
        if parts:
            self.tell(f"half-written files are left: {parts}")
        self.make("zoom_map", {"level": 5})
        theirs = psutil.Process(self.server.process.pid).children(recursive=True)
        self.server.process.terminate()
        try:
            self.server.process.wait(20)
        except subprocess.TimeoutExpired:
            self.tell("SIGTERM did not end the app within 20 s")
            self.server.kill()
        if left := psutil.wait_procs(theirs, timeout=15)[1]:
            self.tell(f"after SIGTERM these go on: {[_command(each) for each in left]}")
        self.check("at the end")
        log = self.server.log.read_text(encoding="utf-8", errors="replace")
        # Dask tells of each worker that was killed with a traceback of its own: only ours count.
        ours = [
            each for each in log.split("Traceback (most recent call last)")[1:] if _OURS.search(each[:6000])
        ]
        if ours:
            self.tell(f"{len(ours)} tracebacks in the app's log, the first: {ours[0][:1500]}")

    def tell(self, what: str) -> None:
        """Keep and print what is wrong."""
        self.wrong.append(what)
        print(json.dumps({"wrong": what, "kills": dict(self.kills)}), flush=True)

    def _events(self) -> Any:
        return self.engine.store.events(self.session)

    def _live_jobs(self) -> list[str]:
        return [f"{each.tool} {each.state}" for each in self.engine.desk.jobs.live()]

    def _job_runs(self) -> bool:
        return any(each.state == "running" and each.tries for each in self.engine.desk.jobs.live())

    def _wait(self, seen: Callable[[], object], seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if seen():
                return True
            time.sleep(0.05)
        return False


def _command(process: psutil.Process) -> str:
    with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return " ".join(process.cmdline())[-80:]
    return ""


def _noisy(path: Path) -> Path:
    """A raster that takes a moment to work on."""
    values = np.random.default_rng(5).normal(120, 25, (3, 400, 400)).clip(0, 255).astype("uint8")
    shape = {"driver": "GTiff", "count": 3, "height": 400, "width": 400, "dtype": "uint8"}
    place = rasterio.transform.from_origin(600_000, 5_000_000, 10, 10)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=place, **shape) as target:
        target.write(values)
    return path


def run(folder: Path, kills: int, seed: int, seconds: float) -> Trial:
    """Kill until there were so many kills, or the time is over."""
    trial = Trial(folder, seed)
    ends = time.monotonic() + seconds
    ways = ("job", "calls", "job", "chat", "worker", "job", "calls")
    number = 0
    while sum(trial.kills.values()) < kills and time.monotonic() < ends:
        trial.life(ways[number % len(ways)])
        number += 1
        if number % 5 == 0:
            print(json.dumps({"kills": dict(trial.kills), "seen": dict(trial.seen)}), flush=True)
    trial.finish()
    return trial


def main() -> None:
    """Run, and print what was killed, met, and wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--seconds", type=float, default=7200)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="azimuth-kills-"))
    os.environ.setdefault("AZIMUTH_HOME", str(folder / "home"))
    trial = run(folder, asked.kills, asked.seed, asked.seconds)
    said = {"kills": dict(trial.kills), "all": sum(trial.kills.values()), "seen": dict(trial.seen)}
    print(json.dumps({"end": True, **said, "wrong": trial.wrong}), flush=True)
    if trial.wrong:
        print(f"kept: {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
