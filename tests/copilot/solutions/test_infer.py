"""Task inference: weights that belong to the phrases, and what the image's modality decides."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from copilot.bench.first_tool import SETS, first_tool_requests
from copilot.solutions import RS_AGENT_TASKS, first_tool, infer_tasks, search_solutions, solutions
from copilot.solutions.bank import PhraseError, digest_of, read_phrases
from copilot.solutions.cues import cues
from copilot.solutions.infer import Inferred, modality_of, normal, task_head
from copilot.solutions.space import IMAGE_TASKS

SAR = {"modality": "SAR"}
OPTICAL = {"modality": "optical"}


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def test_the_committed_weights_were_trained_on_the_phrases_as_they_are() -> None:
    head = task_head()
    assert (head.digest, head.names) == (digest_of(), tuple(solutions())), (
        "run: python -m copilot.solutions.train"
    )


def test_every_task_has_forty_phrases_and_no_phrase_stands_twice() -> None:
    phrases = read_phrases()
    counts = Counter(each.task for each in phrases)
    assert {task: counts[task] for task in solutions() if counts[task] < 40} == {}
    twice = [text for text, count in Counter(normal(each.text) for each in phrases).items() if count > 1]
    assert twice == []


def test_no_phrase_is_a_request_of_the_test_sets() -> None:
    asked = {normal(each.request) for folder in SETS.values() for each in first_tool_requests(folder)}
    assert len(asked) > 700
    assert [each.text for each in read_phrases() if normal(each.text) in asked] == []


@pytest.mark.parametrize("folder", SETS.values(), ids=SETS)
def test_no_phrase_has_nearly_the_words_of_a_request_of_the_test_sets(folder: Path) -> None:
    asked = [words(each.request) for each in first_tool_requests(folder)]
    near = [
        each.text
        for each in read_phrases()
        for said in [words(each.text)]
        if len(said) > 3 and max(len(said & other) / len(said | other) for other in asked) >= 0.75
    ]
    assert near == []


def test_the_scores_of_all_tasks_come_to_one_likeliest_first() -> None:
    found = infer_tasks("remove the clouds from this image")
    assert found[0].task == "cloud_removal"
    assert {each.task for each in found} == set(solutions())
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1)
    assert {each.task for each in infer_tasks("", among=RS_AGENT_TASKS)} == set(RS_AGENT_TASKS)


@pytest.mark.parametrize(
    ("request_text", "image", "tool"),
    [
        ("find the ships in this picture", OPTICAL, "optical_detection"),
        ("find the ships in this picture", SAR, "sar_detection"),
        ("find the ships in this radar picture", None, "sar_detection"),
        ("find the ships; it's not SAR but a photo", None, "optical_detection"),
        ("which type of aircraft is this", OPTICAL, "optical_plane_type"),
        ("which type of aircraft is this", SAR, "sar_plane_type"),
        ("put oriented boxes around the ships", OPTICAL, "rotated_object_detection"),
        ("put oriented boxes around the ships", SAR, "sar_detection"),
        ("this is so hazy, clear it up", OPTICAL, "image_dehazing"),
        ("how badly were the houses hit by the quake", OPTICAL, "building_damage_detection"),
        ("what is the wingspan of a Boeing 747", None, "knowledge_search"),
        ("draw the outlines of the houses on this radar image", SAR, "building_extraction"),
        ("give me the streets in the SAR scene as lines", SAR, "road_extraction"),
        ("boxes along the x and y axes, however the lorries stand", OPTICAL, "horizontal_object_detection"),
        ("boxes along the hull of each barge", OPTICAL, "rotated_object_detection"),
    ],
)
def test_the_first_tool_follows_the_wish_and_the_modality(
    request_text: str, image: dict[str, str] | None, tool: str
) -> None:
    assert first_tool(request_text, image) == tool


def test_radar_has_no_clouds_to_remove() -> None:
    by_task = {
        each.task: each.score for each in infer_tasks("clouds cover the sea, where are the boats", SAR)
    }
    assert by_task["cloud_removal"] < 0.05


def test_what_is_known_of_the_image_goes_before_what_the_request_says() -> None:
    assert modality_of("in this radar image", {"modality": "panchromatic"}) == "optical"
    assert modality_of("in this image", {"modality": "Sentinel-1"}) == "sar"
    assert [modality_of(text) for text in ("a Gaofen-3 chip", "rather than SAR, a photo", "boats")] == [
        "sar",
        "optical",
        "optical",
    ]


def test_a_word_that_is_denied_is_a_cue_for_the_opposite() -> None:
    assert "turned_box" in cues("tilted boxes")
    assert "level_box" in cues("the boxes must not be tilted")
    assert "turned_box" not in cues("boxes without any angle")
    assert cues("ignore the heading")[0] == "level_box"
    assert "turned_box" in cues("not horizontal ones, please")


def test_a_word_that_is_denied_is_no_cue_unless_the_wish_is_to_be_without_it() -> None:
    assert cues("not the damage, the footprints") == ["house"]
    assert cues("it's not fog, it's noise") == ["noise"]
    assert cues("the same without clouds") == ["cloud"]


def test_along_the_picture_is_level_and_along_the_thing_is_turned() -> None:
    level = ("along the image's rows", "aligned with the picture", "x0 y0", "in line with the grid")
    turned = ("along its length", "along the wing", "xywhr", "five numbers")
    assert {text: cues(text) for text in level} == {text: ["level_box"] for text in level}
    assert {text: cues(text) for text in turned} == {text: ["turned_box"] for text in turned}


def test_a_pronoun_without_an_image_makes_a_task_on_pixels_less_likely_but_a_word_for_one_does_not() -> None:
    def share(request: str) -> float:
        return sum(each.score for each in infer_tasks(request) if each.task in IMAGE_TASKS)

    pixels = [share(f"does {thing} show boats") for thing in ("this picture", "it", "Gaofen")]
    assert pixels == sorted(pixels, reverse=True)
    assert len(set(pixels)) == 3


def test_names_of_files_and_stops_do_not_count() -> None:
    assert normal("  Describe /data/port_03.TIF! ") == "describe image"


def test_retrieval_follows_the_inferred_task_and_without_one_the_words() -> None:
    tasks = (Inferred("denoising", 0.9), Inferred("sar_detection", 0.1))
    assert [each.task for each in search_solutions("the picture", tasks, 1)] == ["denoising"]
    assert search_solutions("extract the footprints of buildings", k=1)[0].task == "building_extraction"
    among = search_solutions("load fair1m and plot it", k=40, among=RS_AGENT_TASKS)
    assert {each.task for each in among} == set(RS_AGENT_TASKS)


def test_a_wrong_line_of_the_phrases_is_named(tmp_path: Path) -> None:
    file = tmp_path / "scene.jsonl"
    for line, said in (
        (json.dumps({"task": "scene"}), "scene.jsonl line 1"),
        (json.dumps({"task": "caption", "text": "describe it"}), "has the task 'caption', not 'scene'"),
        ("{", "needs a task and a text"),
    ):
        file.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(PhraseError, match=said):
            read_phrases(tmp_path)


def test_inferring_is_the_same_every_time() -> None:
    first, second = (infer_tasks("any boats here?", OPTICAL) for _ in range(2))
    assert [each.task for each in first] == [each.task for each in second]
    assert np.allclose([each.score for each in first], [each.score for each in second])
