"""The requests are well formed, and none is passed by doing nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import pytest

from data.vocabulary.thesaurus import find
from state.codec import to_json
from state.model import State
from tests.requests.check import OPERATORS, check
from tests.requests.matching import fold
from tests.requests.records import FOLDER, HELD_OUT, Request, read_requests
from tests.requests.run import Run
from tools.toolbox import toolbox

KNOWN = tuple(read_requests(FOLDER))
UNSEEN = tuple(read_requests(HELD_OUT))
EVERY = KNOWN + UNSEEN
TOOL_OPERATORS = ("tools_include", "tools_exclude", "tools_any", "calls_include")


def expectations(expect: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each operator and what it wants, those within any_of included."""
    for name, wanted in expect.items():
        yield name, wanted
        if name == "any_of":
            for one in wanted:
                yield from expectations(one)


def words_of(request: Request) -> Iterator[str]:
    """Every class a request may end with."""
    for name, wanted in expectations(request.expect):
        lists = wanted if name == "classes_any_of" else [wanted] if name == "classes" else []
        yield from (word for one in lists for word in one)


def tools_of(request: Request) -> Iterator[str]:
    """Every tool a request names."""
    for name, wanted in expectations(request.expect):
        if name in TOOL_OPERATORS:
            for one in wanted:
                named = (
                    one["tool"] if isinstance(one, dict) else "|".join(one) if isinstance(one, list) else one
                )
                yield from filter(None, named.split("|"))


def test_there_are_at_least_340_requests_and_120_more_held_out() -> None:
    assert len(KNOWN) >= 340
    assert len(UNSEEN) >= 120


def test_no_id_and_no_conversation_stands_twice() -> None:
    assert len({each.id for each in EVERY}) == len(EVERY)
    assert len({tuple(fold(turn) for turn in each.turns) for each in EVERY}) == len(EVERY)


def test_every_operator_is_known_and_used() -> None:
    assert {name for each in EVERY for name, _ in expectations(each.expect)} | {"outcome"} == set(OPERATORS)


def test_every_day_named_is_a_day() -> None:
    for each in EVERY:
        for name, wanted in expectations(each.expect):
            if name in ("start", "end"):
                for day in wanted if isinstance(wanted, list) else [wanted]:
                    assert day is None or date.fromisoformat(day).isoformat() == day, each.id


def test_every_class_wanted_is_one_the_catalogue_has() -> None:
    unknown = [
        (each.id, word) for each in EVERY for word in words_of(each) if not any(map(find, word.split("|")))
    ]
    assert unknown == []


def test_every_tool_named_is_in_the_toolbox_or_planned() -> None:
    known = {tool.name for tool in toolbox()} | {"distance_between", "area_of", "open_url"}
    assert {name for each in EVERY for name in tools_of(each)} <= known


def test_what_a_reply_includes_is_words_and_no_pattern() -> None:
    """Replies are searched for the words themselves: "[Yy]es" is in none of them."""
    wanted = [(each.id, text) for each in EVERY for name, texts in expectations(each.expect)
              if name == "reply_includes" for text in texts]  # fmt: skip
    assert [each for each in wanted if set(each[1]) & set("[]\\^$*+")] == []


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_doing_nothing_passes_none(outcome: str) -> None:
    start = to_json(State())
    nothing = {"reply": "", "calls": [], "state": start, "outcome": outcome}
    passed = [each.id for each in EVERY if not check(each.expect, Run(start, (nothing,) * len(each.turns)))]
    assert passed == []


def test_refusing_everything_passes_only_what_should_be_refused_or_asked() -> None:
    start = to_json(State())
    refusal = {"reply": "I cannot do that.", "calls": [], "state": start, "outcome": "rejected"}
    passed = [each for each in EVERY if not check(each.expect, Run(start, (refusal,) * len(each.turns)))]
    assert all("rejected" in each.expect.get("outcome", "done") for each in passed)
    assert len(passed) < len(EVERY) // 10
