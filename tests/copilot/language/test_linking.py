"""Words that the tools take for one name."""

from __future__ import annotations

import pytest

from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.linking import Links


@pytest.fixture(scope="module")
def links() -> Links:
    engine = Engine.in_memory(default_engine().catalogue_address, today=TODAY)
    return Links.of(engine.catalogue, engine.gazetteer)


@pytest.mark.parametrize(
    ("argument", "said", "value", "same"),
    [
        ("classes", "churches", "place_of_worship", True),
        ("classes", "tugs", "Tugboat", True),
        ("classes", "tugs", "Container Ship", False),
        ("classes", "the churches that stand in Lisbon", "place_of_worship", False),
        ("place", "the States", "United States", True),
        ("place", "Paris", "London", False),
        ("place", "qqqq", "zzzz", False),
        ("name", "tugs", "Tugboat", False),
    ],
)
def test_words_are_one_name_where_the_tools_take_them_for_it(
    links: Links, argument: str, said: str, value: str, same: bool
) -> None:
    assert links.same(argument, said, value) is same
