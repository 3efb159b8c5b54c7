"""A few of the random calls and hostile texts that `exhaustive_fuzz.py` makes by the hundred."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benches.fuzz.calls import Fuzz, stand_ins
from benches.fuzz.drawing import tools
from benches.fuzz.requests import Found, ask_all, chat_texts

CALLS = 12
TEXTS = 4


def test_random_calls_keep_what_holds_for_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in stand_ins().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    fuzz = Fuzz(tmp_path / "run", seed=13)
    try:
        fuzz.episode(CALLS, replayed=True)
    finally:
        fuzz.close()
    assert fuzz.tally.wrong == []
    assert (sum(fuzz.tally.made.values()), fuzz.tally.replays) == (CALLS, 1)


def test_hostile_chat_texts_are_answered_in_sentences(tmp_path: Path) -> None:
    found = Found()
    ask_all(tmp_path, TEXTS, 13, found)
    assert found.wrong == [] and sum(found.asked.values()) == TEXTS


def test_a_wrong_argument_comes_now_and_then_and_every_tool_gets_its_turn() -> None:
    texts = chat_texts(Random(1))
    assert len({next(texts) for _ in range(200)}) > 150
    assert len({each.name for each in tools()}) == len(tools()) > 200
