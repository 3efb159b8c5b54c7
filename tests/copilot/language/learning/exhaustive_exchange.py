"""Other places and classes in the samples that are learned from."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from copilot.language.frame import Frame, Pointer, Step
from copilot.language.grammar import Vocabulary
from copilot.language.learning.exchange import OFTEN, Exchange
from copilot.language.learning.lessons import Read, lesson_of
from copilot.language.learning.records import Record
from copilot.language.learning.samples import Sample, sample_of
from copilot.language.policy import tokenizer
from copilot.language.view import Item
from copilot.planner.encoder import DIMENSIONS
from tests.copilot.language.said import shown, tools

TAGS = {"place": 1, "class": 2}
VOCABULARY = Vocabulary(tools(), {})


def sample(text: str, tool: str, *pointers: tuple[str, Pointer], view: tuple[Item, ...] = ()) -> Sample:
    steps: Frame = (Step(tool, tuple((name, (each,)) for name, each in pointers)),)
    nothing = np.zeros(len(VOCABULARY.tools), np.float32)
    parts = np.zeros((1, DIMENSIONS), np.float32)
    read = Read(Record("one/0", "somebody", text, (), {}), shown(text, *view), steps)
    made = sample_of(lesson_of(read), VOCABULARY, tokenizer(), TAGS, nothing, nothing, parts)
    assert made is not None
    return made


def said(one: Sample) -> tuple[str, Frame]:
    return " ".join(one.words), VOCABULARY.frame(one.tokens.tolist())


def exchange(*samples: Sample) -> Exchange:
    return Exchange(samples, TAGS, VOCABULARY, tokenizer())


def test_a_place_that_is_pointed_at_becomes_another_one_and_the_frame_points_at_it() -> None:
    ghana = sample("zoom to Ghana now", "zoom_map", ("place", Pointer(2, 2)))
    delhi = sample("New Delhi please", "zoom_map", ("place", Pointer(0, 1)))
    found = {said(exchange(ghana, delhi).exchanged(ghana, random.Random(seed))) for seed in range(9)}
    assert found == {
        ("zoom to Ghana now [SEP]", (Step("zoom_map", (("place", (Pointer(2, 2),)),)),)),
        ("zoom to New Delhi now [SEP]", (Step("zoom_map", (("place", (Pointer(2, 3),)),)),)),
    }


def test_a_class_becomes_one_that_the_same_data_sets_have_where_it_is_shown_too() -> None:
    def with_classes(text: str, first: int, shown_as: str, *datasets: str) -> Sample:
        view = (Item(f"{shown_as} scene of"), *(Item(each, each) for each in datasets))
        return sample(text, "filter_lccclass", ("classes", Pointer(first, first)), view=view)

    airports = with_classes("only Airports", 1, "airports", "fmow")
    zoos = with_classes("Zoos please", 0, "zoos", "fmow")
    forests = with_classes("forests", 0, "forests", "fmow", "bigearthnet")
    found = {
        said(exchange(airports, zoos, forests).exchanged(airports, random.Random(seed)))[0]
        for seed in range(9)
    }
    assert found == {"only Airports [SEP] airports scene of fmow", "only Zoos [SEP] zoos scene of fmow"}


def test_a_sample_that_points_at_no_name_stays_as_it_is() -> None:
    ghana = sample("zoom to Ghana now", "zoom_map", ("place", Pointer(2, 2)))
    undo = sample("undo that in Ghana", "undo")
    assert exchange(ghana, undo).exchanged(undo, random.Random(0)) is undo


def test_a_number_that_is_pointed_at_becomes_another_as_exact_one() -> None:
    tags = {**TAGS, "number": 3}
    words = "cloud under 17.5 percent"
    one = sample(words, "filter_attribute", ("value", Pointer(2, 2)))
    one = replace(one, tags=np.where(np.arange(len(one.words)) == 2, 3, one.tags))
    found = {
        Exchange([one], tags, VOCABULARY, tokenizer()).exchanged(one, random.Random(seed)).words[2]
        for seed in range(20)
    }
    assert "17.5" in found and len(found) > 5
    assert all(7.0 <= float(each) <= 43.75 and len(each.partition(".")[2]) == 1 for each in found)


def test_a_file_is_called_otherwise_in_the_view_and_where_it_is_pointed_at() -> None:
    view = (Item("raster layer"), Item("orchard", "orchard"))
    one = sample("slope of the orchard", "slope", ("raster", Pointer(3, 3)), view=view)
    several = Exchange([one] * OFTEN, TAGS, VOCABULARY, tokenizer())
    found = {said(several.exchanged(one, random.Random(seed)))[0] for seed in range(30)}
    assert "slope of the orchard [SEP] raster layer orchard" in found and len(found) > 3
    assert all(each.count(each.removeprefix("slope of the ").split(" [SEP]")[0]) == 2 for each in found)
