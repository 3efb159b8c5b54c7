"""What a phrase refers to, and which of several things it chooses."""

from __future__ import annotations

import numpy as np
import pytest

from data.raster.errors import RasterError
from data.vision.grounding import Candidate, _beside, _ordered, parse_phrase
from data.vision.measuring import colour_name, position_word
from data.vision.referring import cut_out


def box(left: float, top: float, wide: float, high: float, score: float = 0.9) -> Candidate:
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]])
    return Candidate(corners.astype(float), "ship", score)


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the largest ship in the north-west", {"subject": "ship", "size": 1, "zone": (0, 0)}),
        ("all tanks on the left", {"subject": "storage-tank", "every": True, "zone": (0, None)}),
        ("the green field in the south", {"subject": "vegetation", "colour": "green", "zone": (None, 2)}),
        ("the river", {"subject": "water"}),
        ("the second largest ship", {"subject": "ship", "size": 1, "order": 1}),
        ("the leftmost plane", {"subject": "plane", "towards": (-1.0, 0.0), "zone": None}),
        ("three largest ships", {"subject": "ship", "count": 3, "size": 1}),
        ("a big white boat", {"subject": "ship", "size": 2, "colour": "white"}),
    ],
)
def test_a_phrase_is_read(phrase, meant):
    told = parse_phrase(phrase)
    assert {key: getattr(told, key) for key in meant} == meant


def test_a_neighbour_is_a_phrase_of_its_own():
    told = parse_phrase("the white plane next to the hangar")
    assert (told.subject, told.colour, told.beside.subject) == ("plane", "white", "building")
    nearest = parse_phrase("the plane nearest to the largest tank")
    assert (nearest.nearest, nearest.beside.size) == (True, 1)


def test_a_phrase_that_names_nothing_is_told_what_would_have_worked():
    with pytest.raises(RasterError, match=r"names nothing .* would have worked\.$"):
        parse_phrase("the thing")


def test_size_order_and_number_choose_among_what_is_left():
    three = [box(0, 0, 10, 4), box(50, 0, 30, 8), box(90, 0, 20, 6)]

    def lefts(phrase: str) -> list[float]:
        return [each.outline[0, 0] for each in _ordered(three, parse_phrase(phrase), [])]

    assert lefts("the largest ship") == [50]
    assert lefts("the smallest ship") == [0]
    assert lefts("the second largest ship") == [90]
    assert lefts("the rightmost ship") == [90]
    assert lefts("two largest ships") == [50, 90]
    assert sorted(lefts("all ships")) == [0, 50, 90]


def test_what_lies_beside_another_thing_is_told_by_the_gap_between_their_boxes():
    ships, other = [box(0, 0, 10, 4), box(300, 0, 10, 4)], [box(12, 0, 8, 8)]
    assert _beside(ships, other, nearest=False) == [ships[0]]
    assert _beside(ships, other, nearest=True) == [ships[0]]


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((250, 250, 250), "white"), ((10, 10, 12), "black"), ((120, 122, 118), "grey"),
        ((200, 30, 30), "red"),
        ((40, 120, 40), "green"), ((30, 60, 160), "blue"), ((220, 210, 40), "yellow"),
        ((110, 70, 30), "brown"),
        ((210, 190, 150), "beige"), ((230, 130, 30), "orange"),
    ],
)  # fmt: skip
def test_colours_have_the_names_that_people_give_them(rgb, name):
    assert colour_name(np.array([rgb])) == name


def test_the_ninths_of_an_image_have_names():
    assert [position_word((x, y), 90, 90) for x, y in ((10, 10), (45, 45), (80, 45), (45, 80))] == [
        "upper left", "middle", "right middle", "lower middle",
    ]  # fmt: skip


def test_an_object_is_cut_out_of_its_box_by_its_colour():
    chip = np.full((60, 80, 3), (30, 60, 90), np.uint8)
    chip += np.random.default_rng(1).integers(0, 8, chip.shape).astype(np.uint8)
    true = np.zeros((60, 80), bool)
    true[25:37, 20:62] = True
    chip[true] = (220, 215, 210)
    inside = np.zeros((60, 80), bool)
    inside[18:44, 14:68] = True
    cut = cut_out(chip, inside)
    assert (cut & true).sum() / (cut | true).sum() > 0.95
