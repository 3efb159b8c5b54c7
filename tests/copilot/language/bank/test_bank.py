"""The bank as it stands: its first examples are played here, more of them in `exhaustive_bank.py`."""

from __future__ import annotations

from itertools import islice

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.standin import in_place
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, read_examples
from copilot.language.bank.proving import problems_of, twice

FEW = 5


def test_nothing_is_in_the_bank_twice() -> None:
    assert twice(read_examples(sorted(EXAMPLES.glob("*.jsonl")))) == []


def test_the_first_examples_of_the_bank_work() -> None:
    player = steady_player(steady_world(Engine.in_memory(default_engine().catalogue_address)))
    first = list(islice(read_examples(sorted(EXAMPLES.glob("*.jsonl"))), FEW))
    with in_place():
        wrong = {each.id: found for each in first if (found := problems_of(player, each))}
    assert (len(first), wrong) == (FEW, {})
