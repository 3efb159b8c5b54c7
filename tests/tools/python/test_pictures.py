"""Pictures by handle: what is said, what is made, and that places follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from copilot.bench.build.example_files import FOLDER
from data.raster.files import opened
from state.model import Artifact, State
from tests.tools.world import run
from tools.base import Step, Tool, World
from tools.python.lettering import image_annotate, image_montage
from tools.python.photos import read_exif
from tools.python.pictures import image_crop, image_info, image_resize, image_rotate, image_to_png
from tools.python.tones import image_enhance, image_histogram

SCENE, PHOTO = "raster-5ce4e0", "raster-9407a0"


@pytest.fixture
def state(world: World) -> State:
    """A session with a scene that has a place and a photo that has none."""
    state = State()
    for artifact_id, file in ((SCENE, "scene.tif"), (PHOTO, "photo.jpg")):
        name = Path(file)
        world.artifacts.path(artifact_id, name.suffix).write_bytes((FOLDER / file).read_bytes())
        state = state.with_artifact(Artifact(artifact_id, "raster", name.stem, "1 file", "add_file()"))
    return state


def done(world: World, state: State, tool: Tool, **args: Any) -> Step:
    step = run(world, state, tool, **args)
    assert not step.failed, step.observation
    return step


def test_a_picture_is_described(world: World, state: State) -> None:
    step = done(world, state, image_info, raster="photo")
    assert step.observation == (
        "photo has 64 x 48 pixels (0.003 megapixels) in 3 bands of uint8 (red, green and blue), without a "
        "coordinate system, so without a place; the JPEG file has 1,627 bytes."
    )
    scene = done(world, state, image_info, raster=SCENE).data
    assert (scene["crs"], scene["width_px"], scene["bands"]) == ("EPSG:32631", 96, 6)


def test_a_resized_scene_lies_where_it_lay_and_is_on_the_map(world: World, state: State) -> None:
    before = done(world, state, image_info, raster=SCENE).data["bbox"]
    step = done(world, state, image_resize, raster=SCENE, width=48)
    assert step.observation == (
        f"Resized scene from 96 x 96 to 48 x 48 pixels. The raster is {step.data['raster']}."
    )
    assert step.data["bbox"] == pytest.approx(before) and step.data["bands"] == 6
    layer = step.state.layer(step.data["layer"])
    assert layer is not None and layer.artifact == step.data["raster"]


@pytest.mark.parametrize(
    ("args", "size"),
    [
        ({"scale": 0.5}, (32, 24)),
        ({"width": 16}, (16, 12)),
        ({"height": 96}, (128, 96)),
        ({"width": 10, "height": 10}, (10, 10)),
    ],
)
def test_the_shape_stays_where_one_side_is_named(
    world: World, state: State, args: dict[str, Any], size: tuple[int, int]
) -> None:
    data = done(world, state, image_resize, raster=PHOTO, **args).data
    assert (data["width_px"], data["height_px"]) == size


def test_a_picture_without_a_place_is_said_to_have_none(world: World, state: State) -> None:
    step = done(world, state, image_rotate, raster=PHOTO, degrees=-90)
    assert step.observation == (
        "Turned photo by 90 degrees counter-clockwise. It has no place on the map, as before. "
        f"The raster is {step.data['raster']}."
    )
    assert "layer" not in step.data and (step.data["width_px"], step.data["height_px"]) == (48, 64)


def test_a_window_that_reaches_over_the_edge_is_said(world: World, state: State) -> None:
    step = done(world, state, image_crop, raster=SCENE, left=90, top=0, width=20, height=20)
    assert step.observation.startswith(
        "Cut 20 x 20 pixels from column 90 and row 0 out of scene. 6 x 20 of them lay on it."
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {"part": "middle", "width": 30, "height": 20},
            "30 x 20 pixels from column 17 and row 14 (its middle)",
        ),
        ({"part": "middle"}, "32 x 24 pixels from column 16 and row 12 (its middle)"),
        ({"part": "right"}, "32 x 48 pixels from column 32 and row 0 (its right)"),
        ({"part": "bottom-left"}, "32 x 24 pixels from column 0 and row 24 (its lower left)"),
        ({"part": "top", "width": 10, "height": 5}, "10 x 5 pixels from column 27 and row 0 (its top)"),
        ({"part": "middle", "width": 10}, "10 x 48 pixels from column 27 and row 0 (its middle)"),
        ({"left": 50, "top": 40}, "14 x 8 pixels from column 50 and row 40"),
        ({"width": 10, "height": 5}, "10 x 5 pixels from column 0 and row 0"),
    ],
)
def test_a_part_of_a_picture_is_cut_out_and_it_is_said_where(
    world: World, state: State, args: dict[str, Any], said: str
) -> None:
    step = done(world, state, image_crop, raster=PHOTO, **args)
    assert step.observation.startswith(f"Cut {said} out of photo. It has no place on the map, as before.")


def test_a_picture_of_one_value_is_said_to_be_so(world: World, state: State) -> None:
    found = world.artifacts.find(PHOTO)
    assert found is not None
    Image.new("L", (8, 6), 90).save(found)
    step = done(world, state, image_info, raster=PHOTO)
    assert step.observation.endswith(
        "Every pixel has the same value, 90, so there is nothing to be seen in it."
    )


def test_enhancing_says_what_was_done(world: World, state: State) -> None:
    step = done(world, state, image_enhance, raster=SCENE, contrast=1.5, equalise=True)
    assert step.observation.startswith(
        "Enhanced scene: contrast 1.5 and equalised, stretched to 8 bits between its 2nd and 98th percentile."
    )
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    with opened(path) as made:
        assert (made.dtypes[0], made.count, made.crs.to_epsg()) == ("uint8", 3, 32631)


def test_a_histogram_counts_every_pixel(world: World, state: State) -> None:
    step = done(world, state, image_histogram, raster=PHOTO, bins=16)
    bands = step.data["bands"]
    assert [band["pixels"] for band in bands] == [64 * 48] * 3
    assert [sum(band["counts"]) for band in bands] == [64 * 48] * 3
    assert step.state.ui.figure == step.data["figure"]
    assert [band["band"] for band in bands] == ["red", "green", "blue"]


def test_marks_are_said_and_the_place_is_kept(world: World, state: State) -> None:
    step = done(
        world, state, image_annotate, raster=SCENE, text="Lake", boxes=[10, 50, 44, 84], labels="lake",
        scale_bar=True,
    )  # fmt: skip
    assert step.observation.startswith("Drew the text 'Lake', 1 box and a scale bar of 200 m on scene.")
    assert step.data["scale_bar_m"] == 200 and step.data["bbox"]


def test_a_sheet_names_its_pictures(world: World, state: State) -> None:
    step = done(world, state, image_montage, rasters=[SCENE, "photo"], tile_px=32)
    assert step.observation.startswith("Laid 2 pictures out on one sheet, 2 in a row: scene and photo.")
    assert step.data["pictures"] == [SCENE, PHOTO]


def test_a_png_is_a_document_and_says_that_the_place_is_lost(world: World, state: State) -> None:
    step = done(world, state, image_to_png, raster=SCENE, bands="3,2,1", longest_px=50)
    assert step.observation == (
        f"Wrote scene as a PNG of 50 x 50 pixels; the document is {step.data['document']}. A PNG "
        "keeps no place "
        "on the map."
    )
    assert Path(step.data["path"]).read_bytes().startswith(b"\x89PNG")


def test_a_photo_tells_where_and_when(world: World, state: State) -> None:
    step = done(world, state, read_exif, raster="photo")
    assert step.observation == (
        "photo was taken by Azimuth Field Camera 2, at 2023-07-14T10:40:55Z, at longitude 4.970000, latitude "
        "51.827000, 3.5 m above the sea, looking 212 degrees clockwise from north; 0.004 s, f/5.6, "
        "ISO 200, 35 mm."
    )
    none = run(world, state, read_exif, raster=SCENE)
    assert none.observation == "scene holds no EXIF: it is no photo as a camera wrote it."


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        (
            image_resize,
            {},
            "image_resize needs a width, a height or a scale, such as width=800 or scale=0.5.",
        ),
        (
            image_enhance,
            {},
            "image_enhance needs something to change: contrast, brightness, sharpness, gamma or "
            "equalise=true.",
        ),
        (image_annotate, {}, "image_annotate needs a text, boxes or scale_bar=true."),
        (
            image_annotate,
            {"scale_bar": True},
            "photo has no place on the map, so no scale; leave scale_bar out.",
        ),
        (
            image_annotate,
            {"boxes": [9, 9, 1, 1]},
            "A box is [left, top, right, bottom] in pixels, with left before right, not [9.0, 9.0, "
            "1.0, 1.0].",
        ),
        (image_to_png, {"bands": [9]}, "There is no band 9: the raster has 3 bands."),
        (
            image_crop,
            {"left": 500, "width": 5, "height": 5},
            "The window from column 500 and row 0 lies beside the picture, which has 64 x 48 pixels.",
        ),
        (
            image_crop,
            {},
            "Nothing says what to keep: give width and height in pixels, or a part such as 'middle', 'left' "
            "or 'top-right'.",
        ),
        (
            image_crop,
            {"left": 5, "part": "left"},
            "A part says where the window lies, and so do left and top; give one of them.",
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    world: World, state: State, tool: Tool, args: dict[str, Any], said: str
) -> None:
    step = run(world, state, tool, raster=PHOTO, **args)
    assert (step.failed, step.observation, step.state) == (True, said, state)
