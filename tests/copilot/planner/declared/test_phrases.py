"""The phrases that choose a tool: current, and the likest first."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.planner.declared.learn import pairs
from copilot.planner.declared.phrases import FILE, Phrases, _read, words_of
from copilot.planner.declared.planning import chosen, steps_of
from copilot.planner.declared.things import Thing

DEM = Thing("raster", "raster-1a2b3c", "dem", frozenset({"dem"}), tool="add_file")


def test_the_file_holds_what_the_tools_the_bank_and_the_intents_say() -> None:
    tools, texts, vectors = _read(FILE)
    assert set(zip(tools, texts, strict=True)) == set(pairs()), "python -m copilot.planner.declared.learn"
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-2)


def test_words_lose_their_endings_and_the_empty_ones_go() -> None:
    assert words_of("Show me the contour lines of the DEM, please") == ("contour", "lin", "dem")


def test_no_phrases_rank_nothing() -> None:
    assert Phrases((), (), np.zeros((0, 384), np.float32)).ranked("hillshade") == []


@pytest.mark.parametrize(
    ("request_", "steps"),
    [
        ("hillshade of the DEM, then 50 m contours on top", ["hillshade of the DEM", "50 m contours on top"]),
        ('write "clip, then buffer" on the picture', ['write "clip, then buffer" on the picture']),
        ("buffer the drawing by 5 km and dissolve it", ["buffer the drawing by 5 km", "dissolve it"]),
    ],
)
def test_a_request_is_cut_into_its_steps_but_not_inside_quotes(request_: str, steps: list[str]) -> None:
    assert steps_of(request_) == steps


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("hillshade of the dem", "hillshade"),
        ("which way do the slopes face?", "aspect"),
        ("what is 12 * 7", "calculate"),
        ("show ships near Rotterdam from 2020", None),
        ("undo that", None),
    ],
)
def test_a_step_is_planned_here_or_left_to_the_rules(text: str, tool: str | None) -> None:
    assert chosen(text, [DEM]) == tool
