"""The Imagery page's content: images to choose from, their facts and bands, the tools that fit, reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.view.detections import class_colours, detections_in, estimate, review_rows
from copilot.view.imagery import Choice, about, choices, fitting, statistics, swipe_partners
from copilot.view.transcript import conversation
from data.vision.reviews import Precision
from state.log import Event, turns
from state.model import State
from tests.tools.prepared import FOUND, PHOTO, RASTER, SAR, SCENE, prepared
from tests.tools.world import small_world
from tools.base import World
from tools.run import run_call
from tools.toolbox import toolbox


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    return world, prepared(world)


def test_every_raster_with_a_file_can_be_chosen_the_newest_first(ready: tuple[World, State]) -> None:
    world, state = ready
    found = choices(state, world)
    assert found[0] == Choice(RASTER.id, "Heights", uploaded=False)
    assert {SCENE.id, SAR.id, PHOTO.id} <= {each.handle for each in found}


def test_an_image_says_what_it_is_and_how_large_its_pixels_are_on_the_ground(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    scene = about(state, world, SCENE.id)
    facts = dict(scene.facts)
    assert scene.has_place and facts["Coordinates"].startswith("EPSG:") and facts["Bands"].startswith("6 of ")
    assert facts["Pixel on the ground"].endswith(" m")
    photo = about(state, world, PHOTO.id)
    assert not photo.has_place and "Pixel on the ground" not in dict(photo.facts)
    assert dict(photo.facts)["Coordinates"] == "none: it has no place on the map"


def test_the_statistics_are_of_every_pixel_of_a_small_image(ready: tuple[World, State]) -> None:
    world, state = ready
    frame, of = statistics(state, world, RASTER.id)
    assert of == "of every pixel"
    row = frame.iloc[0]
    assert (row["least"], row["greatest"], row["mean"], row["median"]) == (0, 15, 7.5, 7.5)


def test_tools_for_radar_fit_radar_alone_and_those_that_find_objects_come_first() -> None:
    radar = [each.tool.name for each in fitting(toolbox(), "sar")]
    optical = fitting(toolbox(), "optical")
    assert "sar_detection" in radar and "image_dehazing" not in radar
    assert "sar_detection" not in [each.tool.name for each in optical]
    assert not {"review_detection", "list_detections"} & set(radar)
    assert "detections" in optical[0].tool.gives and not optical[0].fields
    pair = next(each for each in optical if each.tool.name == "change_detection")
    assert [(each.name, each.image) for each in pair.fields] == [
        ("before", True)
    ] and pair.argument == "after"
    assert (
        next(each.title for each in fitting(toolbox(), "sar") if each.tool.name == "sar_detection")
        == "SAR detection"
    )


def test_detections_belong_to_the_image_that_they_were_found_in(ready: tuple[World, State]) -> None:
    world, state = ready
    assert [each.id for each in detections_in(state, world, SCENE.id)] == [FOUND.id]
    assert detections_in(state, world, SAR.id) == []
    assert swipe_partners(state, SCENE.id) == (None, [])


def test_the_table_of_a_review_says_class_verdict_and_who(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run_call(
        toolbox(), state, world, "review_detection",
        {"detection_id": 1, "verdict": "relabel", "class_name": "tanker", "by": "ann",
         "at": "2026-11-22T04:05:06Z"},
    )  # fmt: skip
    rows = review_rows(step.state, world, FOUND)
    first = rows.iloc[0]
    assert (first["no."], first["class"], first["found as"], first["verdict"]) == (
        1,
        "tanker",
        "ship",
        "relabelled",
    )
    assert (first["by"], first["at (UTC)"]) == ("ann", "2026-11-22 04:05")
    assert estimate(step.state, world, FOUND)[1] == {"ship": Precision(0, 0, 1)}
    assert "verdict" in review_rows(state, world, FOUND)


def test_a_class_has_one_colour_and_its_neighbours_have_others() -> None:
    colours = class_colours(["ship", "plane", "ship", "car"])
    assert colours == class_colours(["car", "ship", "plane"]) and len(set(colours.values())) == 3


def test_a_row_of_verdicts_is_one_line_of_the_conversation() -> None:
    def event(turn: int, tool: str) -> Event:
        return Event(
            turn, turn, "call", "2026-11-22T04:00:00Z", tool=tool, text=f"{tool} {turn}", source="page"
        )

    log = [
        event(1, "add_file"),
        *(event(turn, "review_detection") for turn in range(2, 200)),
        event(200, "undo"),
    ]
    shown = conversation(turns(log), State(), running=False)
    assert [each["turn"] for each in shown["turns"]] == [1, 199, 200] and shown["earlier"] == 0
    assert conversation((), State(), running=False)["turns"] == []
