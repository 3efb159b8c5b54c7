"""Known calls as frames, and back."""

from __future__ import annotations

import pytest

from copilot.language.alignment import NotSaid
from copilot.language.frame import Literal, Pointer, Result, Step
from copilot.language.grounding import DESCENDING
from copilot.language.view import Item
from tests.copilot.language.said import Call, calls, frame

SAID: tuple[tuple[str, list[Call]], ...] = (
    ("Ships off Norway, May 2019 please", [
        ("filter_class", {"classes": ["Ships"]}),
        ("filter_coords", {"place": "Norway"}),
        ("filter_date", {"start": "2019-05-01", "end": "2019-05-31"}),
    ]),
    ("circle of 5 miles around Lyon", [("draw_circle", {"radius_km": 8.04672, "place": "Lyon"})]),
    ("make the points 40 % opaque", [("style_layer", {"layer": "points", "opacity": 0.4})]),
    ("pin at 52.5 N 13.4 E called HQ", [("draw_marker", {"lon": 13.4, "lat": 52.5, "label": "HQ"})]),
    ("fit 4, 50, 8, 53", [("fit_bounds", {"bbox": [4, 50, 8, 53]})]),
    ("a polygon 4 50, 5 50, 5 51 then", [("draw_polygon", {"points": [[4, 50], [5, 50], [5, 51]]})]),
    ("from 125.6 7.07 to 125.8 7.45", [("measure_distance", {"points": [[125.6, 7.07], [125.8, 7.45]]})]),
    ("boxes 20,30,80,90 and 1,2,3,4", [("image_annotate", {"boxes": [[20, 30, 80, 90], [1, 2, 3, 4]]})]),
    ("cars and trucks", [("filter_class", {"classes": ["cars", "trucks"]})]),
    ("zoom to level seven", [("zoom_map", {"level": 7})]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "known"), SAID)
def test_what_is_said_is_pointed_at_and_means_the_same_again(text: str, known: list[Call]) -> None:
    meant = frame(text, known)
    values = [value for step in meant for _, values in step.arguments for value in values]
    assert all(isinstance(value, Pointer) for value in values)
    assert calls(text, meant) == known


def test_a_choice_is_a_literal_however_it_is_worded() -> None:
    assert frame("how many objects, detections I mean", [("db_count", {"unit": "detections"})]) == (
        Step("db_count", (("unit", (Literal('"detections"'),)),)),
    )


def test_what_an_earlier_step_makes_is_a_result() -> None:
    text = "slope of dem, then its statistics"
    known = [("slope", {"raster": "dem"}), ("raster_stats", {"raster": "Slope of dem"})]
    meant = frame(text, known, step_0=["raster-12", "Slope of dem"])
    assert meant[1] == Step("raster_stats", (("raster", (Result(0),)),))
    assert calls(text, meant)[1] == ("raster_stats", {"raster": "@1.made"})


def test_what_the_session_has_is_pointed_at_in_the_view() -> None:
    picture = Item("harbour", "harbour", ("raster-9",))
    meant = frame("caption it", [("caption", {"image": "raster-9"})], Item("raster"), picture)
    assert meant == (Step("caption", (("image", (Pointer(4, 4),)),)),)
    assert calls("caption it", meant, Item("raster"), picture) == [("caption", {"image": "harbour"})]


@pytest.mark.parametrize(
    ("text", "tool", "expression"),
    [
        ("how much is 61 times 1.2", "calculate", "61 * 1.2"),
        ("one in thirty seven as a percentage", "calculate", "100 / 37"),
        ("nir minus red", "raster_calc", "nir - red"),
        (
            "a column that is coarse above 1.5 m and fine below",
            "add_column",
            "where(gsd_m > 1.5, 'coarse', 'fine')",
        ),
    ],
)
def test_an_expression_is_read_piece_by_piece(text: str, tool: str, expression: str) -> None:
    meant = frame(text, [(tool, {"expression": expression})])
    ((_, pieces),) = meant[0].arguments
    assert any(isinstance(piece, Pointer) for piece in pieces)
    assert calls(text, meant)[0][1]["expression"].replace(" ", "") == expression.replace(" ", "")


def test_a_band_of_one_letter_is_no_word_of_the_request() -> None:
    meant = frame("a mask above 0.4", [("raster_calc", {"expression": "A > 0.4"})])
    assert meant[0].arguments[0][1] == (Literal('"A"'), Literal('">"'), Pointer(3, 3))


def test_a_column_sorted_by_from_its_end_is_a_sign_and_a_column() -> None:
    columns = (Item("table"), Item("stations", "stations"), Item("depth_m", "depth_m"))
    known: list[Call] = [("sort_table", {"by": ["-depth_m"], "table": "stations"})]
    meant = frame("stations, deepest first", known, *columns)
    assert meant[0].arguments[0] == ("by", (DESCENDING, Pointer(7, 9)))
    assert calls("stations, deepest first", meant, *columns) == known


def test_a_number_is_in_the_unit_of_the_column_that_it_is_compared_with() -> None:
    text = "shots with resolution under forty centimetres"
    known: list[Call] = [("filter_attribute", {"field": "resolution", "op": "<", "value": 0.4})]
    meant = frame(text, known)
    assert dict(meant[0].arguments)["value"] == (Pointer(4, 4),)
    assert calls(text, meant) == known


def test_a_name_is_pointed_at_with_its_brackets_and_in_its_own_case() -> None:
    text = "from this text the depth (m), and the heads: call it Heads"
    assert frame(text, [("rename_layer", {"name": "Heads"})]) == (
        Step("rename_layer", (("name", (Pointer(15, 15),)),)),
    )
    fields = frame(text, [("parse_structured", {"fields": ["depth (m)"]})])
    assert calls(text, fields) == [("parse_structured", {"fields": ["depth (m)"]})]


def test_the_same_word_said_twice_is_pointed_at_twice() -> None:
    text = "markers on Paris and again on Paris"
    meant = frame(text, [("draw_marker", {"place": "Paris"}), ("draw_marker", {"place": "Paris"})])
    assert [step.arguments[0][1] for step in meant] == [(Pointer(2, 2),), (Pointer(6, 6),)]


def test_a_long_text_that_nobody_said_has_no_frame() -> None:
    with pytest.raises(NotSaid, match="text: nothing says"):
        frame("tell them", [("notify", {"text": "The ferry leaves at noon from the northern quay today."})])


def test_words_that_are_put_together_for_the_call_are_no_part_of_a_frame() -> None:
    assert frame("hm", [("ask_user", {"question": "Which one?", "choices": ["a", "b"]})]) == (
        Step("ask_user"),
    )
