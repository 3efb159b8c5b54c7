"""The Imagery page's content: images to choose from, their facts and bands, the tools that fit, reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from copilot.view.detections import class_colours, detections_in, estimate, review_rows
from copilot.view.imagery import (
    Choice,
    about,
    choices,
    fitting,
    last_result,
    made_by,
    not_on_the_map,
    same_grid,
    statistics,
    swipe_partners,
)
from copilot.view.transcript import conversation
from data.vision.reviews import Precision
from state.log import Event, turns
from state.model import Artifact, Layer, State
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


def test_only_images_of_as_many_rows_and_columns_are_laid_over_each_other(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    twin = Artifact("raster-777777", "raster", "Heights again", "1 band", "test()")
    path = world.artifacts.find(RASTER.id)
    assert path is not None
    world.artifacts.path(twin.id, path.suffix).write_bytes(path.read_bytes())
    both = state.with_artifact(twin)
    assert same_grid(both, world, RASTER.id) == [twin.id] and same_grid(both, world, twin.id) == [RASTER.id]
    assert same_grid(state, world, RASTER.id) == [] and same_grid(state, world, "raster-000000") == []


def test_what_is_newest_and_on_no_layer_is_pointed_out_with_the_image_to_look_at(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    assert not_on_the_map(State(), world) is None
    assert not_on_the_map(State().with_artifact(PHOTO), world) == ("Photo", PHOTO.id)
    found = state.with_artifact(SCENE).with_artifact(FOUND)
    assert not_on_the_map(found, world) == ("Detections in Scene", SCENE.id)
    shown = found.with_map(layers=(Layer(id="found", name="Found", kind="detections", artifact=FOUND.id),))
    assert not_on_the_map(shown, world) is None


def test_the_result_beside_an_image_is_of_that_image_and_leads_to_what_was_made() -> None:
    def event(seq: int, tool: str, data: dict[str, object], **args: object) -> Event:
        return Event(seq, seq, "call", "2026-11-22T04:00:00Z", tool=tool, args=args, data=data)

    water = event(1, "water_extraction", {"raster": RASTER.id, "vector": "vector-1a2b3c"}, image=SCENE.id)
    ships = event(2, "sar_detection", {"detections": FOUND.id}, image=SAR.id)
    cloud = event(3, "cloud_removal", {}, image=PHOTO.id, others=[SCENE.id])
    review = event(4, "review_detection", {"detections": FOUND.id}, detections=FOUND.id)
    log = [water, ships, cloud, review]
    assert [last_result(log[:upto], toolbox(), SCENE.id, "Scene") for upto in (0, 1, 2, 4)] == [
        None, water, water, cloud,
    ]  # fmt: skip
    assert last_result(log, toolbox(), RASTER.id, "Heights") == water
    layer = Layer(id="water", name="Water", kind="vector", artifact="vector-1a2b3c")
    state = State().with_artifact(RASTER).with_map(layers=(layer,))
    assert made_by(water, state) == (RASTER.id, "water") and made_by(ships, state) == (None, None)


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
    known = estimate(step.state, world, FOUND)
    assert (known.by_class, known.basis) == ({"ship": Precision(0, 0, 1)}, None)
    assert "verdict" in review_rows(state, world, FOUND)


def test_a_class_has_one_colour_and_its_neighbours_have_others() -> None:
    colours = class_colours(["ship", "plane", "ship", "car"])
    assert colours == class_colours(["car", "ship", "plane"]) and len(set(colours.values())) == 3


def test_what_the_bands_of_an_image_cannot_tell_is_not_offered(ready: tuple[World, State]) -> None:
    world, _ = ready

    def offered(kind: str | None, path: Path | None) -> set[str]:
        return {each.tool.name for each in fitting(toolbox(), kind, path)}

    looks = {
        "flood_mapping",
        "burned_area",
        "cloud_detection",
        "water_extraction",
        "remote_sensing_inversion",
    }
    photo, scene, sar = (world.artifacts.find(each.id) for each in (PHOTO, SCENE, SAR))
    assert offered("optical", photo) & looks == {"water_extraction", "cloud_detection"}
    assert offered("multispectral", scene) & looks == looks
    assert offered("sar", sar) & looks == {"flood_mapping", "water_extraction"}
    heights = FOLDER / "dem.tif"
    assert offered(None, heights) == {"classify_image", "denoising", "edge_detection", "image_quality",
                                      "image_similarity", "look_at_image"}  # fmt: skip


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
