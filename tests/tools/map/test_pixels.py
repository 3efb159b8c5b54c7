"""An ingested image's pixels on the map and in the exported picture."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image

from state.model import Artifact, State
from tests.tools.prepared import RASTER, write_raster
from tests.tools.world import after, run, small_world, write_small_catalogue
from tools.base import World
from tools.map import adding, camera, export
from tools.map.picture import Frame, draw_map
from tools.toolbox import toolbox
from tools.ui import images


@pytest.fixture
def heights(tmp_path: Path) -> tuple[World, State]:
    """A catalogue of its own with one ingested raster of 4 by 4 pixels, loaded."""
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "heights").mkdir()
    root = write_small_catalogue(tmp_path / "catalogue")
    write_raster(tmp_path / "heights" / "rhine.tif")
    world = small_world(root, tmp_path / "artifacts")
    ingest = toolbox().get("db_ingest"), {"path": str(tmp_path / "heights")}
    return world, after(world, State(), ingest)


def test_an_image_with_pixels_is_a_layer_at_its_footprint(heights: tuple[World, State]) -> None:
    world, state = heights
    step = run(world, state, adding.add_raster_layer, image="heights:rhine.tif", name="Rhine")
    where = {"layer": "rhine", "kind": "raster", "count": 1, "bbox": [4.0, 51.0, 5.0, 52.0]}
    assert step.data == {**where, "limits": [[0.3, 14.7]]}


def test_the_picture_shows_the_pixels_and_is_no_sample(heights: tuple[World, State]) -> None:
    world, state = heights
    near = after(world, state, (images.show_image, {"rank": "first"}))
    drawn = after(world, near, (adding.add_raster_layer, {"image": "heights:rhine.tif"}))
    step = run(world, drawn, export.export_map, format="png")
    assert step.data["sample"] is False
    middle = draw_map(drawn, world, Frame(drawn.map)).crop((600, 300, 1200, 700))
    greys = {colour for _, colour in middle.getcolors(10**6) or [] if len(set(colour)) == 1}
    assert len(greys) > 8  # the raster goes from 0 to 15; land is no grey


def shown(world: World, state: State, artifact: Artifact) -> State:
    """The raster on the map in greys from 0 to 15, the map fitted to it."""
    looks = {"artifact": artifact.id, "stretch": [0, 15], "colormap": "grey"}
    return after(
        world,
        state.with_artifact(artifact),
        (adding.add_raster_layer, looks),
        (camera.fit_layer, {"layer": "heights"}),
    )


def test_the_picture_has_each_pixel_of_a_raster_artifact_in_its_place(heights: tuple[World, State]) -> None:
    world, state = heights
    write_raster(world.artifacts.path(RASTER.id, ".tif"))
    fitted = shown(world, state, RASTER)
    middles = [(4.125 + 0.25 * (n % 4), 51.875 - 0.25 * (n // 4)) for n in range(16)]
    spots = Frame(fitted.map).pixels(np.array(middles)).round().astype(int)
    picture = draw_map(fitted, world, Frame(fitted.map))
    seen = [picture.getpixel((int(x), int(y))) for x, y in spots]
    assert seen == [(17 * n, 17 * n, 17 * n) for n in range(16)]


def test_the_page_holds_a_raster_across_the_antimeridian_in_one_piece(heights: tuple[World, State]) -> None:
    world, state = heights
    place = {"crs": "EPSG:4326", "transform": Affine(0.5, 0, 179, 0, -0.5, -17)}
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8"}
    with rasterio.open(world.artifacts.path(RASTER.id, ".tif"), "w", **profile, **place) as target:
        target.write(np.arange(16, dtype="uint8").reshape(1, 4, 4))
    step = run(world, shown(world, state, RASTER), export.export_map, format="html")
    page = Path(step.data["path"]).read_text(encoding="utf-8")
    overlay = re.search(r'"data:image/png;base64,([^"]+)",\s*(\[\[.*?\]\])', page)
    assert overlay is not None
    (south, west), (north, east) = json.loads(overlay[2])
    assert [round(each, 6) for each in (west, south, east, north)] == [179, -19, 181, -17]
    with Image.open(io.BytesIO(base64.b64decode(overlay[1]))) as picture:
        assert picture.getpixel((0, 0))[0] == 0
        assert picture.getpixel((picture.width - 1, picture.height - 1)) == (255, 255, 255, 255)
