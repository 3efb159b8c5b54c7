"""A part of the bank is played; all of it is played by `python -m copilot.language.bank lint`."""

from __future__ import annotations

import pytest

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, read_examples
from copilot.language.bank.proving import problems_of

EACH = 80
"""One example of so many is played here."""


@pytest.mark.slow
def test_examples_of_the_bank_work() -> None:
    player = steady_player(steady_world(Engine.in_memory(default_engine().catalogue_address)))
    some = list(read_examples(sorted(EXAMPLES.glob("*.jsonl"))))[::EACH]
    with in_place():
        wrong = {each.id: found for each in some if (found := problems_of(player, each))}
    assert len(some) > 1 and wrong == {}
