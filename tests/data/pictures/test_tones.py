"""Tones against Pillow's own ImageEnhance and ImageOps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image, ImageEnhance, ImageOps

from copilot.bench.build.example_files import FOLDER
from data.pictures.tones import Tones, enhance, scale_of
from data.raster.files import opened

PHOTO = FOLDER / "photo.jpg"


def made(folder: Path, source: Path, tones: Tones) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    target = folder / "made.tif"
    enhance(source, target, tones, scale_of(source))
    with opened(target) as result:
        return np.moveaxis(result.read(), 0, 2)


def photo() -> Image.Image:
    """The photo as GDAL decodes it, so that only the tones differ."""
    with opened(PHOTO) as source:
        return Image.fromarray(np.moveaxis(source.read(), 0, 2))


@pytest.mark.parametrize("factor", [0.0, 0.4, 1.7])
def test_brightness_and_contrast_are_pillows(tmp_path: Path, factor: float) -> None:
    bright = np.asarray(ImageEnhance.Brightness(photo()).enhance(factor)).astype(int)
    assert np.abs(made(tmp_path, PHOTO, Tones(brightness=factor)) - bright).max() <= 1
    contrast = np.asarray(ImageEnhance.Contrast(photo()).enhance(factor)).astype(int)
    assert np.abs(made(tmp_path, PHOTO, Tones(contrast=factor)) - contrast).max() <= 2


def test_sharpness_is_pillows_inside_the_frame(tmp_path: Path) -> None:
    wanted = np.asarray(ImageEnhance.Sharpness(photo()).enhance(2.0)).astype(int)
    found = made(tmp_path, PHOTO, Tones(sharpness=2.0)).astype(int)
    assert np.abs(found - wanted)[1:-1, 1:-1].max() <= 1


def test_equalising_is_pillows(tmp_path: Path) -> None:
    wanted = np.asarray(ImageOps.equalize(photo()))
    assert (made(tmp_path, PHOTO, Tones(equalise=True)) == wanted).all()


def test_gamma_lightens_the_middle_and_keeps_the_ends(tmp_path: Path) -> None:
    source = tmp_path / "ramp.tif"
    with rasterio.open(
        source, "w", driver="GTiff", width=256, height=1, count=1, dtype="uint8", crs="EPSG:32631",
        transform=Affine(10, 0, 500_000, 0, -10, 5_000_000),
    ) as writer:  # fmt: skip
        writer.write(np.arange(256, dtype="uint8").reshape(1, 1, 256))
    ramp = made(tmp_path, source, Tones(gamma=2.0)).ravel()
    assert (ramp[0], ramp[64], ramp[255]) == (0, int(255 * (64 / 255) ** 0.5), 255)


def test_other_values_are_stretched_and_holes_stay_holes(tmp_path: Path) -> None:
    source, target = tmp_path / "heights.tif", tmp_path / "made.tif"
    values = np.linspace(1000, 2000, 64, dtype="float32").reshape(1, 8, 8)
    values[0, 3, 3] = np.nan
    with rasterio.open(
        source, "w", driver="GTiff", width=8, height=8, count=1, dtype="float32", nodata=float("nan"),
        crs="EPSG:32631", transform=Affine(10, 0, 500_000, 0, -10, 5_000_000),
    ) as writer:  # fmt: skip
        writer.write(values)
    scale = scale_of(source)
    assert scale.stretched
    enhance(source, target, Tones(brightness=1.2, sharpness=0.5), scale)
    with opened(target) as result, opened(source) as before:
        assert (result.nodata, result.crs, result.transform) == (0, before.crs, before.transform)
        bands = result.read(1)
        assert bands[3, 3] == 0 and (bands == 0).sum() == 1
