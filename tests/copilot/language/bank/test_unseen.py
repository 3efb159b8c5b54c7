"""What is measured on unseen requests: right, wrong, and wrong without a word."""

from __future__ import annotations

import tomllib

from benches.unseen.__main__ import FOLDER, Judged, judged, table
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, example_of, read_examples
from tools.toolbox import toolbox

WITHHELD = tomllib.loads((FOLDER / "withheld.toml").read_text())


def test_each_turn_is_held_against_its_own_calls() -> None:
    zoom = {"say": "zoom to level 7", "calls": [["zoom_map", {"level": 7}]]}
    otherwise = {"say": "zoom to level 9", "calls": [["zoom_map", {"level": 4}]]}
    back = {"say": "undo that", "calls": [["undo", {}]]}
    address = default_engine().catalogue_address
    player = steady_player(steady_world(Engine.in_memory(address)))
    example = example_of({"id": "a-1", "voice": "surveyor", "turns": [zoom, otherwise, back]})
    found = judged(example, Engine.in_memory(address, today=TODAY), player)
    assert [(each.calls, each.right, each.silent) for each in found] == [
        (1, True, False),
        (1, False, True),
        (1, True, False),
    ]


def test_totals_alone_are_printed() -> None:
    one = [Judged(1, True, False, 0.1), Judged(2, False, True, 0.3)]
    assert table("voice", [one, [Judged(1, True, False, 0.2)]]) == "\n".join(
        [
            "voice: 66.7% of 3 turns right, 33.3% silently wrong",
            "  single requests: 100.0% right",
            "  conversations: 50.0% of their turns right, 0.0% of 1 from start to end",
            "  1 calls: 100.0% of 2 right, 0.0% silently wrong",
            "  2 calls: 0.0% of 1 right, 100.0% silently wrong",
            "  a turn: median 0.20 s, 95 % within 0.30 s",
        ]
    )


def test_the_bank_calls_no_tool_that_is_withheld() -> None:
    withheld = frozenset(WITHHELD["tools"])
    assert withheld <= {each.name for each in toolbox()}
    called = {
        call.tool
        for each in read_examples(sorted(EXAMPLES.glob("*.jsonl")))
        for turn in each.turns
        for way in (turn.calls, *turn.also)
        for call in way
    }
    assert called & withheld == set()
