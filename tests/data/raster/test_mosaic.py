"""Rasters joined into one, against gdal_merge.py and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from copilot.bench.build.example_files import FOLDER
from data.raster.clip import clip
from data.raster.errors import RasterError
from data.raster.mosaic import Rule, mosaic
from data.raster.warp import grid_in, warp
from data.raster.windows import grid_of
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import UTM, read, write


def tiles(folder: Path) -> tuple[Path, Path]:
    """Two squares of four pixels that overlap in two columns, the second with a missing pixel there."""
    one = np.arange(16, dtype=np.int16).reshape(1, 4, 4)
    two = one + 100
    two[0, 1, 1] = -1
    left = write(folder / "l.tif", one, nodata=-1)
    return left, write(folder / "r.tif", two, nodata=-1, transform=UTM @ Affine.translation(2, 0))


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        ("first", [4, 5, 6, 7, 106, 107]),
        ("last", [4, 5, 104, 7, 106, 107]),
        ("min", [4, 5, 6, 7, 106, 107]),
        ("max", [4, 5, 104, 7, 106, 107]),
        ("mean", [4, 5, 55, 7, 106, 107]),
    ],
)
def test_where_rasters_overlap_the_rule_decides(tmp_path: Path, rule: Rule, row: list[float]) -> None:
    grid, moved = mosaic(tiles(tmp_path), tmp_path / "m.tif", rule=rule)
    assert (grid.width, grid.height, moved) == (6, 4, 0)
    assert read(tmp_path / "m.tif")[0, 1].tolist() == row


@needs("gdal_merge.py")
def test_quarters_of_a_scene_are_joined_as_gdal_merge_does(tmp_path: Path) -> None:
    with rasterio.open(FOLDER / "scene.tif") as source:
        profile, values, names = source.profile, source.read(), source.descriptions
    parts = []
    for at, (row, column) in enumerate(((0, 0), (0, 50), (40, 0), (30, 44))):
        part = values[:, row : row + 56, column : column + 52]
        profile.update(width=part.shape[2], height=part.shape[1])
        profile["transform"] = grid_of(FOLDER / "scene.tif").transform @ Affine.translation(column, row)
        parts.append(tmp_path / f"{at}.tif")
        with rasterio.open(parts[-1], "w", **profile) as target:
            target.write(part)
            target.descriptions = names
    gdal("gdal_merge.py", "-q", "-n", 0, "-a_nodata", 0, "-o", tmp_path / "g.tif", *parts)
    mosaic(parts, tmp_path / "m.tif", rule="last")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), read(tmp_path / "g.tif"))
    with rasterio.open(tmp_path / "m.tif") as made:
        assert (made.descriptions, made.nodata) == (names, 0)


def test_a_raster_in_another_projection_is_brought_along(tmp_path: Path) -> None:
    """A scene joined to itself in longitude and latitude is itself, and no more than its edge is new."""
    whole = FOLDER / "dem.tif"
    turned = tmp_path / "d.tif"
    warp(whole, turned, grid_in(grid_of(whole), rasterio.CRS.from_epsg(4326)), method="bilinear")
    grid, moved = mosaic([whole, turned], tmp_path / "m.tif", resampling="bilinear")
    assert moved == 1
    column, row = (round(each) for each in ~grid.transform @ (594_000, 5_763_000))
    joined = read(tmp_path / "m.tif")[0]
    np.testing.assert_array_equal(joined[row : row + 96, column : column + 96], read(whole)[0])
    _, moved = mosaic([turned, whole], tmp_path / "n.tif")
    assert moved == 1


def test_a_gap_between_rasters_without_nodata_is_masked(tmp_path: Path) -> None:
    left = write(tmp_path / "l.tif", np.zeros((1, 2, 2), np.uint8))
    right = write(tmp_path / "r.tif", np.zeros((1, 2, 2), np.uint8), transform=UTM @ Affine.translation(3, 0))
    mosaic([left, right], tmp_path / "m.tif")
    with rasterio.open(tmp_path / "m.tif") as made:
        assert made.dataset_mask().tolist() == [[255, 255, 0, 255, 255]] * 2


def test_parts_that_were_clipped_apart_make_the_whole_again(tmp_path: Path) -> None:
    import geopandas as gpd
    from shapely.geometry import box

    scene = FOLDER / "scene.tif"
    west, south, east, north = 594_000, 5_762_040, 594_960, 5_763_000
    for name, area in (("a", box(west, south, 594_300, north)), ("b", box(594_300, south, east, north))):
        clip(
            scene,
            tmp_path / f"{name}.tif",
            gpd.GeoDataFrame(geometry=[area], crs="EPSG:32631"),
            rectangle=True,
        )
    mosaic([tmp_path / "b.tif", tmp_path / "a.tif"], tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), read(scene))


def test_rasters_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tif", np.ones((1, 2, 2), np.uint8))
    two = write(tmp_path / "b.tif", np.ones((2, 2, 2), np.uint8))
    with pytest.raises(RasterError, match=r"have as many bands as one another: a.tif has 1 and b.tif 2\."):
        mosaic([one, two], tmp_path / "m.tif")
    far = write(
        tmp_path / "c.tif", np.ones((1, 2, 2), np.uint8), transform=UTM @ Affine.translation(10**6, 10**6)
    )
    with pytest.raises(RasterError, match="and at most 2,000,000,000 can be made"):
        mosaic([one, far], tmp_path / "m.tif")
