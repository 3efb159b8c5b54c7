"""What a user is answered is about what they mean: the mask and not the image, this place and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from copilot.bench.build.example_files import FOLDER
from copilot.session import Session
from copilot.view.transcript import conversation

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


# -- what was brought in last, and what was made last -------------------------------------------


def brought_in(session: Session, folder: Path, name: str, text: str) -> str:
    """A file of the user's own, brought in: its id."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    event = session.call("add_file", file=str(path))
    assert event.ok, event.text
    return session.state.artifacts[-1].id


WELLS = "station,depth_m\nA,3\nB,12\nC,7\n"


def last_call(session: Session) -> tuple[str, dict[str, object]]:
    event = [each for each in session.events if each.kind == "call"][-1]
    return event.tool, dict(event.args)


@pytest.mark.parametrize("request_", ["describe it", "how many are there?", "how many rows are there?"])
def test_it_is_the_file_that_was_just_brought_in_and_not_the_catalogue(
    session: Session, tmp_path: Path, request_: str
) -> None:
    session.ask("load xview1")
    wells = brought_in(session, tmp_path, "wells.csv", WELLS)
    said = session.ask(request_).reply
    assert last_call(session) == ("describe_table", {"table": wells}) and "3 rows" in said


def test_after_something_else_is_selected_it_is_the_selection_again(session: Session, tmp_path: Path) -> None:
    brought_in(session, tmp_path, "wells.csv", WELLS)
    session.ask("load xview1")
    session.ask("how many are there?")
    assert last_call(session) == ("db_count", {})


def test_the_images_are_the_catalogue_s_whatever_was_brought_in(session: Session, tmp_path: Path) -> None:
    session.ask("load xview1")
    brought_in(session, tmp_path, "wells.csv", WELLS)
    session.ask("how many images are there?")
    assert last_call(session) == ("db_count", {})


def test_what_is_looked_for_in_a_new_file_is_not_looked_for_in_an_older_store(
    session: Session, tmp_path: Path
) -> None:
    session.call("vectorstore_create", name="notes", texts=["Turbid water.", "Three ships at the quay."])
    survey = "The dike at Delft is 4.2 m high. The pump station was closed in March."
    brought_in(session, tmp_path, "survey.txt", survey)
    said = session.ask("search it for the pump station").reply
    assert "pump station was closed in March" in said and "Turbid" not in said
    said = session.ask("search the notes for ships").reply
    assert "Three ships at the quay" in said


@pytest.mark.parametrize(
    ("made", "kind"), [("a bar chart of them per class", "figure"), ("group them by class", "table")]
)
def test_export_it_exports_what_was_made_last(session: Session, made: str, kind: str) -> None:
    session.ask("load xview1")
    session.ask(made)
    newest = session.state.artifacts[-1]
    session.ask("export it")
    assert (newest.kind, last_call(session)) == (kind, ("export_csv", {"table": newest.id}))
    written = [each for each in session.events if each.tool == "export_csv"][-1].data
    rows = pd.read_csv(written["path"])
    assert "Small Car" in rows.to_numpy() and "image_id" not in rows


def test_export_it_after_a_mask_exports_its_outlines_and_after_a_plot_the_images(session: Session) -> None:
    session.call("add_file", file=SCENE)
    session.ask("where is the water?")
    outlines = next(each for each in session.events if each.tool == "water_extraction").data["vector"]
    session.ask("export it")
    assert last_call(session) == ("export_geojson", {"table": outlines})
    session.ask("show fair1m images as a heat map")
    session.ask("export it")
    assert last_call(session) == ("export_csv", {})


def test_the_answer_to_an_export_has_the_file_to_download(session: Session) -> None:
    session.ask("load xview1")
    session.ask("export it")
    document = session.state.artifacts[-1]
    *_, turn = conversation(session.turns, session.state, running=False)["turns"]
    assert turn["files"] == [{"id": document.id, "name": "CSV export", "said": False}]


def test_a_picture_is_a_file_already_and_the_answer_names_it_for_a_link(session: Session) -> None:
    session.call("add_file", file=SCENE)
    session.ask("NDVI")
    raster = session.state.artifacts[-1]
    said = session.ask("download it").reply
    *_, turn = conversation(session.turns, session.state, running=False)["turns"]
    assert raster.id in said
    assert turn["files"] == [{"id": raster.id, "name": raster.name, "said": True}]
