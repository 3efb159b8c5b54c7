"""Haze laid over a known ground, and taken off again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.metrics import peak_signal_noise_ratio as psnr

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.haze import _guided, air_of, dehaze
from tests.data.raster.made import read, write

AIR = np.array([215.0, 220.0, 225.0])[:, None, None]


def ground(side: int = 128) -> NDArray[np.float64]:
    """Coloured fields with dark ditches: (3, rows, columns)."""
    random = np.random.default_rng(1)
    shades = random.uniform(20, 200, (3, side // 16, side // 16))
    made = np.kron(shades, np.ones((1, 16, 16)))
    made[:, ::16] = made[:, :, ::16] = 4.0
    return made


def hazy(through: float | NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.asarray((ground() * through + AIR * (1 - through)).round(), np.uint8)


def stack(path: Path, bands: int = 3) -> NDArray[np.float64]:
    return np.stack([read(path, band) for band in range(1, bands + 1)])


@pytest.mark.parametrize("through", [0.8, 0.6])
def test_even_haze_is_measured_and_most_of_it_goes(tmp_path: Path, through: float) -> None:
    source = write(tmp_path / "h.tif", hazy(through))
    air = dehaze(Unheard(), source, tmp_path / "o.tif")
    truth = ground().astype(np.uint8)
    made = stack(tmp_path / "o.tif").astype(np.uint8)
    assert air.transmission == pytest.approx(through, abs=0.08)
    assert psnr(truth, made) > psnr(truth, hazy(through)) + 5


def test_haze_on_one_side_is_found_there(tmp_path: Path) -> None:
    through = np.broadcast_to(np.linspace(1.0, 0.4, 128), (128, 128))
    air = air_of(write(tmp_path / "h.tif", hazy(through)))
    assert air.least_transmission < 0.55 < air.transmission


def test_clear_ground_stays_as_it_is(tmp_path: Path) -> None:
    source = write(tmp_path / "c.tif", ground().astype(np.uint8))
    air = dehaze(Unheard(), source, tmp_path / "o.tif")
    assert air.transmission > 0.95
    assert psnr(ground().astype(np.uint8), stack(tmp_path / "o.tif").astype(np.uint8)) > 30


def test_longer_waves_see_less_of_the_haze(tmp_path: Path) -> None:
    through = 0.6
    bands = np.concatenate([hazy(through)[::-1], hazy(through)[:1], hazy(through)[:1]]).astype(np.uint16)
    names = ("blue", "green", "red", "nir", "swir16")
    dehaze(Unheard(), write(tmp_path / "m.tif", bands, descriptions=names), tmp_path / "o.tif")
    red, nir, swir = (np.abs(read(tmp_path / "o.tif", at) - bands[2]).mean() for at in (3, 4, 5))
    assert red > nir > swir > 0


def test_the_guided_filter_keeps_a_step_of_its_guide_and_smooths_elsewhere() -> None:
    step = np.where(np.arange(60) < 30, 0.2, 0.9) * np.ones((60, 1))
    noisy = step + np.random.default_rng(2).normal(0, 0.05, step.shape)
    made = _guided(step, noisy, 8)
    assert abs(made[:, :29] - 0.2).max() < 0.06 and abs(made[:, 31:] - 0.9).max() < 0.06


def test_the_outcome_does_not_depend_on_where_the_blocks_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "h.tif", hazy(0.7).astype(np.float32), descriptions=("red", "green", "blue"))
    dehaze(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr("data.raster.windows.BLOCK_PX", 32)
    monkeypatch.setattr("data.vision.haze.STRIP_PX", 4 * 1024)
    dehaze(Unheard(), source, tmp_path / "parts.tif")
    inner = (
        slice(None),
        slice(48, -48),
        slice(48, -48),
    )  # beyond, the filter mirrors another part of the ground
    np.testing.assert_allclose(
        stack(tmp_path / "parts.tif")[inner], stack(tmp_path / "whole.tif")[inner], atol=0.1
    )


def test_an_image_without_colours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="red, green and blue"):
        dehaze(Unheard(), write(tmp_path / "g.tif", np.ones((8, 8), np.uint8)), tmp_path / "o.tif")
