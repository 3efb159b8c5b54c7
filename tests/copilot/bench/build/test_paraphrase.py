"""Wording by a model, over the real protocol: what a model loses or adds is noticed."""

from __future__ import annotations

import pytest

from copilot.bench.build.fill import Filled, fill
from copilot.bench.build.paraphrase import Paraphraser, holds, kept_parts
from copilot.bench.build.slots import Value
from copilot.bench.spread import Bench
from copilot.engine import Engine
from copilot.models import ModelNotConfigured
from tests.copilot.bench.build.small_intents import intent
from tests.openai_server import KEY, OpenAIServer, Reply, fails, openai_server, refuses, says

VALUES = {
    "dataset": Value("xView", "xview1"),
    "class": Value("small cars", "Small Car"),
    "city": Value("Pittsburgh", "Pittsburgh"),
    "year": Value("2018", 2018, {"start": Value("", "2018-01-01"), "end": Value("", "2018-12-31")}),
    "color": Value("red", "red"),
}
REQUEST = "Plot small cars near Pittsburgh from 2018 as red points, using xView"
GOOD = "With xView, put red points on the map where small cars were seen around Pittsburgh in 2018"


@pytest.fixture
def made(bench: Bench) -> Filled:
    return fill(intent("class-in-a-year"), VALUES, bench.player)


def reworded(
    made: Filled, engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> tuple[str, bool, OpenAIServer]:
    with openai_server(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        text, own = Paraphraser.named("small", engine).reworded(REQUEST, made)
        return text, own, server


def test_a_good_paraphrase_is_taken_and_the_model_is_told_what_to_keep(
    made: Filled, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, own, server = reworded(made, engine, monkeypatch, says(f' "{GOOD}" '))
    assert (text, own) == (GOOD, True)
    system, user = server.asked[0]["messages"]
    assert user["content"] == REQUEST
    assert all(f'"{value.say}"' in system["content"] for value in VALUES.values())


@pytest.mark.parametrize(
    "reply",
    [
        says(GOOD.replace("Pittsburgh", "that city")),
        says(GOOD.replace("2018", "2019")),
        says(f"{GOOD}, the first 10 of them"),
        says("red small cars Pittsburgh 2018 xView " * 20),
        says(REQUEST),
        says(""),
        refuses("I would rather not."),
        fails(400, "No."),
    ],
)
def test_a_paraphrase_that_does_not_hold_leaves_the_hand_written_words(
    made: Filled, engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> None:
    text, own, _ = reworded(made, engine, monkeypatch, reply)
    assert (text, own) == (REQUEST, False)


def test_only_what_the_request_says_has_to_be_kept(made: Filled) -> None:
    assert kept_parts("Where are small cars in Pittsburgh?", made) == ["Pittsburgh", "small cars"]
    assert holds(
        "In Pittsburgh, where do small cars stand?", "Where are small cars in Pittsburgh?", ["Pittsburgh"]
    )


def test_a_model_that_is_not_configured_is_refused_before_anything_is_made(engine: Engine) -> None:
    with pytest.raises(ModelNotConfigured):
        Paraphraser.named("small", engine)
