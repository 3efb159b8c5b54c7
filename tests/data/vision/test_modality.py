"""What kind of sensor an image is from: by its file's words, and by its grain where those say nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.raster.errors import RasterError
from data.scenes import render
from data.uploads.gdal import quiet_gdal
from data.vision.modality import modality_of
from tests.real_files import real


def write(path: Path, values: np.ndarray, names: tuple[str, ...] = (), **more) -> Path:
    """A raster without a place, and with no word on what it is unless there are names."""
    count, height, width = values.shape
    profile = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": values.dtype}
    with quiet_gdal(), rasterio.open(path, "w", **profile, photometric="minisblack", **more) as target:
        target.write(values)
        if names:
            target.descriptions = names
    return path


@pytest.fixture(scope="module")
def scenes() -> dict[str, np.ndarray]:
    return {kind: render(77, kind, 96, theme="town").pixels for kind in ("optical", "multispectral", "sar")}


def test_images_without_a_word_are_told_by_their_bands_and_grain(tmp_path, scenes):
    grey = scenes["optical"].mean(axis=0, keepdims=True).astype(np.uint8)
    radar = np.clip(scenes["sar"] / np.percentile(scenes["sar"], 99) * 255, 0, 255).astype(np.uint8)
    found = {
        "colour": modality_of(write(tmp_path / "colour.tif", scenes["optical"])).name,
        "six bands": modality_of(write(tmp_path / "six.tif", scenes["multispectral"])).name,
        "grey": modality_of(write(tmp_path / "grey.tif", grey)).name,
        "grey as colour": modality_of(write(tmp_path / "grey3.tif", np.repeat(grey, 3, axis=0))).name,
        "radar": modality_of(write(tmp_path / "radar.tif", scenes["sar"])).name,
        "radar as colour": modality_of(write(tmp_path / "radar3.tif", np.repeat(radar, 3, axis=0))).name,
        "radar in decibels": modality_of(write(tmp_path / "db.tif", 20 * np.log10(scenes["sar"]))).name,
    }
    assert found == {
        "colour": "optical", "six bands": "multispectral", "grey": "panchromatic",
        "grey as colour": "panchromatic", "radar": "sar", "radar as colour": "sar",
        "radar in decibels": "sar",
    }  # fmt: skip


def test_two_polarisations_are_told_from_two_colours_by_the_grain_that_they_do_not_share(tmp_path):
    rng = np.random.default_rng(3)
    ground = np.kron(rng.uniform(0.5, 2.0, (8, 8)), np.ones((12, 12)))
    own = ground * np.sqrt(rng.gamma(2.0, 0.5, (2, 96, 96)))
    shared = np.stack([own[0], own[0] * 0.8 + 3])
    assert modality_of(write(tmp_path / "own.tif", own.astype(np.float32))).name == "sar"
    assert modality_of(write(tmp_path / "shared.tif", shared.astype(np.float32))).name == "multispectral"


def test_the_words_of_a_file_go_before_its_grain(tmp_path):
    flat = np.full((1, 96, 96), 0.5, np.float32) + np.linspace(0, 0.1, 96, dtype=np.float32)
    told = modality_of(write(tmp_path / "vv.tif", flat, ("Sigma0_VV",)))
    assert (told.name, told.confidence) == ("sar", 0.98)
    assert told.reasons[0] == "Its bands are polarisations: vv."
    samples = (flat + 1j * flat).astype(np.complex64)
    assert modality_of(write(tmp_path / "slc.tif", samples)).name == "sar"


def test_heights_and_masks_and_emptiness_are_no_image(tmp_path):
    heights = np.cumsum(np.ones((1, 96, 96), np.float32), axis=2)
    mask = np.zeros((1, 96, 96), np.uint8)
    mask[:, 20:40, 20:60] = 1
    empty = np.zeros((1, 96, 96), np.uint16)
    told = [
        modality_of(write(tmp_path / "heights.tif", heights)),
        modality_of(write(tmp_path / "mask.tif", mask)),
        modality_of(write(tmp_path / "empty.tif", empty, nodata=0)),
    ]
    assert [each.name for each in told] == [None, None, None]
    assert [each.instead for each in told] == ["heights or a quantity", "classes", "nothing"]


def test_a_file_that_is_none_is_told_in_one_sentence(tmp_path):
    with pytest.raises(RasterError, match=r"^[^\n]+\.$"):
        modality_of(tmp_path / "missing.tif")


@pytest.mark.parametrize(
    ("file", "modality"),
    [
        ("sar_ships/P0094_0_800_3000_3800.png", "sar"),
        ("spacenet/sar_hh.tif", "sar"),
        ("spacenet/pan1.tif", "panchromatic"),
        ("naip/m_4709963_se_14_1_20090818.tif", "multispectral"),
        ("levir_cd/A/test_2_0000_0000.png", "optical"),
        ("elevation/hag.tif", None),
    ],
)
def test_real_files_are_told(file, modality):
    assert modality_of(real(file)).name == modality
