"""What is measured of an image against what was put into it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.quality import (
    edge_width,
    findings,
    measure_quality,
    mtf_at_nyquist,
    sharpness,
    stripes,
    verdict,
)
from tests.data.raster.made import write


def board(side: int = 160) -> np.ndarray:
    rows, columns = np.mgrid[:side, :side]
    return np.where((rows // 32 + columns // 32) % 2, 150.0, 50.0)


@pytest.mark.parametrize("sigma", [1.0, 1.5, 2.0])
def test_the_rise_of_an_edge_is_that_of_its_gaussian_blur(sigma: float) -> None:
    width, measured = edge_width([gaussian_filter(board(), sigma)])
    assert width == pytest.approx(2.563 * sigma, rel=0.06) and measured > 50


def test_the_contrast_at_nyquist_is_that_of_the_gaussian() -> None:
    assert mtf_at_nyquist(2.563103) == pytest.approx(math.exp(-2 * math.pi**2 * 0.25))
    assert mtf_at_nyquist(0.0) == 1.0


def test_blur_takes_the_laplacian_down_and_a_flat_image_has_none() -> None:
    assert sharpness([board()]) > 5 * sharpness([gaussian_filter(board(), 2)])
    assert math.isnan(sharpness([np.full((20, 20), 7.0)]))


def test_stripes_stand_out_from_noise() -> None:
    noise = np.random.default_rng(1).normal(100, 5, (128, 128))
    assert stripes([noise]) == pytest.approx(1, abs=0.3)
    assert stripes([noise + 8.0 * (np.arange(128) % 2)]) > 6
    assert stripes([noise + 8.0 * (np.arange(128) % 2)[:, None]]) > 6


def test_a_made_image_measures_as_it_was_made(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    values = gaussian_filter(board(), 1.0) + random.normal(0, 2, (160, 160))
    bands = np.stack([values, values * 0.8, values * 0.6]).clip(1, 254).round().astype(np.uint8)
    bands[:, :16] = 0
    bands[0, 16:32, :40] = 255
    source = write(tmp_path / "q.tif", bands, nodata=0, descriptions=("red", "green", "blue"))
    found = measure_quality(Unheard(), source)
    red = found.bands[0]
    assert (found.width_px, found.height_px, found.gsd_m) == (160, 160, pytest.approx(10, rel=0.01))
    assert red.noise_sigma == pytest.approx(2, rel=0.15)
    assert red.snr_db == pytest.approx(20 * math.log10(red.mean / red.noise_sigma))
    assert red.nodata_percent == pytest.approx(10)
    assert red.saturated_percent == pytest.approx(100 * 640 / (160 * 144))
    assert found.edge_width_px == pytest.approx(2.563, rel=0.12)
    assert found.cloud_percent is not None and found.haze_percent is not None
    assert {"partly saturated", "partly without values"} <= {each.words for each in findings(found)}
    assert verdict(found) in ("fair", "poor")


def test_radar_is_judged_by_its_looks_and_not_by_noise(tmp_path: Path) -> None:
    speckle = np.random.default_rng(3).gamma(1, 100, (96, 96)).astype(np.float32)
    source = write(tmp_path / "s.tif", speckle, descriptions=("intensity",))
    found = measure_quality(Unheard(), source, radar=True)
    assert found.speckle_looks == pytest.approx(1, rel=0.3)
    assert [each.words for each in findings(found)] == ["speckled"] and verdict(found) == "poor"


def test_an_image_without_any_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="nothing to measure"):
        measure_quality(Unheard(), write(tmp_path / "e.tif", np.zeros((8, 8), np.uint8), nodata=0))
