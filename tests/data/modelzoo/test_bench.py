"""The bench of the selection agent: what it asks, what it keeps, and how it judges."""

from __future__ import annotations

from collections import Counter

import pytest

from benches.modelzoo.rubric import is_development, ndcg, queries, second_rubric
from data.modelzoo.lexicon import lexicon
from data.modelzoo.reading import zoo


def test_the_bench_has_every_kind_of_the_paper_and_as_many_free_requests() -> None:
    kinds = Counter(each.kind for each in queries())
    assert (len(kinds) - 1, kinds.pop("free") + sum(kinds.values())) == (16, 120)
    assert set(kinds.values()) == {4}
    assert {each.application for each in queries()} <= set(lexicon().applications)


def test_the_second_rubric_judges_every_request_and_names_models_that_there_are() -> None:
    ids = {each.model_id for each in zoo().records}
    judged = second_rubric()
    assert set(judged) == {each.id for each in queries()}
    assert {model for told in judged.values() for model in told} <= ids
    assert {value for told in judged.values() for value in told.values()} <= {1, 2, 3, 4, 5}


def test_no_application_is_in_both_parts_of_the_second_rubric() -> None:
    parts = {each.application: is_development(each) for each in queries()}
    assert all(parts[each.application] == is_development(each) for each in queries())
    assert Counter(map(is_development, queries())) == {True: 65, False: 55}


@pytest.mark.parametrize(
    ("shown", "gain"),
    [(["a", "b", "c"], 1.0), (["d", "e", "f"], 0.0), (["b", "a", "c"], 0.872)],
)
def test_the_best_order_has_an_ndcg_of_one_and_models_that_nobody_judged_none(
    shown: list[str], gain: float
) -> None:
    assert round(ndcg(shown, {"a": 5, "b": 3, "c": 2}), 3) == gain
