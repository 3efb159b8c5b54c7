"""A process that is killed at any moment loses nothing that it has shown, and leaves nothing half done."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest
from tests.tools.world import TODAY

ROOT = Path(__file__).resolve().parents[2]
KILLS, MOST_KILLS = 2, 50
"""Of each way, and until one has met a turn in the middle; `python -m benches.fuzz.kills` does hundreds."""


def killed_after(
    count: int, delay_s: float, engine: Engine, session_id: str, way: str
) -> list[tuple[int, str]]:
    """Let the program work and kill it so long after its `count`-th event: (number, hash) of what it saw."""
    arguments = [str(engine.home), str(engine.catalogue_root), session_id, way]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crash.work", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        read = "".join(worker.stdout.readline() for _ in range(count))
        time.sleep(delay_s)
        worker.kill()
        # The last line may be cut where the kill met the printing of it.
        lines = (read + worker.stdout.read()).split("\n")[:-1]
    return [(int(seq), hash_) for seq, hash_ in (line.split() for line in lines)]


def check_stands(engine: Engine, session_id: str, shown: list[tuple[int, str]]) -> Session:
    """The session stands at its last stored event, has all that was shown, and is whole."""
    session = Session.open(session_id, engine=engine)
    events = session.events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    stored = [(event.seq, event.hash) for event in events]
    assert shown == [each for each in stored if shown[0][0] <= each[0] <= shown[-1][0]]
    # What is stored before it is shown is ahead by one event at most.
    assert len(events) - shown[-1][0] <= 1
    assert digest(session.state) == events[-1].hash
    assert digest(session.replay()) == digest(session.state)
    return session


@pytest.mark.slow
@pytest.mark.parametrize("way", ["ask", "call"])
def test_a_killed_session_stands_at_its_last_event_and_goes_on(
    way: str, small_catalogue: Path, tmp_path: Path
) -> None:
    engine = Engine(tmp_path, catalogue_url=str(small_catalogue), today=TODAY)
    session_id = Session.open(engine=engine).id
    chance = random.Random(20261120)
    interrupted = 0
    for number in range(MOST_KILLS):
        if number >= KILLS and (way == "call" or interrupted):
            break  # one of them met a turn in the middle, which a loaded machine decides
        shown = killed_after(chance.randint(1, 9), chance.uniform(0, 0.03), engine, session_id, way)
        assert shown
        session = check_stands(engine, session_id, shown)
        last = session.turns[-1] if session.turns else None
        if last is not None and last.request is not None:
            killed_inside = session.events[-1].kind != "reply"
            assert last.interrupted == killed_inside
            interrupted += killed_inside
        assert session.call("zoom_map", level=chance.randint(3, 15)).ok
        assert session.undo().ok
    assert way == "call" or interrupted > 0
    assert session.ask("show the fair1m images").outcome == "done"


def test_an_interrupted_turn_is_told_as_such_and_the_next_one_goes_on(
    small_catalogue: Path, tmp_path: Path
) -> None:
    engine = Engine(tmp_path, catalogue_url=str(small_catalogue), today=TODAY)
    left = Session.open(engine=engine)
    turn = left.begin("Zoom in twice.", "chat").turn
    left.call_tool("zoom_map", {"level": 4}, turn=turn)
    # Nothing of the killed process is left but what it stored.
    session = Session.open(left.id, engine=Engine(tmp_path, catalogue_url=str(small_catalogue), today=TODAY))
    assert [(each.interrupted, each.reply) for each in session.turns] == [(True, None)]
    assert session.answer().outcome == "failed" and session.state.map.zoom == 4.0
    assert session.ask("undo that").outcome == "done"
    assert session.state.map.zoom == 2.0 and [each.interrupted for each in session.turns] == [True, False]
