"""Clipping, against GDAL's own command-line tools and by hand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from shapely.geometry import box

from copilot.bench.build.example_files import FOLDER
from data.raster.clip import clip
from data.raster.errors import RasterError
from state.model import State
from tests.data.raster.test_windows import read, write
from tests.tools.prepared import FIELDS, SCENE
from tests.tools.world import after, run
from tools.base import World
from tools.geotools.raster_clipping import raster_clip
from tools.map.drawing import draw_bbox


@pytest.mark.skipif(shutil.which("gdalwarp") is None, reason="gdalwarp is not on this machine")
def test_a_scene_clipped_to_fields_is_gdalwarps_cutline(ready: tuple[World, State], tmp_path: Path) -> None:
    step = run(*ready, raster_clip, raster=SCENE.id, mask=FIELDS.id, crop=False)
    subprocess.run(
        ["gdalwarp", "-q", "-cutline", str(FOLDER / "fields.geojson"), str(FOLDER / "scene.tif"),
         str(tmp_path / "cut.tif")],
        check=True,
    )  # fmt: skip
    made = ready[0].artifacts.find(step.data["raster"])
    assert made is not None
    np.testing.assert_array_equal(read(made), read(tmp_path / "cut.tif"))
    with rasterio.open(made) as ours, rasterio.open(FOLDER / "scene.tif") as scene:
        assert (ours.descriptions, ours.scales, ours.nodata) == (scene.descriptions, scene.scales, 0)
        assert ours.tags()["ACQUISITIONDATETIME"] == "2023-07-14T10:40:00Z"


def test_a_drawn_box_crops_the_raster_in_its_own_grid(ready: tuple[World, State]) -> None:
    """The drawing spans columns 10 to 43 and rows 50 to 83, the lake."""
    world, state = ready
    state = after(world, state, (draw_bbox, {"bbox": [4.3709, 52.0021, 4.3758, 52.0051]}))
    step = run(world, state, raster_clip, raster=SCENE.id, mask="drawings", bands=["nir"])
    with rasterio.open(world.artifacts.find(step.data["raster"])) as made:
        values, place, masked = made.read(1), made.transform, made.read_masks(1)
    with rasterio.open(FOLDER / "scene.tif") as scene:
        column, row = (round(each) for each in ~scene.transform @ (place.c, place.f))
        whole = scene.read(4)[row : row + values.shape[0], column : column + values.shape[1]]
    assert (values.shape[0] in (33, 34, 35), values.shape[1] in (33, 34, 35)) == (True, True)
    np.testing.assert_array_equal(values[masked > 0], whole[masked > 0])
    assert step.data["inside_pct"] > 85 and step.data["bands"] == 1
    assert [each.artifact for each in step.state.map.layers][-1] == step.data["raster"]


def test_a_box_keeps_whole_pixels_and_needs_no_nodata(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.arange(1, 101, dtype=np.uint8).reshape(1, 10, 10))
    area = gpd.GeoDataFrame(geometry=[box(500_021, 4_999_932, 500_049, 4_999_985)], crs="EPSG:32633")
    assert clip(path, tmp_path / "b.tif", area, rectangle=True) == 1.0
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0], read(path)[0, 1:7, 2:5])
    with rasterio.open(tmp_path / "b.tif") as made:
        assert made.nodata is None and (made.dataset_mask() == 255).all()
        assert made.transform.c == 500_020 and made.transform.f == 4_999_990


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_pixels_outside_are_missing_even_where_no_value_means_that(tmp_path: Path, dtype: str) -> None:
    path = write(tmp_path / "a.tif", np.zeros((2, 10, 10), dtype))
    disc = gpd.GeoDataFrame(geometry=[box(500_000, 4_999_900, 500_100, 5_000_000).centroid.buffer(30)])
    kept = clip(path, tmp_path / "b.tif", disc.set_crs("EPSG:32633"), crop=False)
    with rasterio.open(tmp_path / "b.tif") as made:
        valid = made.dataset_mask() > 0
        assert made.read(1)[valid].tolist() == [0] * int(valid.sum())
    assert valid.sum() == round(kept * 100) == 32  # the pixel centres within 30 m of the middle


def test_all_touched_keeps_the_edge(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.ones((1, 10, 10), np.float32))
    thin = gpd.GeoDataFrame(geometry=[box(500_001, 4_999_951, 500_099, 4_999_953)], crs="EPSG:32633")
    with pytest.raises(RasterError, match="No pixel's centre lies inside the shapes"):
        clip(path, tmp_path / "b.tif", thin)
    assert clip(path, tmp_path / "b.tif", thin, all_touched=True) == 1.0
    assert read(tmp_path / "b.tif").shape == (1, 1, 10)


def test_a_mask_in_the_file_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.full((1, 10, 10), 5, np.uint8))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as target:
        target.write_mask(np.eye(10, dtype=bool))
    area = gpd.GeoDataFrame(geometry=[box(500_000, 4_999_950, 500_050, 5_000_000)], crs="EPSG:32633")
    clip(path, tmp_path / "b.tif", area, rectangle=True)
    with rasterio.open(tmp_path / "b.tif") as made:
        np.testing.assert_array_equal(made.dataset_mask() > 0, np.eye(10, dtype=bool)[:5, :5])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "Neither shapes nor a box were given to cut Scene to; name one of them: the drawing, a layer"),
        ({"bbox": [14.3, 52, 14.4, 52.1]}, "The shapes lie beside Scene, so nothing of it"),
        ({"mask": "nothing"}, "There are no features 'nothing'."),
        ({"mask": FIELDS.id, "bands": [7]}, "There is no band '7'; the raster has 1 blue"),
    ],
)
def test_what_cannot_be_clipped_is_said(
    ready: tuple[World, State], args: dict[str, object], said: str
) -> None:
    step = run(*ready, raster_clip, raster=SCENE.id, **args)
    assert step.failed and step.observation.startswith(said)
