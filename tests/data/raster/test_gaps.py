"""Holes filled from around, against gdal_fillnodata and a plane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.raster import gaps
from data.raster.errors import RasterError
from data.raster.gaps import fill_nodata
from tests.data.raster.made import gdal, needs, read, write


def pierced(rows: int, columns: int, seed: int = 5) -> np.ndarray:
    """A wavy surface with a tenth of it missing in holes of up to 7 pixels, -1 there."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:columns]
    surface = (100 + 10 * np.sin(x / 9) + 10 * np.cos(y / 7)).astype(np.float32)
    for _ in range(rows * columns // 300):
        row, column = random.integers(0, rows), random.integers(0, columns)
        surface[row : row + random.integers(1, 8), column : column + random.integers(1, 8)] = -1
    return surface


@needs("gdal_fillnodata.py")
@pytest.mark.parametrize("smoothing", [0, 2])
def test_holes_are_filled_as_gdal_fillnodata_fills_them(tmp_path: Path, smoothing: int) -> None:
    source = write(tmp_path / "holes.tif", pierced(60, 80), nodata=-1)
    gdal("gdal_fillnodata.py", "-q", "-md", 20, "-si", smoothing, source, tmp_path / "theirs.tif")
    filled = fill_nodata(source, tmp_path / "ours.tif", max_distance_px=20, smoothing=smoothing)
    ours = read(tmp_path / "ours.tif")
    np.testing.assert_allclose(ours, read(tmp_path / "theirs.tif"), rtol=1e-5)
    assert (filled.holes_px, filled.left_px) == (np.isnan(read(source)).sum(), 0)
    known = np.isfinite(read(source))
    np.testing.assert_array_equal(ours[known], read(source)[known])


def test_the_windows_fill_as_the_whole_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path / "holes.tif", pierced(1100, 40), nodata=-1)
    fill_nodata(source, tmp_path / "whole.tif", max_distance_px=12)
    real = gaps.windows
    monkeypatch.setattr(gaps, "windows", lambda grid: real(grid, 4096))
    fill_nodata(source, tmp_path / "parts.tif", max_distance_px=12)
    np.testing.assert_allclose(read(tmp_path / "parts.tif"), read(tmp_path / "whole.tif"), rtol=1e-6)


@needs("gdal_fillnodata.py")
def test_lonely_holes_far_apart_and_at_the_edges_are_filled_as_by_gdal(tmp_path: Path) -> None:
    values = pierced(120, 400)
    values[values < 0] = 55
    for row, column, size in ((0, 0, 6), (117, 390, 9), (50, 150, 12), (90, 155, 3), (30, 260, 1)):
        values[row : row + size, column : column + size] = -1
    source = write(tmp_path / "holes.tif", values, nodata=-1)
    gdal("gdal_fillnodata.py", "-q", "-md", 15, "-si", 1, source, tmp_path / "theirs.tif")
    filled = fill_nodata(source, tmp_path / "ours.tif", max_distance_px=15, smoothing=1)
    np.testing.assert_allclose(read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif"), rtol=1e-5)
    assert (filled.holes_px, filled.left_px) == ((values == -1).sum(), 0)


def test_what_lies_too_far_from_any_value_stays_without_one(tmp_path: Path) -> None:
    values = np.full((30, 30), 7, np.uint8)
    values[5:, 5:] = 0
    filled = fill_nodata(
        write(tmp_path / "far.tif", values, nodata=0), tmp_path / "ours.tif", max_distance_px=3
    )
    ours = read(tmp_path / "ours.tif")
    assert set(np.unique(ours[np.isfinite(ours)])) == {7.0}
    assert filled.holes_px == 625 and filled.left_px == np.isnan(ours).sum() > 400
    empty = write(tmp_path / "empty.tif", np.zeros((9, 9), np.uint8), nodata=0)
    assert fill_nodata(empty, tmp_path / "ours.tif") == gaps.Filled(81, 81)


def test_what_has_a_value_keeps_it_to_the_last_bit_in_every_band_and_type(tmp_path: Path) -> None:
    big = np.arange(1, 2 * 30 * 40 + 1, dtype=np.int32).reshape(2, 30, 40) + 2**30
    big[0, 5:8, 5:9] = big[1, 20, 3] = 0
    filled = fill_nodata(write(tmp_path / "big.tif", big, nodata=0), tmp_path / "ours.tif")
    assert filled == gaps.Filled(13, 0)
    with rasterio.open(tmp_path / "ours.tif") as reader:
        made = reader.read()
    np.testing.assert_array_equal(made[big != 0], big[big != 0])
    # In the middle of a row of a plane the nearest of all four directions balance.
    np.testing.assert_allclose(made[1, 20, 3], big[1, 20, 2] + 1, atol=1)


def test_a_file_that_breaks_off_is_told_in_one_sentence(tmp_path: Path) -> None:
    source = write(tmp_path / "holes.tif", pierced(600, 80), nodata=-1)
    source.write_bytes(source.read_bytes()[:60_000])
    with pytest.raises(RasterError, match="broken near row 0: its pixels cannot be read"):
        fill_nodata(source, tmp_path / "ours.tif")
