from __future__ import annotations

from pathlib import Path

import pytest
import rasterio
from PIL import Image

from state.model import Artifact, State
from tests.tools.prepared import AIRFIELD, APRON, FOLDER
from tests.tools.world import small_world
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox

PLAIN = Artifact("raster-0f0f0f", "raster", "Photograph", "3 bands", "test()")
HEIGHTS = Artifact("raster-0d0d0d", "raster", "Height of the dike", "1 band", "test()")


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    state = State()
    for artifact, file in ((AIRFIELD, "airfield.tif"), (APRON, "apron.tif")):
        world.artifacts.path(artifact.id, ".tif").write_bytes((FOLDER / file).read_bytes())
        state = state.with_artifact(artifact)
    with rasterio.open(FOLDER / "harbour.tif") as source:
        pixels = source.read().transpose(1, 2, 0)
    Image.fromarray(pixels).save(world.artifacts.path(PLAIN.id, ".png"))
    return world, state.with_artifact(PLAIN)


def call(ready: tuple[World, State], name: str, **args: object) -> Step:
    return run_call(toolbox(), ready[1], ready[0], name, args)


def test_a_count_is_that_of_the_detections_it_keeps_and_names_its_model(ready: tuple[World, State]) -> None:
    step = call(ready, "object_count", image=AIRFIELD.id, min_score=0.1)
    assert not step.failed, step.observation
    assert step.data["model"] == "oriented-objects" and "oriented-objects" in step.observation
    assert step.data["count"] == sum(step.data["by_class"].values())
    assert step.data["count_low"] <= step.data["count"] <= step.data["count_high"]
    area_km2 = (256 * 0.6 / 1000) ** 2
    assert step.data["per_km2"] == pytest.approx(step.data["count"] / area_km2, rel=0.01)
    assert step.state.artifact(str(step.data["detections"])) is not None


def test_only_what_was_asked_for_is_found_in_any_words(ready: tuple[World, State]) -> None:
    step = call(ready, "optical_detection", image=AIRFIELD.id, classes=["aircraft"], min_score=0.05)
    assert set(step.data["by_class"]) <= {"plane"}
    assert step.data["classes"] == ["plane"]


def test_horizontal_boxes_are_parallel_to_the_image(ready: tuple[World, State]) -> None:
    from shapely import from_wkt

    from tools.detections import detections_of

    step = call(ready, "horizontal_object_detection", image=AIRFIELD.id, min_score=0.05)
    frame = detections_of(step.state, ready[0], str(step.data["detections"])).frame
    shapes = [from_wkt(text) for text in frame["pixels"]]
    assert all(shape.area == pytest.approx(shape.envelope.area, abs=0.1) for shape in shapes)


def test_a_radar_image_is_sent_to_the_radar_tool(ready: tuple[World, State]) -> None:
    step = call(ready, "optical_detection", image=APRON.id)
    assert step.failed
    assert step.observation == (
        "Apron is a radar image, and oriented-objects is for optical images; sar_detection finds ships in "
        "it. With anyway=true it is done, and said so first."
    )


def test_a_model_or_class_that_is_not_there_gets_one_sentence(ready: tuple[World, State]) -> None:
    wrong = call(ready, "rotated_object_detection", image=AIRFIELD.id, model="oriented-object")
    assert wrong.observation == "There is no model 'oriented-object'; did you mean oriented-objects?"
    other = call(ready, "rotated_object_detection", image=AIRFIELD.id, model="land-cover-rgb")
    assert other.observation.startswith("land-cover-rgb is for semantic segmentation")
    strange = call(ready, "optical_detection", image=AIRFIELD.id, classes=["zebra"])
    assert strange.observation.startswith("oriented-objects does not know 'zebra'; it knows plane, ")


def test_an_image_without_a_place_is_searched_too_and_has_no_density(ready: tuple[World, State]) -> None:
    step = call(ready, "object_count", image=PLAIN.id)
    assert not step.failed and step.data["per_km2"] is None and "layer" not in step.data
    typed = call(ready, "optical_plane_type", image=PLAIN.id)
    assert typed.failed and "give gsd_m, in metres" in typed.observation
    assert step.observation.startswith(
        "Photograph says no pixel size, and oriented-objects is for pixels of 3 m or finer. Found "
    )


def test_planes_in_radar_are_measured_with_their_candidates(ready: tuple[World, State]) -> None:
    step = call(ready, "sar_plane_type", image=APRON.id)
    assert not step.failed, step.observation
    planes = step.data["planes"]
    assert len(planes) == step.data["count"] > 0
    assert all(20 < each["length_m"] < 60 and 20 < each["span_m"] < 60 for each in planes)
    for each in planes:
        distances = [one["distance"] for one in each["candidates"]]
        assert distances == sorted(distances)


def test_detections_of_another_image_are_refused(ready: tuple[World, State]) -> None:
    world, state = ready
    found = run_call(toolbox(), state, world, "sar_plane_type", {"image": APRON.id})
    step = run_call(
        toolbox(), found.state, world, "optical_plane_type",
        {"image": AIRFIELD.id, "detections": found.data["detections"]},
    )  # fmt: skip
    assert step.failed and f"was found in {APRON.id}, not in {AIRFIELD.id}" in step.observation


@pytest.mark.parametrize(
    "tool",
    [
        "optical_detection", "object_count", "optical_plane_type", "sar_detection", "building_extraction",
        "road_extraction", "semantic_segmentation", "land_use_classification",
    ],
)  # fmt: skip
def test_nothing_is_looked_for_in_heights_and_the_refusal_has_their_title(
    ready: tuple[World, State], tool: str
) -> None:
    world, state = ready
    world.artifacts.path(HEIGHTS.id, ".tif").write_bytes((FOLDER / "dem.tif").read_bytes())
    step = call((world, state.with_artifact(HEIGHTS)), tool, image=HEIGHTS.id)
    assert (step.failed, step.observation) == (
        True,
        "Things on the ground are found in a colour, multispectral, panchromatic or radar image, and Height "
        "of the dike holds heights or a quantity.",
    )


def test_who_asks_to_go_on_gets_an_answer_on_heights_that_says_so_first(ready: tuple[World, State]) -> None:
    world, state = ready
    world.artifacts.path(HEIGHTS.id, ".tif").write_bytes((FOLDER / "dem.tif").read_bytes())
    with_heights = (world, state.with_artifact(HEIGHTS))
    assert call(with_heights, "optical_detection", image=HEIGHTS.id, model="oriented-objects").failed
    step = call(with_heights, "optical_detection", image=HEIGHTS.id, model="oriented-objects", anyway=True)
    assert not step.failed and step.observation.startswith(
        "Things on the ground are found in a colour, multispectral, panchromatic or radar image, and Height "
        "of the dike holds heights or a quantity, so the answer may mean nothing. "
    ), step.observation


def test_what_computes_on_pixels_names_the_raster_by_its_title(ready: tuple[World, State]) -> None:
    world, state = ready
    world.artifacts.path(HEIGHTS.id, ".tif").write_bytes((FOLDER / "dem.tif").read_bytes())
    step = call((world, state.with_artifact(HEIGHTS)), "spectral_index", raster=HEIGHTS.id, index="NDVI")
    assert step.observation == "NDVI needs the bands nir, red; Height of the dike has 1 band."
