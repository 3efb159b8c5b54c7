from __future__ import annotations

from dataclasses import replace

import pytest

from data.modelzoo import memory
from data.modelzoo.agent import Answer, Collection, Conversation, answer, say
from data.modelzoo.certainty import confidence
from data.modelzoo.query import Query
from tests.data.modelzoo.few import TODAY


def talk(collection: Collection, *turns: str) -> Answer:
    """How a conversation ends."""
    found: Answer | None = None
    for turn in turns:
        found = answer(collection, say(collection, turn, found.conversation if found else None), TODAY)
    assert found is not None
    return found


def ids(found: Answer) -> list[str]:
    return [each.id for each in found.ranked]


def test_what_is_mandatory_is_asked_and_the_answers_lead_to_models(few: Collection) -> None:
    first = talk(few, "which model?")
    assert first.question is not None and first.question.field == "application"
    second = talk(few, "which model?", "Flood mapping")
    assert second.question is not None
    assert (second.question.field, second.question.choices) == (
        "modalities",
        (
            "Multispectral images, such as Sentinel-2 or Landsat",
            "Radar (SAR), such as Sentinel-1",
            "It does not matter",
        ),
    )
    last = talk(few, "which model?", "Flood mapping", "Radar (SAR), such as Sentinel-1")
    assert (ids(last)[:2], last.conversation.asked) == (["delta", "cove"], ("application", "modalities"))


def test_at_most_three_questions_are_asked_and_then_it_goes_on_with_what_it_knows(few: Collection) -> None:
    found = talk(few, "which model?", "hm", "hm", "hm")
    assert found.question is None
    assert (len(found.conversation.asked), len(found.ranked)) == (3, 10)


def test_it_does_not_matter_is_an_answer(few: Collection) -> None:
    found = talk(few, "a model for floods", "It does not matter")
    assert found.question is None
    assert found.conversation.query.declined == ("modalities",)
    assert ids(found)[0] == "delta"


def test_nobody_is_asked_who_does_not_want_to_be(few: Collection) -> None:
    found = answer(few, say(few, "which model?"), TODAY, may_ask=False)
    assert (found.question, len(found.ranked)) == (None, 10)


def test_a_follow_up_refines_the_request(few: Collection) -> None:
    turns = ["floods from Sentinel-1", "only radar, and it must run on a laptop", "and for change detection?"]
    assert [talk(few, *turns[:number]).conversation.query.given() for number in (1, 2, 3)] == [
        {"application": "flood mapping", "modalities": ["sar"], "sensors": ["Sentinel-1"]},
        {"application": "flood mapping", "modalities": ["sar"], "deployment_device": "laptop"},
        {"application": "change detection", "modalities": ["sar"], "deployment_device": "laptop"},
    ]


def test_what_satisfies_comes_before_what_does_not_tell(few: Collection) -> None:
    found = talk(few, "cloud masks from multispectral images with at most 200 million parameters")
    assert (ids(found), found.satisfying, found.untold) == (["acre", "haze", "jetty"], 1, 2)


def test_where_nothing_satisfies_the_closest_come_with_what_they_lack(few: Collection) -> None:
    found = talk(few, "ships from thermal images with at most 10 million parameters")
    assert found.is_closest
    lacks = found.missed(found.ranked[0])
    assert lacks.broken == ("thermal data", "at most 10 million parameters")


def test_a_reading_by_likeness_is_confirmed_before_it_is_used(few: Collection) -> None:
    found = talk(few, "which model finds rusty tankers on the sea, from radar")
    assert found.question is not None and found.question.field == "application"


def test_confidence_falls_with_the_reading_the_evidence_and_the_lead(few: Collection) -> None:
    ranked = talk(few, "floods from Sentinel-1").ranked
    sure = confidence(ranked, 1, 1.0)
    assert confidence(ranked, 1, 0.6).overall < sure.overall <= 1
    assert confidence((), 3, 1.0).overall == 0


def test_a_conversation_goes_through_json_and_back(few: Collection) -> None:
    said = replace(talk(few, "a model for floods").conversation, near=("flood mapping",))
    assert Conversation.from_json(said.to_json()) == said


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (Query(application="flood mapping", modalities=("sar",)), "table-1"),
        (Query(application="visual question answering", modalities=("text",)), None),
    ],
)
def test_a_past_request_is_remembered_by_what_it_asked_for(
    few: Collection, query: Query, found: str | None
) -> None:
    floods = Query(application="flood mapping", modalities=("sar",), deployment_device="laptop")
    crops = Query(application="crop type mapping", modalities=("multispectral",))
    past = [memory.Past("table-1", floods, "delta"), memory.Past("table-2", crops, "acre")]
    near = memory.nearest(query, past, few.vectors)
    assert (near[0].handle if near else None) == found
