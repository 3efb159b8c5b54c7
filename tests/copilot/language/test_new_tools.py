"""Tools that no known request wants: which of them are read beside a request."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from copilot.language.new_tools import MAX_PIECES, OFFERED, Leaflets
from copilot.language.policy import tokenizer
from copilot.planner.head import shared_encoder
from tools.toolbox import Toolbox, toolbox

NAMES = (
    *("hillshade", "slope", "aspect", "contour_lines", "pca", "buffer", "undo", "db_count", "db_list"),
    *("zoom_map", "export_map", "fit_layer", "reset_map", "heatmap_plot"),
)
"""Some of the tools; `exhaustive_new_tools.py` holds a docstring against those of all of them."""


@cache
def leaflets() -> Leaflets:
    return Leaflets(Toolbox(tuple(map(toolbox().get, NAMES))), shared_encoder(), tokenizer())


@pytest.mark.parametrize("tool", ["hillshade", "db_count", "zoom_map", "export_map", "pca"])
def test_what_a_docstring_says_that_people_ask_is_likest_to_its_tool(tool: str) -> None:
    asked = shared_encoder().encode([toolbox().get(tool).phrases[0]])
    assert NAMES[int(leaflets().likeness(asked).argmax())] == tool


def test_the_likeliest_new_tools_are_read_and_no_known_one() -> None:
    new = np.array(
        [name in ("hillshade", "slope", "contour_lines", "pca", "buffer", "undo") for name in NAMES]
    )
    asked = shared_encoder().encode(["relief shading of the heights"])
    likeness = leaflets().likeness(asked)
    offers = leaflets().offers(new, likeness, asked, 10)
    read = [NAMES[number] for number in offers.tools]
    assert read[0] == "hillshade"
    assert len(read) == OFFERED
    assert all(new[number] for number in offers.tools)
    assert sorted(likeness[offers.tools], reverse=True) == list(likeness[offers.tools])


def test_each_begins_where_the_one_before_it_ends() -> None:
    asked = shared_encoder().encode(["relief shading of the heights"])
    offers = leaflets().offers(np.ones(len(NAMES), bool), leaflets().likeness(asked), asked, 10)
    ends = [*offers.first[1:], 10 + len(offers.pieces)]
    assert offers.first[0] == 10
    assert all(1 < end - first <= MAX_PIECES for first, end in zip(offers.first, ends, strict=True))


def test_without_new_tools_nothing_is_read() -> None:
    asked = shared_encoder().encode(["relief shading"])
    offers = leaflets().offers(np.zeros(len(NAMES), bool), leaflets().likeness(asked), asked, 10)
    assert (offers.pieces.size, offers.first.size, offers.tools.size) == (0, 0, 0)
