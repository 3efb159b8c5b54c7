"""Before and after: two images by when they were taken, and nothing that was made of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from copilot.session import Session
from copilot.view.imagery import by_time
from tools.map.pairs import taken_at

FILES = ("place_20190904.tif", "place_20150926.tif", "place_20170827.tif")
"""Brought in out of their order in time."""


@pytest.fixture
def layers(session: Session, tmp_path: Path) -> dict[str, str]:
    """Three images of one place, the newest first, then a mask and an index of the first: layer by year."""
    found = {}
    for number, name in enumerate(FILES):
        shutil.copy(FOLDER / "scene.tif", tmp_path / name)
        touched(tmp_path / name, number)
        event = session.call("add_file", file=str(tmp_path / name))
        assert event.ok, event.text
        found[name[6:10]] = str(event.data["layer"])
    water = session.call("water_extraction", image=session.state.artifacts[0].id)
    session.call("spectral_index", raster=session.state.artifacts[0].id, index="NDVI")
    return {**found, "water": str(water.data["layer"]), "outlines": str(water.data["vector_layer"])}


def touched(path: Path, number: int) -> None:
    """Make each file another, without the time in its tags: the name alone says when it is of."""
    import rasterio

    with rasterio.open(path, "r+") as file:
        file.update_tags(1, NOTE=str(number))
        file.update_tags(TIFFTAG_DATETIME="", ACQUISITIONDATETIME="")


def order(session: Session) -> list[str]:
    return [each.id for each in session.state.map.layers if each.kind == "raster"]


def test_the_earliest_image_is_left_and_the_latest_right_whatever_was_made_or_came_last(
    session: Session, layers: dict[str, str]
) -> None:
    event = session.call("swipe_layers", images=True)
    assert event.ok, event.text
    assert session.state.map.swipe == (layers["2015"], layers["2019"])
    assert event.text.endswith("on the right: taken 2015-09-26 and 2019-09-04.")


def test_the_pair_lies_above_the_other_rasters_and_below_the_outlines(
    session: Session, layers: dict[str, str]
) -> None:
    session.call("swipe_layers", images=True)
    assert set(order(session)[-2:]) == {layers["2015"], layers["2019"]}
    assert session.state.map.layers[-1].id == layers["outlines"]
    session.call("swipe_layers", left=layers["2019"], right=layers["water"])
    assert set(order(session)[-2:]) == {layers["2019"], layers["water"]}


def test_a_chat_that_names_no_layer_swipes_between_the_images(
    session: Session, layers: dict[str, str]
) -> None:
    session.ask("swipe between before and after")
    assert session.state.map.swipe == (layers["2015"], layers["2019"])


def test_two_that_are_named_stay_where_they_are_named(session: Session, layers: dict[str, str]) -> None:
    session.call("swipe_layers", left=layers["2019"], right=layers["2015"])
    assert session.state.map.swipe == (layers["2019"], layers["2015"])
    world = session.world()
    assert by_time(session.state, world, layers["2019"], layers["2015"]) == (layers["2015"], layers["2019"])


def test_one_image_and_its_mask_are_no_before_and_after(session: Session) -> None:
    session.call("add_file", file=str(FOLDER / "scene.tif"))
    session.call("water_extraction", image=session.state.artifacts[0].id)
    event = session.call("swipe_layers", images=True)
    assert not event.ok
    assert event.text == (
        "Before and after are two images of one place on the map, and there is only 'scene'; add another."
    )


def test_change_is_looked_for_from_the_earlier_to_the_later_image(
    session: Session, layers: dict[str, str]
) -> None:
    session.ask("what has changed between the two images?")
    call = next(each for each in reversed(session.events) if each.tool == "change_detection")
    names = {each.id: each.name for each in session.state.artifacts}
    assert names[str(call.args["before"])] < names[str(call.args["after"])]


def test_files_whose_time_nothing_says_are_swiped_in_the_order_they_came(session: Session) -> None:
    shown = [
        session.call("add_file", file=str(FOLDER / name)).data["layer"]
        for name in ("town_before.tif", "town_after.tif")
    ]
    event = session.call("swipe_layers", images=True)
    assert (event.ok, session.state.map.swipe) == (True, tuple(shown))


def test_what_was_made_of_an_image_by_its_name_is_as_old_as_the_image(
    session: Session, layers: dict[str, str]
) -> None:
    made = session.call("raster_clip", raster="place_20190904", bbox=[4.37, 52.0, 4.38, 52.01])
    assert made.ok, made.text
    layer = session.state.layer(str(made.data["layer"]))
    assert layer is not None
    assert taken_at(layer, session.state, session.world()).startswith("2019-09-04")
