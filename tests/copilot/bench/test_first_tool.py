"""The requests of the first-tool measure, and the measure."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from copilot.bench.first_tool import (
    SETS,
    FirstToolRequest,
    first_tool_accuracy,
    first_tool_requests,
    wilson,
)

TASKS = {
    "super_resolution", "denoising", "caption", "optical_detection", "optical_plane_type", "scene",
    "sar_detection", "sar_plane_type", "knowledge_search", "building_damage_detection",
    "building_extraction", "road_extraction", "horizontal_object_detection", "rotated_object_detection",
    "semantic_segmentation", "land_use_classification", "image_dehazing", "cloud_removal",
}  # fmt: skip
REQUESTS = first_tool_requests()
FOLDERS = pytest.mark.parametrize("folder", SETS.values(), ids=SETS)


@FOLDERS
def test_each_of_the_18_tasks_has_ten_clear_and_ten_ambiguous_requests(folder: Path):
    counts = Counter((each.tool, each.kind) for each in first_tool_requests(folder))
    assert counts == {(tool, kind): 10 for tool in TASKS for kind in ("clear", "ambiguous")}


@FOLDERS
def test_a_task_has_one_tool_and_a_file_of_its_name(folder: Path):
    asked = first_tool_requests(folder)
    assert len({each.task for each in asked}) == len({(each.task, each.tool) for each in asked}) == 18
    for path in folder.glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert {line["tool"] for line in lines} == {path.stem}


def test_no_id_and_no_request_comes_twice():
    both = [each for folder in SETS.values() for each in first_tool_requests(folder)]
    assert len({each.id for each in both}) == len(both) == 720
    assert len({" ".join(each.request.casefold().split()) for each in both}) == 720


def test_no_heldout_request_is_nearly_one_of_the_other_set():
    others = [_words(each.request) for each in REQUESTS]
    near = [
        each.id
        for each in first_tool_requests(SETS["heldout"])
        for words in [_words(each.request)]
        if max(len(words & other) / len(words | other) for other in others) >= 0.75
    ]
    assert near == []


@FOLDERS
def test_every_line_is_well_formed(folder: Path):
    for path in folder.glob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            plain = json.loads(line)
            assert set(plain) - {"image"} == {"id", "task", "request", "kind", "tool"}, line
            assert set(plain.get("image", {"modality": None})) == {"modality"}, line
            assert plain["request"].strip() == plain["request"] != ""


@FOLDERS
def test_radar_tools_are_asked_of_radar_images_and_optical_ones_of_optical_images(folder: Path):
    asked = first_tool_requests(folder)
    radar = {each.modality for each in asked if each.tool.startswith("sar_")}
    optical = {each.modality for each in asked if each.tool.startswith("optical_")}
    assert (radar, optical) == ({"sar"}, {"optical"})
    known = {"optical", "sar", "multispectral", "panchromatic"}
    assert {each.modality for each in asked if each.tool != "knowledge_search"} == known


@FOLDERS
def test_no_ambiguous_request_names_its_tool(folder: Path):
    named = [
        each.id
        for each in first_tool_requests(folder)
        if each.kind == "ambiguous"
        and each.tool.replace("_", " ") in each.request.casefold()
        # The words of these two are everyday words too.
        and each.tool not in ("scene", "caption")
    ]
    assert named == []


def test_who_knows_the_tools_has_all_right_and_who_says_nothing_none():
    knows = first_tool_accuracy(lambda each: each.tool)
    assert (knows.overall, knows.clear, knows.ambiguous, knows.missed) == (1.0, 1.0, 1.0, ())
    assert set(knows.by_task.values()) == {1.0}
    silent = first_tool_accuracy(lambda each: None)
    assert (silent.overall, silent.clear, silent.ambiguous, len(silent.missed)) == (0.0, 0.0, 0.0, 360)


def test_the_shares_are_those_of_the_clear_the_ambiguous_and_each_task():
    asked = (
        FirstToolRequest("a-01", "a", "do a", "clear", "tool_a"),
        FirstToolRequest("a-02", "a", "hm", "ambiguous", "tool_a", "sar"),
        FirstToolRequest("b-01", "b", "do b", "clear", "tool_b", "optical"),
    )
    found = first_tool_accuracy(lambda each: "tool_a", asked)
    assert found.to_json() == {
        "requests": 3,
        "overall": 2 / 3,
        "clear": 0.5,
        "ambiguous": 1.0,
        "by_task": {"a": 1.0, "b": 0.0},
        "missed": (("b-01", "tool_b", "tool_a"),),
    }


def test_without_requests_there_is_no_accuracy():
    with pytest.raises(ValueError, match="no first-tool requests"):
        first_tool_accuracy(lambda each: each.tool, [])


@pytest.mark.parametrize(("right", "count"), [(345, 360), (20, 20), (0, 180)])
def test_the_interval_of_a_share_is_wilsons(right: int, count: int):
    from statsmodels.stats.proportion import proportion_confint

    wanted = proportion_confint(right, count, method="wilson")
    assert wilson(right / count, count) == pytest.approx(wanted, abs=1e-6)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
