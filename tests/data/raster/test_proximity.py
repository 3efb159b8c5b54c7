"""Distances to the nearest pixel, against scipy, gdal_proximity and one point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from scipy.ndimage import distance_transform_edt

from data.raster import proximity as module
from data.raster.errors import RasterError
from data.raster.patches import Where
from data.raster.proximity import proximity
from tests.data.raster.made import gdal, needs, read, write
from tests.real_files import real

ONE = Where("=", 1)


def scattered(rows: int, columns: int, share: float, seed: int = 2) -> np.ndarray:
    return (np.random.default_rng(seed).random((rows, columns)) < share).astype(np.uint8)


@pytest.mark.parametrize(("width", "height"), [(10.0, 10.0), (10.0, 25.0), (30.0, 7.5)])
def test_every_distance_is_the_exact_one(
    tmp_path: Path, width: float, height: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STRIP_PX", 512 * 20)
    values = scattered(1100, 20, 0.004)
    grid = Affine(width, 0, 500_000, 0, -height, 5_700_000)
    summary = proximity(
        write(tmp_path / "points.tif", values, transform=grid), tmp_path / "far.tif", where=ONE
    )
    exact = distance_transform_edt(values == 0, sampling=(height, width))
    np.testing.assert_allclose(read(tmp_path / "far.tif"), exact, rtol=1e-6)
    assert summary.greatest == pytest.approx(exact.max()) and summary.mean == pytest.approx(exact.mean())


@needs("gdal_proximity.py")
def test_a_real_surface_is_as_far_from_its_buildings_as_gdal_proximity_says(tmp_path: Path) -> None:
    height = read(real("elevation/hag.tif"))
    high = write(tmp_path / "high.tif", (height > 6).astype(np.uint8), pixel=2)
    gdal("gdal_proximity.py", "-q", "-values", 1, "-distunits", "GEO", high, tmp_path / "theirs.tif")
    proximity(high, tmp_path / "ours.tif", where=ONE)
    ours, theirs = read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif")
    # gdal_proximity passes distances on from neighbour to neighbour, so that a few of its are too long.
    assert (ours <= theirs + 1e-3).all()
    assert np.mean(np.abs(ours - theirs) < 1e-3) > 0.99


def test_beyond_the_longest_distance_asked_for_there_is_no_value(tmp_path: Path) -> None:
    values = np.zeros((41, 41), np.uint8)
    values[20, 20] = 1
    summary = proximity(
        write(tmp_path / "one.tif", values), tmp_path / "far.tif", where=ONE, max_distance_m=100
    )
    y, x = np.mgrid[-20:21, -20:21]
    exact = 10 * np.hypot(x, y)
    np.testing.assert_allclose(read(tmp_path / "far.tif"), np.where(exact <= 100, exact, np.nan), rtol=1e-6)
    assert summary.count == (exact <= 100).sum()


def test_nothing_to_measure_from_and_degrees_are_refused(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.tif", np.zeros((5, 5), np.uint8))
    with pytest.raises(RasterError, match=r"No pixel of empty\.tif is = 1"):
        proximity(empty, tmp_path / "far.tif", where=ONE)
    degrees = write(
        tmp_path / "degrees.tif",
        np.ones((5, 5), np.uint8),
        crs="EPSG:4326",
        transform=Affine(1, 0, 0, 0, -1, 9),
    )
    with pytest.raises(RasterError, match="lies in degrees"):
        proximity(degrees, tmp_path / "far.tif", where=ONE)
