"""knowledge_search: passages of what is built in, by DualRAG."""

from __future__ import annotations

from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.knowledge.searching import knowledge_search


def test_passages_come_with_their_sources_and_the_keywords_that_led_to_them(world: World) -> None:
    step = run(world, State(), knowledge_search, query="speckle filter of Lee", k=3, scope="entries")
    assert not step.failed, step.observation
    assert "speckle" in {each["text"] for each in step.data["keywords"]} or step.data["keywords"]
    found = {each["id"]: each for each in step.data["passages"]}
    assert "lee-filter" in found
    assert found["lee-filter"]["sources"] and found["lee-filter"]["licence"]
    assert step.state == State()


def test_azimuth_s_own_manual_is_searched_apart(world: World) -> None:
    step = run(world, State(), knowledge_search, query="undo a step", scope="azimuth", k=5)
    assert {each["document"].partition("/")[0] for each in step.data["passages"]} == {"docs"}


def test_without_documents_of_one_s_own_it_is_said_how_to_add_one(world: World) -> None:
    step = run(world, State(), knowledge_search, query="offset", scope="mine")
    assert (step.failed, step.observation) == (
        True,
        "No document was added yet; knowledge_add adds one, and the scope 'all' searches the rest.",
    )


def test_a_question_without_words_is_asked_for_in_words(world: World) -> None:
    step = run(world, State(), knowledge_search, query="?!")
    assert (step.failed, step.observation) == (True, "There are no words in '?!'; ask a question in words.")
