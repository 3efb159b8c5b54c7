"""Rasters read on a finer grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from rasterio.windows import Window

from data.raster.windows import Band, Grid, compute, grid_of
from data.raster.zoomed import Zoomed
from tests.data.raster.test_windows import UTM, read, write


def finer(grid: Grid, times: int, columns: int = 0, rows: int = 0) -> Grid:
    """A grid of so many times smaller pixels over the same ground, moved by whole small pixels."""
    place = grid.transform @ Affine.scale(1 / times) @ Affine.translation(columns, rows)
    return Grid(grid.crs, place, grid.width * times, grid.height * times)


@pytest.fixture
def coarse(tmp_path: Path) -> Path:
    return write(tmp_path / "c.tif", np.random.default_rng(2).random((2, 30, 40)).astype(np.float32))


@pytest.mark.parametrize("method", ["nearest", "bilinear", "cubic"])
def test_a_part_is_what_the_whole_has_there(coarse: Path, method: str) -> None:
    with rasterio.open(coarse) as source:
        zoomed = Zoomed(source, finer(Grid.of(source), 4), method)
        whole = zoomed.read([1, 2], Window(0, 0, 160, 120))
        for window in (Window(0, 40, 160, 8), Window(24, 12, 64, 64), Window(120, 100, 40, 20)):
            part = zoomed.read([1, 2], window)
            rows, columns = window.toslices()
            np.testing.assert_allclose(part, whole[:, rows, columns], atol=1e-6)


def test_the_nearest_pixel_is_repeated_and_there_is_nothing_beside_the_raster(coarse: Path) -> None:
    with rasterio.open(coarse) as source:
        zoomed = Zoomed(source, finer(Grid.of(source), 3, columns=-2, rows=4), "nearest")
        window = Window(0, 0, 120, 90)
        values, mask = zoomed.read([2], window), zoomed.read_masks(2, window)
        wanted = np.kron(source.read(2), np.ones((3, 3)))[4:, :118]
    np.testing.assert_array_equal(values[0, :86, 2:], wanted)
    assert (mask[:86, 2:] == 255).all() and not mask[86:].any() and not mask[:, :2].any()


def test_missing_pixels_spread_to_no_other_and_are_missing_in_what_is_computed(tmp_path: Path) -> None:
    values = np.full((1, 8, 8), 5, np.int16)
    values[0, 2:4, 2:4] = -1
    path = write(tmp_path / "a.tif", values, nodata=-1)
    fine = write(tmp_path / "f.tif", np.ones((1, 32, 32), np.float32), transform=UTM @ Affine.scale(0.25))
    sources = [fine, Band(path, (1,), grid_of(fine), "cubic")]
    compute(sources, tmp_path / "o.tif", lambda blocks, _: blocks[0][0] + blocks[1][0])
    made = read(tmp_path / "o.tif")[0]
    np.testing.assert_array_equal(np.isnan(made), np.kron(values[0] == -1, np.ones((4, 4), bool)))
    np.testing.assert_allclose(made[~np.isnan(made)], 6)


def test_grids_that_are_turned_coarser_or_elsewhere_do_not_suit(coarse: Path) -> None:
    with rasterio.open(coarse) as source:
        own = Grid.of(source)
        turned = Grid(own.crs, own.transform @ Affine.rotation(5), 40, 30)
        wider = Grid(own.crs, own.transform @ Affine.scale(2), 20, 15)
        degrees = Grid(rasterio.CRS.from_epsg(4326), own.transform, 40, 30)
        assert [Zoomed.suits(source, each) for each in (finer(own, 4), turned, wider, degrees)] == [
            True, False, False, False,
        ]  # fmt: skip
        zoomed = Zoomed(source, finer(own, 2), "nearest")
        assert Grid.of(zoomed).same_as(finer(own, 2))
