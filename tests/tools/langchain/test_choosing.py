"""Examples by similarity."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.engine import encode_texts
from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.world import run
from tools.base import World
from tools.langchain.choosing import select_examples

REQUESTS = [
    "Plot the ships near Lagos",
    "How cloudy is it over Peru?",
    "Export everything as CSV",
    "Undo that",
]


def test_the_examples_are_the_nearest_by_cosine(world: World) -> None:
    step = run(world, State(), select_examples, query="save the rows to a file", texts=REQUESTS, k=2)
    cosines = encode_texts(REQUESTS) @ encode_texts(["save the rows to a file"])[0]
    assert [each["number"] - 1 for each in step.data["examples"]] == np.argsort(-cosines)[:2].tolist()
    assert step.data["examples"][0]["text"] == "Export everything as CSV"
    assert (step.data["of"], step.state) == (4, State())


def test_a_row_is_given_whole(world: World) -> None:
    frame = columns(request=[*REQUESTS, None], answer=["a", "b", "c", "d", "e"])
    step = run(world, having(world, frame), select_examples, query="revert", table=TABLE, k=1)
    assert step.data["examples"][0]["row"] == {"request": "Undo that", "answer": "d"}
    assert step.data["column"] == "request"


def test_more_examples_than_there_are_is_all_of_them(world: World) -> None:
    step = run(world, State(), select_examples, query="x", texts=["same", "same", "other"], k=9)
    assert sorted(each["number"] for each in step.data["examples"]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("args", "said"),
    [({}, "texts or a table"), ({"texts": ["  "]}, "no example to choose from"),
     ({"texts": ["a"], "query": " "}, "The request is blank")],
)  # fmt: skip
def test_nothing_to_choose_from_is_told(world: World, args: dict[str, object], said: str) -> None:
    step = run(world, State(), select_examples, **{"query": "x", **args})
    assert step.failed and said in step.observation
