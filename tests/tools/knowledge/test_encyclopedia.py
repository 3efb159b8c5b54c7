"""wiki_rag: quotations from Wikipedia's articles, here from the stand-in's."""

from __future__ import annotations

import pytest

from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.knowledge.encyclopedia import wiki_rag


def test_an_answer_cites_the_article_that_it_is_from(world: World) -> None:
    step = run(world, State(), wiki_rag, question="Where is the Port of Rotterdam?", articles=1)
    assert not step.failed, step.observation
    assert [each["title"] for each in step.data["articles"]] == ["Port of Rotterdam"]
    for quote in step.data["quotes"]:
        assert quote["text"].rstrip(".") in step.data["sources"][quote["source"] - 1]["text"]


def test_when_wikipedia_cannot_be_reached_that_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZIMUTH_WIKIPEDIA_URL", "http://127.0.0.1:9/{language}/w/api.php")
    step = run(world, State(), wiki_rag, question="Where is the Port of Rotterdam?", articles=1)
    assert step.failed and "127.0.0.1" in step.observation and step.observation.endswith(".")
