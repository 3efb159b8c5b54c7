"""Burned land: dNBR as its formula has it, the published classes, no water, a sentence without the bands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.burn import map_burned

NAMES = ("green", "nir", "swir22")


def write(path: Path, bands: np.ndarray, names: tuple[str, ...] = NAMES) -> Path:
    profile = {"driver": "GTiff", "count": len(bands), "height": bands.shape[1], "width": bands.shape[2]}
    place = Affine(20, 0, 600_000, 0, -20, 5_760_000)
    with rasterio.open(path, "w", dtype="float32", crs="EPSG:32631", transform=place, **profile) as target:
        target.write(bands.astype(np.float32))
        for number, name in enumerate(names, start=1):
            target.set_band_description(number, name)
    return path


def scene(nbr: np.ndarray, green: float = 0.05) -> np.ndarray:
    """Bands whose NBR is the one given: near infrared 0.3 (1 + NBR), short-wave infrared 0.3 (1 - NBR)."""
    return np.stack([np.full(nbr.shape, green), 0.3 * (1 + nbr), 0.3 * (1 - nbr)])


def read(path: Path) -> np.ndarray:
    with rasterio.open(path) as source:
        return source.read()


def test_severity_follows_the_published_limits(tmp_path):
    falls = np.array([0.0, 0.05, 0.15, 0.30, 0.50, 0.80])
    before = np.full((10, 60), 0.5)
    after = before - np.repeat(falls, 10)[None]
    first, second = write(tmp_path / "b.tif", scene(before)), write(tmp_path / "a.tif", scene(after))
    made = map_burned(Unheard(), second, tmp_path / "m.tif", first)
    classes, index = read(tmp_path / "m.tif")
    assert (classes[0, ::10]).tolist() == [0, 0, 1, 2, 3, 4]
    assert index[0, ::10] == pytest.approx(falls - made.offset, abs=1e-5)


def test_water_is_left_out_and_missing_pixels_stay_missing(tmp_path):
    before, after = np.full((20, 20), 0.5), np.full((20, 20), 0.5)
    after[:10] = -0.4
    bands = scene(after)
    bands[:, :5, :5] = np.array([0.06, 0.02, 0.05])[:, None, None]
    bands[:, 9, 9] = np.nan
    first, second = write(tmp_path / "b.tif", scene(before)), write(tmp_path / "a.tif", bands)
    map_burned(Unheard(), second, tmp_path / "m.tif", first)
    classes = read(tmp_path / "m.tif")[0]
    assert (classes[:5, :5] == 0).all() and classes[9, 9] == 255
    assert (classes == 4).sum() == 10 * 20 - 25 - 1


def test_one_image_alone_marks_what_has_a_low_nbr(tmp_path):
    nbr = np.full((10, 10), 0.4)
    nbr[:4] = -0.3
    made = map_burned(Unheard(), write(tmp_path / "a.tif", scene(nbr)), tmp_path / "m.tif")
    classes = read(tmp_path / "m.tif")[0]
    assert (made.method, (classes[:4] == 1).all(), (classes[4:] == 0).all()) == ("NBR", True, True)


def test_without_short_wave_infrared_it_says_what_is_missing(tmp_path):
    image = write(tmp_path / "a.tif", np.ones((2, 8, 8)), ("red", "nir"))
    with pytest.raises(RasterError, match="swir22 is not among those of the image"):
        map_burned(Unheard(), image, tmp_path / "m.tif")
