"""Backscatter in decibels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.raster.decibel import to_decibels
from tests.data.raster.test_windows import read, write
from tests.real_files import real


@pytest.mark.parametrize(("quantity", "wanted"), [("power", [20, 0, -10]), ("amplitude", [40, 0, -20])])
def test_decibels_are_ten_or_twenty_logarithms(tmp_path: Path, quantity: str, wanted: list[float]) -> None:
    path = write(tmp_path / "a.tif", np.array([[[100, 1, 0.1, 0, -5, np.nan]]], np.float32))
    moments = to_decibels(path, tmp_path / "b.tif", quantity)
    np.testing.assert_allclose(read(tmp_path / "b.tif")[0, 0], [*wanted, *[np.nan] * 3], atol=1e-5)
    assert (moments.count, moments.mean) == (3, pytest.approx(sum(wanted) / 3))
    with rasterio.open(tmp_path / "b.tif") as made:
        assert made.units == ("dB",)


@pytest.mark.parametrize("quantity", ["power", "amplitude"])
def test_back_from_decibels_is_what_it_was(tmp_path: Path, quantity: str) -> None:
    values = np.random.default_rng(2).gamma(4, 0.1, (1, 20, 20)).astype(np.float32)
    path = write(tmp_path / "a.tif", values)
    to_decibels(path, tmp_path / "b.tif", quantity)
    to_decibels(tmp_path / "b.tif", tmp_path / "c.tif", quantity, inverse=True)
    np.testing.assert_allclose(read(tmp_path / "c.tif"), values, rtol=1e-5)


def test_complex_radar_counts_by_its_amplitude(tmp_path: Path) -> None:
    path = real("spacenet/sar_vv.tif")
    to_decibels(path, tmp_path / "b.tif", "amplitude")
    with rasterio.open(path) as source:
        amplitude = np.abs(source.read(1))
    made = read(tmp_path / "b.tif")[0]
    np.testing.assert_allclose(made[amplitude > 0], 20 * np.log10(amplitude[amplitude > 0]), atol=1e-4)
