"""DualRAG as published: keywords with weights, two paths, and their union."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from data.knowledge.base import Base
from data.knowledge.dualrag import GLOBAL, KEYWORD, embedded_keywords, retrieve, shares
from data.knowledge.keywords import Keyword, scaled

WEIGHTS = st.lists(st.integers(1, 10), min_size=1, max_size=12)


def keywords(weights: list[int]) -> list[Keyword]:
    return [Keyword(f"word{at}", weight) for at, weight in enumerate(weights)]


@given(WEIGHTS, st.integers(1, 50))
def test_each_keyword_takes_its_share_of_n_within_one_and_all_take_n(weights: list[int], n: int) -> None:
    found = shares(keywords(weights), n)
    assert sum(found) == n
    assert all(
        abs(count - weight * n / sum(weights)) < 1 for count, weight in zip(found, weights, strict=True)
    )


def test_shares_are_those_of_the_formula_where_it_gives_whole_numbers() -> None:
    assert shares(keywords([5, 3, 2]), 10) == (5, 3, 2)
    assert shares([], 10) == ()


@given(st.floats(0, 20), st.floats(0.1, 20))
def test_a_weight_is_a_whole_number_from_1_to_10(score: float, best: float) -> None:
    assert 1 <= scaled(score, best) <= 10


def test_keywords_are_the_names_in_a_question_and_what_else_carries_meaning(base: Base) -> None:
    found = embedded_keywords(base, "How does a Lee filter make the speckle of SAR images weaker?")
    assert {each.text for each in found} == {"lee filter", "speckle", "sar", "images weaker"}
    assert max(each.weight for each in found) == 10


def test_the_rarer_word_weighs_more(base: Base) -> None:
    weights = {each.text: each.weight for each in embedded_keywords(base, "radar or Toulouse")}
    assert weights["toulouse"] > weights["radar"]


def test_a_question_of_empty_words_is_its_own_keyword(base: Base) -> None:
    assert embedded_keywords(base, "what is  this?") == (Keyword("what is this?", 10),)


def test_the_guidance_is_the_union_of_both_paths_and_says_which_led_where(base: Base) -> None:
    question = "Compare the span of the A380 and the 747-8"
    chosen = [Keyword("A380", 5), Keyword("747-8", 5)]
    both = retrieve(base, question, n=2, keywords=chosen)
    alone = {
        path: retrieve(base, question, n=2, keywords=chosen, paths=(path,)) for path in (GLOBAL, KEYWORD)
    }
    led = {path: {each.passage.id for each in found.guides} for path, found in alone.items()}
    assert {each.passage.id for each in both.guides} == led[GLOBAL] | led[KEYWORD]
    assert led[KEYWORD] == {"airbus-a380", "boeing-747-8"}
    assert {each.passage.id: each.paths[-1] for each in alone[KEYWORD].guides} == {
        "airbus-a380": "A380",
        "boeing-747-8": "747-8",
    }


def test_relations_lead_on_from_what_both_paths_found(base: Base) -> None:
    chosen = [Keyword("synthetic aperture radar", 10)]
    asked = "What reduces what a synthetic aperture radar suffers from?"
    published = retrieve(base, asked, n=1, keywords=chosen, paths=(GLOBAL, KEYWORD))
    followed = retrieve(base, asked, n=1, keywords=chosen)
    assert [each.passage.id for each in published.guides] == ["synthetic-aperture-radar"]
    assert {each.passage.id: each.paths[0] for each in followed.guides}["speckle"] == "relation"


def test_local_follows_entities_and_global_follows_relations(base: Base) -> None:
    texts = ["Lee filter", "Speckle reduced by Lee filter"]
    vectors = base.encode(texts)
    local, related = base.ranked(texts, vectors, 2, "local")[0], base.ranked(texts, vectors, 2, "global")[1]
    assert base.passage(local[0]).id == "lee-filter"
    assert [base.passage(each).id for each in related] == ["speckle", "lee-filter"]
