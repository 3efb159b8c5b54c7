"""Wordings: the intent's own, in a form that fits, and nothing lost on the way."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.bench.build.fill import Drawer, Filled, fill
from copilot.bench.build.intents import Intent
from copilot.bench.build.slots import Value
from copilot.bench.build.wording import carriers, ways, worded
from copilot.bench.check.play import FRESH
from copilot.bench.spread import Bench
from copilot.bench.task import GoldCall
from tests.copilot.bench.build.small_intents import intent, small_intents


def test_an_order_a_question_and_a_statement_take_the_forms_that_fit_them() -> None:
    def forms(wording: str) -> set[str]:
        return {each.form for each in carriers().fitting(wording)}

    assert "Could you {request}?" in forms("Plot the ships") - forms("Which ships?") - forms("ships, 2018")
    assert "Do you know: {request}" in forms("Which ships are there?") - forms("Plot the ships")
    assert "Hi! {Request}" in forms("Plot it") & forms("Which?") & forms("ships, 2018")


def test_every_form_holds_the_request_once() -> None:
    for each in carriers().forms:
        assert each.form.lower().count("{request}") == 1
        assert each.to in ("order", "question", "any")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(small_intents()), st.integers(0, 10**6))
def test_a_request_says_every_slot_and_has_no_brace(drawer: Drawer, wanted: Intent, seed: int) -> None:
    values = drawer.values(wanted, Random(seed))
    request = worded(Filled(wanted, values, (), (), (), "", FRESH, FRESH), Random(seed))
    assert "{" not in request and "}" not in request and "  " not in request
    assert all(value.say.lower() in request.lower() for value in values.values())


def test_a_name_that_is_taken_to_the_letter_keeps_its_capitals(bench: Bench) -> None:
    some = replace(
        intent("page-and-base"),
        requests=("Save it all as Port Study",) * 4,
        slots={},
        setup=(),
        calls=(GoldCall("notify", {"text": "Port Study"}),),
        reply="Saved.",
    )
    made = fill(some, {}, bench.player)
    assert all("Port Study" in worded(made, Random(seed)) for seed in range(60))


def test_some_requests_are_written_in_small_letters(bench: Bench) -> None:
    values = {"page": Value("help", "help"), "base": Value("dark", "dark")}
    made = fill(intent("page-and-base"), values, bench.player)
    requests = [worded(made, Random(seed)) for seed in range(100)]
    assert 5 < sum(each == each.lower() for each in requests) < 60
    assert len(set(requests)) >= 30


def test_the_ways_of_an_intent_are_its_wordings_in_their_forms() -> None:
    some = intent("page-and-base")
    assert ways(some) == sum(1 + len(carriers().fitting(wording)) for wording in some.requests) > 40
