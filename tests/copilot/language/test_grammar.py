"""Frames as tokens: what is written can be read again, and nothing else can be written."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copilot.language.frame import Literal, Pointer, Result, Step
from copilot.language.grammar import END, MAX_SPAN, Vocabulary, Written
from tests.copilot.language.said import tools

WORDS = 60
LITERALS = {"names": ['"mean"'], "level": ["3"]}


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary(tools(), LITERALS)


def test_a_frame_is_read_again_as_it_was_written() -> None:
    frame = (
        Step("db_load", (("names", (Literal('"mean"'), Pointer(0, 1))),)),
        Step("zoom_map", (("level", (Literal("3"),)),)),
        Step("raster_stats", (("raster", (Result(1),)),)),
        Step("undo"),
    )
    tokens = vocabulary().tokens(frame)
    assert tokens is not None and tokens[-1] == END
    assert vocabulary().frame(tokens) == frame


def test_a_literal_is_taken_only_by_the_arguments_that_it_was_meant_for() -> None:
    three = vocabulary().tokens((Step("zoom_map", (("level", (Literal("3"),)),)),))
    assert three is not None
    written = Written(vocabulary(), WORDS)
    for token in three[:2]:
        written = written.step(token)
    assert written.allowed().tokens[three[2]]
    place = Written(vocabulary(), WORDS)
    for token in (vocabulary().tokens((Step("filter_coords"),)) or [])[:1]:
        place = place.step(token)
    assert not place.step(vocabulary().token_of("place")).allowed().tokens[three[2]]


def test_a_literal_that_training_never_saw_cannot_be_written() -> None:
    assert vocabulary().tokens((Step("zoom_map", (("level", (Literal("99.5"),)),)),)) is None


@given(st.randoms(use_true_random=False))
def test_whatever_the_grammar_allows_is_a_frame_of_tools_and_their_arguments(chance: object) -> None:
    written, tokens = Written(vocabulary(), WORDS), list[int]()
    for _ in range(40):
        allowed = written.allowed()
        choices = [*np.flatnonzero(allowed.tokens), *(vocabulary().size + n for n in range(*allowed.words))]
        token = int(chance.choice(choices))  # type: ignore[attr-defined]
        tokens.append(token)
        if token == END:
            break
        written = written.step(token)
    for step in vocabulary().frame(tokens):
        takes = tools()[step.tool]
        assert {name for name, _ in step.arguments} <= set(takes)
        assert len({name for name, _ in step.arguments}) == len(step.arguments)
        for name, values in step.arguments:
            assert takes[name].is_list or len(values) == 1
            for value in values:
                if isinstance(value, Pointer):
                    assert 0 <= value.first <= value.last < min(WORDS, value.first + MAX_SPAN)
                elif isinstance(value, Literal):
                    assert value.json in (*takes[name].spelled, *LITERALS.get(name, ()))
                else:
                    assert takes[name].is_free
