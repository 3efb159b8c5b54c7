"""What is answered to words that ask for nothing to be done."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from copilot.engine import Engine
from copilot.language.talk import VECTORS, Talk
from copilot.planner.head import shared_encoder
from copilot.planner.situation import Situation
from state.codec import to_json
from state.model import Database, Filters, State
from tests.tools.world import TODAY

SHARE_TOLD = 0.75
"""Of what somebody wrote apart from the phrases; measured when they were: 0.82 (docs/language.md)."""


@cache
def talk() -> Talk:
    return Talk(shared_encoder())


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("cheers pal, that does it", "thanks"),
        ("evening all", "greeting"),
        ("right, I'm away home", "goodbye"),
        ("our line is down again, can we still work", "offline"),
        ("from where do you have all these pictures", "sources"),
        ("will my work be lost when I shut the laptop", "saved"),
        ("do I need to pay for it", "cost"),
        ("am I talking to a person", "who"),
        ("oops my cat walked over the keys", "sorry"),
    ],
)
def test_talk_is_known_in_words_that_no_phrase_has(said: str, topic: str) -> None:
    assert talk().topic(said) == topic


def test_each_phrase_is_of_one_topic_alone() -> None:
    said = [phrase for each in talk().phrases.values() for phrase in each]
    assert len(said) == len(set(said))


def test_the_vectors_that_are_kept_are_those_of_the_phrases() -> None:
    """`python -m copilot.language.talk` makes them again."""
    with np.load(VECTORS) as file:
        assert str(file["source"]) == talk().source
        np.testing.assert_allclose(file["vectors"][:40] / 127, talk().encoded()[:40], atol=5e-3)


def test_most_talk_of_others_is_told_apart() -> None:
    lines = Path(__file__).with_name("talk_unseen.tsv").read_text("utf-8").splitlines()
    unseen = [line.split("\t") for line in lines]
    right = sum(talk().topic(said) == topic for topic, said in unseen)
    assert right >= SHARE_TOLD * len(unseen)


def test_what_is_selected_is_told_from_the_session(engine: Engine) -> None:
    state = State(database=Database(("fmow",), Filters(start="2019-01-01", place="Kenya"), 494))
    situation = Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer)
    assert talk().answer("remind me what we have", situation) == (
        "494 images of fmow are selected by place Kenya and start 2019-01-01."
    )


def test_nothing_that_is_selected_or_drawn_is_told_so(engine: Engine) -> None:
    situation = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    assert talk().answer("which filters are on", situation) == (
        "No data set is loaded, and nothing is filtered."
    )
    assert talk().answer("which layers are on the map", situation) == "There is no layer on the map."


def test_sample_data_is_called_so_where_its_source_is_asked_for(engine: Engine) -> None:
    situation = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    assert "Sample data is made up" in talk().answer("where do the data come from", situation)
