"""How often something is taken back, and what of the drawings goes."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from tests.copilot.planner.asked import last_calls

BEFORE = ("load fmow", "only Kenya", "only 2019", "dark base map")


@pytest.mark.parametrize(
    ("request_", "times"),
    [
        ("undo", 1),
        ("undo twice", 2),
        ("go back 2 steps", 2),
        ("undo the last three changes", 3),
        ("take back the last 2 changes", 2),
        ("undo 3 times please", 3),
        ("undo the last one", 1),
    ],
)
def test_so_many_changes_are_taken_back_as_are_said(request_: str, times: int, engine: Engine) -> None:
    assert last_calls([*BEFORE, request_], engine) == [("undo", {})] * times


@pytest.mark.parametrize(
    "request_", ["undo all", "undo everything", "revert everything", "take everything back", "undo evrything"]
)
def test_everything_is_taken_back_to_the_start(request_: str, engine: Engine) -> None:
    assert last_calls([*BEFORE, request_], engine) == [("goto_turn", {"turn": 0})]


DRAWN = (
    "draw a 12 km circle around Paris",
    "draw a box around Lyon",
    "put a pin on Geneva",
    "draw a ring of 30 km around Nice",
)


@pytest.mark.parametrize(
    ("request_", "gone"),
    [
        ("remove the box", ["drawing-2"]),
        ("delete the pin", ["drawing-3"]),
        ("erase the ring", ["drawing-4"]),
        ("remove both circles", ["drawing-1", "drawing-4"]),
        ("delete the last drawing", ["drawing-4"]),
    ],
)
def test_a_drawing_goes_by_its_form(request_: str, gone: list[str], engine: Engine) -> None:
    assert last_calls([*DRAWN, request_], engine) == [("remove_layer", {"layer": each}) for each in gone]


def test_all_drawings_go_together(engine: Engine) -> None:
    assert last_calls([*DRAWN, "erase all drawings"], engine) == [("clear_drawings", {})]


def test_what_lies_in_the_box_is_selected_by_the_box(engine: Engine) -> None:
    calls = last_calls([*DRAWN, "load fmow", "images inside the box please"], engine)
    assert calls[0] == ("filter_coords", {"drawing": "drawing-2"})
