"""Filling an intent: arguments, requests and replies, and what makes a fill not hold."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from copilot.bench.build.fill import Drawer, NotFilled, argument, fill, filled, said
from copilot.bench.build.slots import Value
from copilot.bench.check import Made
from copilot.bench.spread import Bench
from copilot.bench.task import GoldCall
from tests.copilot.bench.build.small_intents import intent, small_intents

YEAR = Value("2018", 2018, {"start": Value("1 January 2018", "2018-01-01")})
VALUES = {
    "dataset": Value("xView", "xview1"),
    "class": Value("small cars", "Small Car"),
    "city": Value("Pittsburgh", "Pittsburgh"),
    "year": Value("2018", 2018, {"start": YEAR.parts["start"], "end": Value("", "2018-12-31")}),
    "color": Value("red", "red"),
}


def test_an_argument_that_is_nothing_but_a_slot_takes_its_type() -> None:
    assert argument({"a": ["{year}", "in {year}"], "b": "{year.start}", "c": 5}, {"year": YEAR}) == {
        "a": [2018, "in 2018"],
        "b": "2018-01-01",
        "c": 5,
    }


def test_a_request_says_what_people_say() -> None:
    assert said("since {year.start}, {year}", {"year": YEAR}) == "since 1 January 2018, 2018"


def test_a_reply_quotes_counts_and_results() -> None:
    steps = (Made("t", text="It is so.", data={"groups": [{"key": "bus", "count": 12345}], "km": 3.14159}),)
    text = "{count}: {1.data.groups.0.key} {1.data.groups.0.count}, {1.data.km} km. {1.text}"
    assert said(text, {}, {"count": 1234}, (), steps) == "1,234: bus 12,345, 3.142 km. It is so."


def test_a_result_that_a_call_did_not_give_is_told() -> None:
    with pytest.raises(NotFilled, match=r"t gave no 'm' \(km\)"):
        said("{1.data.m}", {}, None, (), (Made("t", data={"km": 1}),))
    with pytest.raises(NotFilled, match="asks for call 2, and 1 were made before it"):
        said("{2.text}", {}, None, (), (Made("t"),))


def test_a_filled_intent_has_its_calls_its_end_and_its_reply(bench: Bench) -> None:
    made = fill(intent("class-in-a-year"), VALUES, bench.player)
    assert made.calls == (
        GoldCall("db_load", {"names": ["xview1"]}),
        GoldCall("filter_class", {"classes": ["Small Car"]}),
        GoldCall("filter_coords", {"place": "Pittsburgh"}),
        GoldCall("filter_date", {"start": "2018-01-01", "end": "2018-12-31"}),
        GoldCall("scatter_plot", {"color": "red"}),
    )
    assert made.played.state.database.count == 2
    assert made.reply == "2 images."
    assert made.said(made.intent.requests[1]) == (
        "xView: small cars within the Pittsburgh area, 2018, on the map as red points please"
    )


def test_a_call_may_take_what_an_earlier_one_brought(bench: Bench) -> None:
    calls = (
        GoldCall("db_load", {"names": ["xview1"]}),
        GoldCall("db_query", {"limit": 3}),
        GoldCall("sort_table", {"by": "-cloud_pct", "table": "{2.data.table}"}),
    )
    some = replace(intent("page-and-base"), slots={}, setup=(), calls=calls, reply="{3.data.rows} rows.")
    made = fill(some, {}, bench.player)
    assert made.calls[2].args["table"] == made.played.steps[1].data["table"]
    assert made.reply == "3 rows."


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"year": Value("1999", 1999, {"start": Value("", "1999-01-01"), "end": Value("", "1999-12-31")})},
         "scatter_plot(color='red') failed: Nothing is selected"),
        ({"color": Value("no colour", "no colour")}, "scatter_plot(color='no colour') failed:"),
        ({"class": Value("airport", "airport")}, "filter_class(classes=['airport']) failed:"),
    ],
)  # fmt: skip
def test_a_fill_that_does_not_hold_says_why(bench: Bench, changes: dict[str, Value], why: str) -> None:
    with pytest.raises(NotFilled) as error:
        fill(intent("class-in-a-year"), {**VALUES, **changes}, bench.player)
    assert str(error.value).startswith(why)


def test_a_selection_that_is_empty_at_the_end_does_not_hold(bench: Bench) -> None:
    values = {"dataset": Value("fmow", "fmow"), "country": Value("Japan", "Japan")}
    with pytest.raises(NotFilled, match=r"^the selection is empty at the end$"):
        fill(intent("classes-of-a-country"), values, bench.player)


def test_a_call_that_changes_nothing_does_not_hold(bench: Bench) -> None:
    some = intent("page-and-base")
    twice = replace(some, calls=(*some.calls, some.calls[0]))
    values = {"page": Value("data", "data"), "base": Value("dark", "dark")}
    with pytest.raises(NotFilled, match=r"^open_page\(name='data'\) changes nothing"):
        fill(twice, values, bench.player)


def test_the_small_intents_can_all_be_filled_and_the_same_seed_fills_the_same(
    drawer: Drawer, bench: Bench
) -> None:
    for each in small_intents():
        made = [filled(each, drawer, bench.player, Random(7)) for _ in range(2)]
        assert (made[0].calls, made[0].reply, made[0].values) == (
            made[1].calls,
            made[1].reply,
            made[1].values,
        )
        assert not made[0].played.failed
