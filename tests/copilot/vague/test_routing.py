"""Where a vague wish goes, and what the look answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.vague.asking import asked, in_turns
from copilot.vague.intent import read_intent
from copilot.vague.pictures import write
from copilot.vague.routing import route
from data.vision.look import Looks


@pytest.fixture(scope="module")
def marina(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered marina of 512 pixels a side."""
    return write("marina-512-17100002", tmp_path_factory.mktemp("scenes"))[0]


@pytest.fixture(scope="module")
def looks() -> Looks:
    return Looks()


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("what kind of place is this", "scene"),
        ("tell me everything that is in it", "labels"),
        ("where is the biggest boat", "grounding"),
        ("is the harbour busy?", "counting"),
        ("what's in the top left corner", "region"),
        ("put a box round every one of the boats", "detection"),
        ("colour the whole picture by what the ground is", "segmentation"),
        ("cut out just the lake, exactly", "referring"),
        ("did they build here since the first picture?", "change"),
        ("only the outlines, please", "contour"),
    ],
)
def test_each_task_is_read_from_plain_words(said, task):
    assert read_intent(said).task == task


def test_what_is_asked_about_is_read_from_the_words():
    seen = asked("I can't find it: where is the biggest boat, please?")
    assert (seen.thing, seen.word, seen.phrase) == ("ship", "boat", "where is the biggest boat")
    assert asked("is the harbour busy").thing == "ship"
    assert asked("is there water in the top left corner?").covers == ("water",)
    assert asked("is there water in the top left corner?").part == "top left"


def test_a_request_that_names_nothing_is_about_what_was_spoken_of():
    assert in_turns(("how many boats are there?", "mark them all")).thing == "ship"
    assert in_turns(("how many boats are there?", "and the biggest one, where?")).phrase == "biggest boat"


def test_an_image_is_looked_at_once_by_its_content(looks, marina, tmp_path):
    copy = tmp_path / "copy.tif"
    copy.write_bytes(marina.read_bytes())
    assert looks.at(copy) is looks.at(marina)


def test_easy_wishes_are_answered_from_the_look(looks, marina):
    told = route("is the marina busy today?", looks.at(marina))
    assert (told.task, told.way, told.tool) == ("counting", "direct", None)
    assert told.direct is not None and told.direct.value == looks.at(marina).count("ship") > 0


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("put a box on each of the boats", "optical_detection", {"image": "r1", "classes": ["boat"]}),
        ("colour all of it by what the ground is", "semantic_segmentation", {"image": "r1"}),
        ("draw it as lines only", "edge_detection", {"image": "r1", "method": "canny"}),
    ],
)
def test_a_dense_wish_goes_to_exactly_one_expert_with_its_parameters(looks, marina, said, tool, arguments):
    told = route(said, looks.at(marina))
    assert told.way == "expert" and told.call("r1") == (tool, arguments)


def test_a_comparison_takes_two_images_and_one_is_asked_for(looks, marina):
    alone = route("what has changed between the two?", looks.at(marina))
    assert (alone.way, alone.question) == ("ask", "Which earlier image is it to be compared with?")
    both = route("what has changed between the two?", looks.at(marina), has_pair=True)
    assert both.call("r2", "r1") == ("change_detection", {"before": "r1", "after": "r2"})


def test_a_route_that_calls_nothing_has_no_call(looks, marina):
    with pytest.raises(ValueError, match="goes no expert's way but ask"):
        route("what has changed between the two?", looks.at(marina)).call("r1")
