"""Pan-sharpening, against gdal_pansharpen.py and by what each method promises."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.raster.errors import RasterError
from data.raster.pansharpen import Fusion, pansharpen
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import UTM, read, write
from tests.real_files import real


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path, np.ndarray]:
    """A pan of 10 m, three bands of 40 m that are its means in other brightnesses, and the bands at 10 m."""
    random = np.random.default_rng(5)
    y, x = np.mgrid[0:64, 0:64]
    pan = 900 + 300 * np.sin(x / 6) * np.cos(y / 9) + random.normal(0, 60, (64, 64))
    fine = np.stack([0.6 * pan, 1.0 * pan, 1.4 * pan])
    coarse = fine.reshape(3, 16, 4, 16, 4).mean(axis=(2, 4))
    bands = write(
        tmp_path / "ms.tif", np.rint(coarse).astype(np.uint16), transform=UTM @ Affine.scale(4), nodata=0
    )
    sharp = write(tmp_path / "pan.tif", np.rint(pan)[np.newaxis].astype(np.uint16), nodata=0)
    return bands, sharp, fine


@needs("gdal_pansharpen.py")
def test_brovey_is_gdal_pansharpens(pair: tuple[Path, Path, np.ndarray], tmp_path: Path) -> None:
    bands, pan, _ = pair
    gdal("gdal_pansharpen.py", "-q", "-r", "cubic", pan, bands, tmp_path / "g.tif")
    pansharpen(bands, pan, tmp_path / "b.tif")
    ours, theirs = read(tmp_path / "b.tif").astype(int), read(tmp_path / "g.tif").astype(int)
    inner = (slice(None), slice(8, -8), slice(8, -8))  # at the edge the two resample differently
    assert np.abs(ours - theirs)[inner].max() <= 2
    assert np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] > 0.9999


@pytest.mark.parametrize("method", ["brovey", "ihs", "gram_schmidt"])
def test_sharpening_comes_nearer_to_the_truth_than_resampling(
    pair: tuple[Path, Path, np.ndarray], tmp_path: Path, method: Fusion
) -> None:
    bands, pan, fine = pair
    pansharpen(bands, pan, tmp_path / "b.tif", method=method)
    made, plain = read(tmp_path / "b.tif").astype(float), np.kron(read(bands), np.ones((4, 4)))
    assert made.shape == fine.shape
    error, before = np.sqrt(np.mean((made - fine) ** 2)), np.sqrt(np.mean((plain - fine) ** 2))
    assert error < (0.55 if method == "ihs" else 0.25) * before


def test_the_result_has_the_bands_names_on_the_fine_grid(
    pair: tuple[Path, Path, np.ndarray], tmp_path: Path
) -> None:
    bands, pan, _ = pair
    with rasterio.open(bands, "r+") as target:
        target.descriptions = ("blue", "green", "red")
    pansharpen(bands, pan, tmp_path / "b.tif", bands=[3, 1], weights=[0.3, 0.7])
    with rasterio.open(tmp_path / "b.tif") as made, rasterio.open(pan) as fine:
        assert (made.descriptions, made.dtypes, made.nodata) == (("red", "blue"), ("uint16",) * 2, 0)
        assert (made.transform, made.shape) == (fine.transform, fine.shape)


def test_what_cannot_be_sharpened_is_said(pair: tuple[Path, Path, np.ndarray], tmp_path: Path) -> None:
    bands, pan, _ = pair
    with pytest.raises(
        RasterError, match=r"pan.tif \(10\)|ms.tif \(40\) must be smaller than those of pan.tif"
    ):
        pansharpen(pan, bands, tmp_path / "b.tif")
    with pytest.raises(RasterError, match="The weights must be 3, one a band, and add up to 1"):
        pansharpen(bands, pan, tmp_path / "b.tif", weights=[0.5, 0.5])


def test_a_real_scene_keeps_its_colours(tmp_path: Path) -> None:
    """Rotterdam: brought back to the coarse pixels, the sharpened bands are the bands that were sharpened."""
    folder = real("spacenet")
    pansharpen(folder / "ms1.tif", folder / "pan1.tif", tmp_path / "b.tif", method="gram_schmidt")
    with rasterio.open(tmp_path / "b.tif") as made, rasterio.open(folder / "ms1.tif") as source:
        sharp = made.read().reshape(4, 300, 2, 300, 2).mean(axis=(2, 4))
        for one, two in zip(sharp, source.read(), strict=True):
            good = np.isfinite(one) & (two > 0)
            assert np.corrcoef(one[good], two[good])[0, 1] > 0.9
