"""The mix: how many of each kind, how many calls a request, and no more of an intent than it can give."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copilot.bench.build.intents import Intent, load_intents
from copilot.bench.build.mix import capacity, mix_of, size_named
from tests.copilot.bench.build.small_intents import intent, small_intents


def of_length(name: str, calls: int) -> Intent:
    some = intent("class-in-a-year")
    return replace(some, id=name, calls=some.calls[:1] * calls)


def test_the_kinds_have_their_shares_to_the_last_task() -> None:
    assert mix_of(small_intents(), 500).quotas == {"load-filter-plot": 300, "ui-web": 100, "information": 100}
    assert mix_of(small_intents(), 7).quotas == {"load-filter-plot": 4, "ui-web": 2, "information": 1}


def test_a_kind_without_intents_leaves_its_share_to_the_others() -> None:
    some = [each for each in small_intents() if each.category != "ui-web"]
    assert mix_of(some, 400).quotas == {"load-filter-plot": 300, "information": 100}


@pytest.mark.parametrize("calls", [3.0, 5.2, 8.0])
def test_the_weights_bring_the_calls_a_request_to_the_aim(calls: float) -> None:
    mix = mix_of([of_length("short", 2), of_length("middle", 5), of_length("long", 9)], 1000, calls)
    assert mix.expected_calls == pytest.approx(calls, abs=0.01)
    weights = mix.weights["load-filter-plot"]
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["short"] * 2 + weights["middle"] * 5 + weights["long"] * 9 == pytest.approx(
        calls, abs=0.01
    )


def test_an_intent_is_not_asked_for_more_than_it_can_give() -> None:
    few = replace(intent("page-and-base"), id="few", slots={})
    mix = mix_of([few, intent("page-and-base"), intent("cannot-sail")], 10_000)
    assert mix.weights["ui-web"]["few"] * 10_000 <= capacity(few) + 1
    assert mix.weights["ui-web"]["cannot-sail"] > 0.9


def test_the_written_intents_reach_the_mean_at_every_size() -> None:
    intents = load_intents()
    assert [mix_of(intents, size).expected_calls for size in (500, 10_000, 100_000)] == [
        pytest.approx(5.2, abs=0.05)
    ] * 3


def test_a_size_has_a_name_or_is_a_number() -> None:
    assert [size_named(text) for text in ("500", "10k", "100k", "60")] == [500, 10_000, 100_000, 60]
    for text in ("0", "-3", "many", "1k5"):
        with pytest.raises(ValueError, match=f"^'{text}' is no number of tasks"):
            size_named(text)


def test_there_is_no_mix_of_nothing() -> None:
    with pytest.raises(ValueError, match="no intents"):
        mix_of([], 10)
