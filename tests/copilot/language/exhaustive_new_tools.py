"""Which of all tools are found by what their docstrings say, and by a projection that is learned."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.language.learning.likeness import learned_projection
from copilot.language.new_tools import Leaflets
from copilot.language.policy import tokenizer
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

NAMES = tuple(tool.name for tool in toolbox())


@pytest.mark.parametrize("tool", ["hillshade", "db_count", "zoom_map", "export_map", "pca"])
def test_what_a_docstring_says_that_people_ask_is_likest_to_its_tool_among_all(tool: str) -> None:
    asked = shared_encoder().encode([toolbox().get(tool).phrases[0]])
    made = Leaflets(toolbox(), shared_encoder(), tokenizer())
    assert NAMES[int(made.likeness(asked).argmax())] == tool


def test_a_learned_projection_finds_more_tools_by_words_that_their_docstrings_do_not_have() -> None:
    said = {
        "hillshade": ["shaded terrain please", "make the mountains look 3d with light"],
        "zoom_map": ["take me to Spain", "go over to Lima now"],
        "db_count": ["the number of them", "what's the tally"],
        "undo": ["scratch that", "back out of it"],
    }
    numbers = np.array([NAMES.index(tool) for tool, each in said.items() for _ in each])
    vectors = shared_encoder().encode([text for each in said.values() for text in each])
    made = Leaflets(toolbox(), shared_encoder(), tokenizer())

    def found() -> int:
        return sum(
            int(made.likeness(one[None]).argmax()) == n for one, n in zip(vectors, numbers, strict=True)
        )

    before = found()
    made.project(learned_projection(vectors, numbers, made))
    assert before < found() == len(numbers)
