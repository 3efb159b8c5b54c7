"""What a user is answered is about what they mean: the mask and not the image, this place and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from copilot.session import Session

SCENE = str(FOLDER / "scene.tif")


def numbers_before(unit: str, text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in re.findall(rf"([\d.,]*\d) {unit}\b", text)]


def test_hectares_after_a_mask_are_those_that_it_marks(session: Session) -> None:
    session.call("add_file", file=SCENE)
    session.ask("where is the water?")
    water = next(each for each in session.events if each.tool == "water_extraction")
    said = session.ask("how many hectares?").reply
    assert numbers_before("ha", said)[0] == pytest.approx(water.data["area_m2"] / 10_000, rel=1e-3)


def test_advice_after_nothing_was_found_is_what_dropping_the_filter_gives(session: Session) -> None:
    said = session.ask("show xview1 images in Pittsburgh from 1990").reply
    assert "There would be without the date filter 4" in said
    assert session.call("filter_clear", fields=["date"]).data["count"] == 4


def test_advice_is_left_out_where_dropping_one_filter_finds_nothing_either(session: Session) -> None:
    said = session.ask("show xview1 images in Lisbon from 1990").reply
    assert said.startswith("No images match") and "There would be" not in said
    assert session.call("filter_clear", fields=["place"]).data["count"] == 0


@pytest.mark.parametrize(
    ("request_", "name"), [("show ships in Qwertyville", "Qwertyville"), ("zoom to Narnia", "Narnia")]
)
def test_a_place_that_nobody_knows_is_asked_for(session: Session, request_: str, name: str) -> None:
    answer = session.ask(request_)
    assert answer.outcome == "asked" and f"I know no place called '{name}'." in answer.reply
    assert session.state.database.filters.place is None and session.state.map.zoom == 2


def test_a_slip_in_a_well_known_name_is_put_right_and_said(session: Session) -> None:
    answer = session.ask("show ships near Rotterdm")
    assert session.state.database.filters.place == "Rotterdam, South Holland, The Netherlands"
    assert "I read 'Rotterdm' as Rotterdam, South Holland, The Netherlands." in answer.reply


@pytest.mark.parametrize(
    "request_",
    [
        "mark it here", "put a marker there", "draw a circle of 10 km around it", "what is here?",
        "measure the distance from here to Lyon", "how many images around there?",
    ],
)  # fmt: skip
def test_a_place_without_an_antecedent_is_asked_for(session: Session, request_: str) -> None:
    answer = session.ask(request_)
    assert answer.outcome == "asked"
    assert session.state.map.layers == () and session.state.database.filters.bbox is None


def test_here_is_the_place_that_was_spoken_of(session: Session) -> None:
    session.ask("zoom to Lyon")
    session.ask("mark it here")
    (drawn,) = session.state.map.layers
    assert drawn.geometry is not None
    assert drawn.geometry.coordinates == pytest.approx((4.85, 45.75), abs=0.02)


def test_there_is_what_was_drawn_in_the_same_breath(session: Session) -> None:
    session.ask("draw a 50 km circle round Izmir, mark the centre with a pin")
    pin = session.state.map.layers[-1].geometry
    assert pin is not None and pin.type == "Point"
    assert pin.coordinates == pytest.approx((27.14, 38.41), abs=0.05)


def brought_in(session: Session, folder: Path, name: str, text: str) -> None:
    """A file of the user's own, brought in."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    event = session.call("add_file", file=str(path))
    assert event.ok, event.text
