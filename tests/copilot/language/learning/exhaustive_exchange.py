"""Other places and classes in the samples that are learned from."""

from __future__ import annotations

import random

import numpy as np

from copilot.language.frame import Frame, Pointer, Step
from copilot.language.grammar import Vocabulary
from copilot.language.learning.exchange import Exchange
from copilot.language.learning.records import Record
from copilot.language.learning.samples import Read, Sample, sample_of
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
    made = sample_of(read, VOCABULARY, tokenizer(), TAGS, nothing, nothing, parts)
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
