"""Short runs of what the commands of `benches.fuzz` do for hours (docs/security.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches.fuzz.calls import Fuzz, stand_ins
from benches.fuzz.kills import Trial
from benches.fuzz.requests import Found, ask_all, run

CALLS = 90


@pytest.mark.slow
def test_random_calls_keep_what_holds_for_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in stand_ins().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    fuzz = Fuzz(tmp_path / "run", seed=13)
    try:
        for number in range(CALLS // 30):
            fuzz.episode(30, replayed=number == 0)
    finally:
        fuzz.close()
    assert fuzz.tally.wrong == []
    assert sum(fuzz.tally.made.values()) == CALLS and fuzz.tally.replays == 1
    assert sum(fuzz.tally.good.values()) > CALLS / 2


@pytest.mark.slow
def test_hostile_chat_texts_are_answered_in_sentences(tmp_path: Path) -> None:
    found = Found()
    ask_all(tmp_path, 30, 13, found)
    assert found.wrong == [] and sum(found.asked.values()) == 30


@pytest.mark.e2e
@pytest.mark.slow
def test_hostile_requests_over_http_break_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, 0, 150, 13)
    assert found.wrong == [] and sum(found.asked.values()) == 150


@pytest.mark.e2e
@pytest.mark.slow
def test_an_app_that_is_killed_in_each_way_loses_nothing(tmp_path: Path) -> None:
    trial = Trial(tmp_path, seed=13, workers_a_life=1)
    for way in ("calls", "job", "chat", "worker"):
        trial.life(way)
    trial.finish()
    assert trial.wrong == [] and sum(trial.kills.values()) >= 5
