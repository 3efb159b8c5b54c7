"""An ingested image's pixels on the map and in the exported picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from state.model import State
from tests.tools.prepared import write_raster
from tests.tools.world import after, run, small_world, write_small_catalogue
from tools.base import World
from tools.map import adding, export
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
    with Image.open(step.data["path"]) as picture:
        middle = picture.crop((600, 500, 1200, 900)).convert("RGB")
        greys = {colour for _, colour in middle.getcolors(10**6) or [] if len(set(colour)) == 1}
    assert len(greys) > 8  # the raster goes from 0 to 15; land is no grey
