"""Noise that was added is measured, and taken out again without the edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.metrics import peak_signal_noise_ratio as psnr

from data.progress import Cancelled, Unheard
from data.raster.errors import RasterError
from data.vision.denoise import _cosines, _dct, denoise, speckle_values
from data.vision.noise import impulses, noise_of, shot_of, sigma_of
from tests.data.raster.made import read, write


def ground(side: int = 128) -> NDArray[np.float64]:
    """Fields of three shades with a bright road across: (3, rows, columns), 40 to 200."""
    rows, columns = np.mgrid[:side, :side]
    field = 60.0 + 50.0 * ((rows // 32 + columns // 40) % 3)
    field[np.abs(rows - columns) < 3] = 200.0
    return np.stack([field, field * 0.9 + 5, field * 0.7 + 20])


def as_bytes(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.clip(values, 0, 255).round().astype(np.uint8)


def stack(path: Path, bands: int = 3) -> NDArray[np.float64]:
    return np.stack([read(path, band) for band in range(1, bands + 1)])


def test_white_noise_is_measured_to_a_tenth_on_ground_with_edges() -> None:
    random = np.random.default_rng(1)
    for sigma in (2.0, 8.0, 20.0):
        noisy = ground()[0] + random.normal(0, sigma, (128, 128))
        assert sigma_of([noisy]) == pytest.approx(sigma, rel=0.12)


def test_painted_and_empty_areas_do_not_hide_the_noise() -> None:
    noisy = ground()[0] + np.random.default_rng(2).normal(0, 5, (128, 128))
    noisy[:64] = 255.0
    noisy[64:80] = np.nan
    assert sigma_of([noisy]) == pytest.approx(5, rel=0.25)
    assert np.isnan(sigma_of([np.full((64, 64), 7.0)]))


def test_noise_that_grows_with_the_light_is_told_from_noise_that_does_not() -> None:
    random = np.random.default_rng(3)
    light = np.repeat(np.linspace(20, 220, 256), 256).reshape(256, 256)
    slope, offset = shot_of([random.poisson(light / 2.0) * 2.0]) or (0.0, 0.0)
    assert slope == pytest.approx(2.0, rel=0.2) and abs(offset) < 30
    assert shot_of([light + random.normal(0, 10, light.shape)]) is None


def test_lone_extremes_are_impulses_and_bright_roofs_are_not() -> None:
    values = np.full((40, 40), 100.0)
    values[5:15, 5:15] = 255.0
    values[30, 30], values[20, 35] = 255.0, 0.0
    found = impulses(values, (0.0, 255.0), 51.0)
    assert np.argwhere(found).tolist() == [[20, 35], [30, 30]]


def test_the_cosines_are_orthonormal_and_without_noise_nothing_changes() -> None:
    basis = np.stack(_cosines())
    np.testing.assert_allclose(basis @ basis.T, np.eye(8), atol=1e-6)
    clean = ground(64)[0].astype(np.float32)
    np.testing.assert_allclose(_dct(clean, 1e-6), clean, atol=2e-3)


@pytest.mark.parametrize(
    ("kind", "method", "gain_db"),
    [("white", "dct", 8.0), ("shot", "dct", 6.0), ("salt", "median and dct", 12.0)],
)
def test_each_kind_of_noise_is_taken_out_and_the_edges_stay(
    tmp_path: Path, kind: str, method: str, gain_db: float
) -> None:
    random, clean = np.random.default_rng(4), ground()
    noisy = {
        "white": clean + random.normal(0, 15, clean.shape),
        "shot": random.poisson(clean / 4.0) * 4.0,
        "salt": np.where(random.random(clean.shape) < 0.03, random.choice([0, 255], clean.shape), clean),
    }[kind]
    source = write(tmp_path / "noisy.tif", as_bytes(noisy))
    done = denoise(Unheard(), source, tmp_path / "clean.tif")
    made = as_bytes(stack(tmp_path / "clean.tif"))
    before = psnr(as_bytes(clean), as_bytes(noisy))
    assert done.method == method
    assert psnr(as_bytes(clean), made) > before + gain_db
    step = np.abs(np.diff(made[0].astype(float), axis=1)).max(axis=1)
    assert np.median(step) > 0.8 * np.median(np.abs(np.diff(clean[0], axis=1)).max(axis=1))


def test_the_outcome_does_not_depend_on_where_the_blocks_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = ground(96)[0] + np.random.default_rng(5).normal(0, 9, (96, 96))
    source = write(tmp_path / "noisy.tif", noisy.astype(np.float32))
    denoise(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr("data.raster.windows.BLOCK_PX", 32)
    monkeypatch.setattr("data.vision.denoise.WINDOW_PX", 1024)
    denoise(Unheard(), source, tmp_path / "parts.tif")
    np.testing.assert_allclose(read(tmp_path / "parts.tif"), read(tmp_path / "whole.tif"), atol=0.02)


def test_pixels_without_a_value_stay_so_and_the_type_is_kept(tmp_path: Path) -> None:
    values = as_bytes(ground(64) + np.random.default_rng(6).normal(0, 9, (3, 64, 64)))
    values = np.maximum(values, 1)
    values[:, 10:20, 10:20] = 0
    source = write(tmp_path / "n.tif", values, nodata=0)
    denoise(Unheard(), source, tmp_path / "o.tif")
    import rasterio

    with rasterio.open(tmp_path / "o.tif") as made:
        assert (made.dtypes[0], made.nodata) == ("uint8", 0)
        np.testing.assert_array_equal(made.read() == 0, values == 0)


def test_speckle_goes_through_refined_lee_with_its_mean_kept(tmp_path: Path) -> None:
    speckle = np.random.default_rng(7).gamma(4, 25, (96, 96)).astype(np.float32)
    source = write(tmp_path / "sar.tif", speckle, descriptions=("intensity",))
    done = denoise(Unheard(), source, tmp_path / "o.tif", radar=True)
    made = read(tmp_path / "o.tif")
    assert done.method == "refined_lee" and done.looks == pytest.approx(4, rel=0.25)
    assert made.std() < 0.5 * speckle.std() and made.mean() == pytest.approx(speckle.mean(), rel=0.03)


def test_decibels_are_refused_and_amplitude_is_told_from_intensity(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    decibel = write(tmp_path / "db.tif", random.normal(-12, 2, (32, 32)).astype(np.float32))
    with pytest.raises(RasterError, match="decibels"):
        speckle_values(decibel)
    small = write(tmp_path / "s.tif", random.gamma(4, 0.02, (32, 32)).astype(np.float32))
    counts = write(tmp_path / "c.tif", random.integers(1, 900, (32, 32)).astype(np.uint16))
    assert (speckle_values(small), speckle_values(counts)) == ("intensity", "amplitude")


def test_too_many_bands_and_nothing_at_all_are_refused_in_a_sentence(tmp_path: Path) -> None:
    many = write(tmp_path / "m.tif", np.ones((40, 8, 8), np.uint8))
    with pytest.raises(RasterError, match="at most 32 bands"):
        denoise(Unheard(), many, tmp_path / "o.tif")
    empty = write(tmp_path / "e.tif", np.zeros((8, 8), np.uint8), nodata=0)
    with pytest.raises(RasterError, match="no pixel with a value"):
        denoise(Unheard(), empty, tmp_path / "o.tif")


class Stopped(Unheard):
    def tell(self, fraction: float, sentence: str) -> None:
        """Stop at once when the filter has begun."""
        if fraction > 0.01:
            raise Cancelled


def test_it_stops_where_it_is_told_to(tmp_path: Path) -> None:
    source = write(tmp_path / "n.tif", as_bytes(ground(64)))
    with pytest.raises(Cancelled):
        denoise(Stopped(), source, tmp_path / "o.tif")


def test_clipped_grain_in_bright_places_is_not_salt(tmp_path: Path) -> None:
    bright = np.clip(ground() + 90 + np.random.default_rng(9).normal(0, 15, (3, 128, 128)), 0, 255)
    assert noise_of(write(tmp_path / "b.tif", as_bytes(bright))).impulse_share < 0.01


def test_one_band_is_cleaned_by_non_local_means_as_three_are(tmp_path: Path) -> None:
    clean = ground()[:1]
    noisy = clean + np.random.default_rng(8).normal(0, 12, clean.shape)
    write(tmp_path / "noisy.tif", noisy.astype("float32"))
    denoise(Unheard(), tmp_path / "noisy.tif", tmp_path / "clean.tif", method="nlm")
    made = stack(tmp_path / "clean.tif", 1)
    assert psnr(clean, made, data_range=255) > psnr(clean, noisy, data_range=255) + 3
