"""Statistics of whole rasters, against numpy over all pixels at once."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st

from data.raster import stats
from data.raster.errors import RasterError
from data.raster.scan import scan
from data.raster.stats import Collected, Histogram, Moments, band_histogram, band_stats, whole_counts
from data.raster.windows import Band
from tests.data.raster.test_windows import write


@pytest.fixture
def scene(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """Skewed values with missing ones, in two bands; and the second band's valid values."""
    random = np.random.default_rng(3)
    values = random.gamma(2, 500, (2, 70, 61)).astype(np.float32)
    values[1, 5:9, 3:20] = -9999
    return write(tmp_path / "a.tif", values, nodata=-9999), values[1][values[1] != -9999]


def test_the_statistics_of_a_band_are_those_of_its_valid_pixels(scene: tuple[Path, np.ndarray]) -> None:
    path, valid = scene
    found = band_stats(path, 2, (2, 50, 98))
    assert (found.pixels, found.moments.count) == (70 * 61, valid.size)
    assert found.valid_pct == pytest.approx(100 * valid.size / (70 * 61))
    assert (found.moments.minimum, found.moments.maximum) == (valid.min(), valid.max())
    assert found.moments.mean == pytest.approx(valid.mean(dtype=float), rel=1e-12)
    assert found.moments.std == pytest.approx(valid.std(dtype=float), rel=1e-12)
    assert found.percentiles == pytest.approx(np.percentile(valid, [2, 50, 98]))


def test_a_raster_too_large_to_keep_has_percentiles_to_within_a_bin(
    scene: tuple[Path, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, valid = scene
    monkeypatch.setattr(stats, "Collected", lambda: Collected(most=100))
    found = band_stats(path, 2, (2, 50, 98))
    assert found.moments.mean == pytest.approx(valid.mean(dtype=float), rel=1e-12)
    # Between neighbouring ranks of some 4,000 values lies more than a bin.
    below = [np.mean(valid < each) * 100 for each in found.percentiles]
    assert below == pytest.approx([2, 50, 98], abs=0.1)


def test_a_band_without_a_valid_pixel_has_no_statistics(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.zeros((1, 4, 4), np.uint8), nodata=0)
    found = band_stats(path, 1)
    assert (found.moments.count, found.valid_pct) == (0, 0.0)
    assert all(map(math.isnan, (found.moments.mean, found.moments.minimum, *found.percentiles)))
    with pytest.raises(RasterError, match=r"There is no band 2: a.tif has bands 1 to 1\."):
        band_stats(path, 2)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60), st.integers(0, 60))
def test_the_moments_of_two_parts_are_those_of_the_whole(values: list[float], at: int) -> None:
    whole = np.array(values, dtype=np.float64)
    joined = Moments.of(whole[:at]).joined(Moments.of(whole[at:]))
    assert (joined.count, joined.minimum, joined.maximum) == (whole.size, whole.min(), whole.max())
    assert joined.mean == pytest.approx(whole.mean(), rel=1e-9, abs=1e-6)
    assert joined.std == pytest.approx(whole.std(), rel=1e-6, abs=1e-4)


def test_a_histogram_counts_as_numpys(scene: tuple[Path, np.ndarray]) -> None:
    path, valid = scene
    low, high = float(valid.min()), float(valid.max())
    assert band_histogram(path, 2, low, high, 16).counts.tolist() == np.histogram(valid, 16)[0].tolist()
    part = Histogram.of(valid, 100.0, 200.0, 4)
    assert part.counts.tolist() == np.histogram(valid, 4, (100, 200))[0].tolist()
    assert Histogram.of(np.full(3, 7.0), 7.0, 7.0, 4).counts.tolist() == [3, 0, 0, 0]


def test_a_scan_meets_every_pixel_once_in_order(tmp_path: Path) -> None:
    values = np.arange(700 * 520, dtype=np.float32).reshape(1, 700, 520)
    path = write(tmp_path / "a.tif", values)
    parts = list(
        scan(Band(path, (1,)), lambda block, place: (place.first_row, block[0].ravel()), pixels=60_000)
    )
    rows = [row for row, _ in parts]
    assert len(rows) > 3 and rows == sorted(rows)
    np.testing.assert_array_equal(np.sort(np.concatenate([each for _, each in parts])), values.ravel())


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_whole_numbers_are_counted_one_by_one(tmp_path: Path, dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.random.default_rng(4).integers(info.min, info.max + 1, (1, 50, 40)).astype(dtype)
    values[0, 0] = [info.min, info.max] * 20
    path = write(tmp_path / "a.tif", values, nodata=7)
    valid = values[values != 7].astype(float)
    counts = whole_counts(path, 1)
    assert counts is not None and counts.counts.sum() == valid.size
    found = counts.moments
    assert (found.minimum, found.maximum) == (info.min, info.max)
    assert (found.mean, found.std) == pytest.approx((valid.mean(), valid.std()))
    assert counts.percentiles([0, 2, 37.3, 50, 98, 100]) == pytest.approx(
        np.percentile(valid, [0, 2, 37.3, 50, 98, 100])
    )


def test_masked_pixels_are_not_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.arange(16, dtype=np.uint8).reshape(1, 4, 4))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as target:
        target.write_mask(np.arange(16).reshape(4, 4) >= 12)
    assert band_stats(path, 1).moments == Moments.of(np.arange(12, 16))
    assert whole_counts(write(tmp_path / "b.tif", np.ones((1, 2, 2), np.float32)), 1) is None
