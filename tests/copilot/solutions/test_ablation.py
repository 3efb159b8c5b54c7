"""RS-Agent's ablation: four ways to the first tool, with a model and without."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from copilot.bench.first_tool import FirstToolRequest
from copilot.solutions.ablation import WAYS, ablation

CLOUDS = FirstToolRequest("x-1", "cloud removal", "remove the clouds", "clear", "cloud_removal", "optical")
PLANE = FirstToolRequest(
    "x-2", "SAR plane type", "which type of aircraft is this", "ambiguous", "sar_plane_type", "sar"
)


def test_offline_only_the_ways_with_inference_know_what_the_image_is() -> None:
    found = ablation(requests=[CLOUDS, PLANE])
    assert list(found) == list(WAYS)
    with_inference = {way: found[way].overall for way in ("inference only", "both")}
    assert with_inference == {"inference only": 1.0, "both": 1.0}
    assert (found["retrieval only"].clear, found["retrieval only"].ambiguous) == (1.0, 0.0)


def test_a_model_is_told_the_tasks_and_the_documents_only_where_the_way_has_them() -> None:
    asked: list[str] = []

    class Noting(GenericFakeChatModel):
        def invoke(self, input: Any, *args: Any, **kwargs: Any) -> AIMessage:
            asked.append(str(input))
            return super().invoke(input, *args, **kwargs)

    answers = iter(
        ["scene", "cloud_removal", "`cloud_removal`.", "I would call scene", "cloud_removal", "none"]
    )
    model = Noting(messages=(AIMessage(each) for each in answers))
    told: list[str] = []
    found = ablation(model, [CLOUDS], told.append)
    assert [each.overall for each in found.values()] == [0.0, 1.0, 0.0, 0.0]
    assert found["both"].missed == (("x-1", "cloud_removal", None),)
    assert told == list(WAYS)
    has_tasks = ["The task is one of these" in each for each in asked]
    has_documents = ["Solution for" in each for each in asked]
    assert has_tasks == [False, False, True, False, False, True]
    assert has_documents == [False, False, False, True, False, True]
    assert all("an image: " in each and "optical" in each for each in asked)
