"""Which data sets have what a request names."""

from __future__ import annotations

from copilot.bench.task import TODAY
from copilot.engine import Engine
from copilot.language.holdings import holdings
from copilot.language.interpreter import shown_in
from copilot.language.view import Item
from copilot.planner.situation import Situation
from state.codec import to_json
from state.model import State
from tests.copilot.language.said import shown
from tools.class_words import ClassWords


def test_a_class_that_is_named_is_shown_with_the_data_sets_that_have_it(engine: Engine) -> None:
    known = ClassWords.over(engine.catalogue)
    assert [*holdings(shown("how many zoos and Tugboats are in Brazil? zoos!").mentions, known)] == [
        Item("zoos scene of"),
        Item("fmow", "fmow"),
        Item("tugboats object of"),
        *(Item(each, each) for each in known.holders("Tugboat")),
    ]
    assert [*holdings(shown("zoom to Brazil").mentions, known)] == []


def test_a_frame_can_point_at_the_data_set(engine: Engine) -> None:
    situation = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    seen = shown_in("zoos in Brazil", situation)
    assert seen.words == ("zoos", "in", "Brazil", "[SEP]", "zoos", "scene", "of", "fmow")
    item = seen.item(7)
    assert item is not None and item.value == "fmow"
