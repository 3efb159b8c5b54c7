"""Histograms brought to another's, against scikit-image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from skimage.exposure import match_histograms

from data.raster.errors import RasterError
from data.raster.matching import match_histogram
from tests.data.raster.test_windows import read, write


def pair(folder: Path, dtype: str) -> tuple[Path, Path, np.ndarray, np.ndarray]:
    random = np.random.default_rng(11)
    one = random.gamma(2, 20, (2, 50, 60)).clip(1, 250).astype(dtype)
    two = random.normal(120, 25, (2, 40, 30)).clip(1, 250).astype(dtype)
    return write(folder / "a.tif", one, nodata=0), write(folder / "b.tif", two, nodata=0), one, two


def test_bytes_are_matched_as_scikit_image_does(tmp_path: Path) -> None:
    path, reference, one, two = pair(tmp_path, "uint8")
    match_histogram(path, reference, tmp_path / "m.tif")
    wanted = np.stack([match_histograms(a, b) for a, b in zip(one, two, strict=True)])
    np.testing.assert_allclose(read(tmp_path / "m.tif"), np.rint(wanted), atol=1)
    assert np.mean(read(tmp_path / "m.tif") == np.rint(wanted)) > 0.999


def test_floating_point_is_matched_to_within_the_width_of_a_bin(tmp_path: Path) -> None:
    path, reference, one, two = pair(tmp_path, "float32")
    match_histogram(path, reference, tmp_path / "m.tif")
    wanted = np.stack([match_histograms(a, b) for a, b in zip(one, two, strict=True)])
    # Where few values lie far apart, a bin of the source ends between two of them.
    apart = np.abs(read(tmp_path / "m.tif") - wanted)
    assert apart.mean() < 0.005 and apart.max() < 0.5


def test_missing_pixels_stay_missing_and_count_for_nothing(tmp_path: Path) -> None:
    _, _, one, two = pair(tmp_path, "int16")
    holed = one[:1].copy()
    holed[0, :5] = 0
    match_histogram(
        write(tmp_path / "h.tif", holed, nodata=0), reference_of(two, tmp_path), tmp_path / "m.tif"
    )
    made = read(tmp_path / "m.tif")[0]
    assert (made[:5] == 0).all() and (made[5:] > 0).all()
    np.testing.assert_allclose(made[5:], np.rint(match_histograms(holed[0, 5:], two[0])), atol=1)


def reference_of(values: np.ndarray, folder: Path) -> Path:
    return write(folder / "r.tif", values[:1], nodata=0)


def test_a_reference_of_one_band_serves_all_and_one_of_others_does_not(tmp_path: Path) -> None:
    path, _, _, two = pair(tmp_path, "uint8")
    match_histogram(path, reference_of(two, tmp_path), tmp_path / "m.tif")
    assert np.median(read(tmp_path / "m.tif"), axis=(1, 2)) == pytest.approx([np.median(two[0])] * 2, abs=1)
    three = write(tmp_path / "t.tif", np.ones((3, 2, 2), np.uint8))
    with pytest.raises(RasterError, match=r"t.tif has 3 and a.tif 2\."):
        match_histogram(path, three, tmp_path / "m.tif")
