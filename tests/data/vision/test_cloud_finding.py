"""Clouds found by each method, and s2cloudless against its own code."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision import clouds
from data.vision.clouds import S2CLOUDLESS_BANDS, choose, cloud_probability, find_clouds, model_path
from tests.data.raster.made import read, write

NAMES = ("B01", "B02", "B04", "B05", "B08", "B8A", "B09", "B10", "B11", "B12")
CLOUD = (0.45, 0.44, 0.46, 0.48, 0.52, 0.53, 0.30, 0.02, 0.40, 0.30)
FIELD = (0.13, 0.10, 0.07, 0.11, 0.30, 0.33, 0.09, 0.001, 0.18, 0.10)
"""Top-of-atmosphere reflectance of a cloud and of a green field, by the bands of the model: made up."""


def sentinel_2(side: int = 48) -> np.ndarray:
    """(10, rows, columns) x 10,000: a round cloud over fields, with some grain."""
    rows, columns = np.mgrid[:side, :side]
    cloud = (rows - 20) ** 2 + (columns - 24) ** 2 < 12**2
    values = np.where(cloud, np.array(CLOUD)[:, None, None], np.array(FIELD)[:, None, None])
    grain = 1 + np.random.default_rng(1).normal(0, 0.03, (10, side, side))
    return np.asarray((values * grain * 10_000).round(), np.uint16)


@pytest.fixture
def original(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The package's own detector; the module for downloads that it wants is not there and not used."""
    for name in ("sentinelhub", "sentinelhub.evalscript"):
        module = ModuleType(name)
        for each in ("BBox", "DataCollection", "MimeType", "SentinelHubDownloadClient", "SentinelHubRequest",
                     "SHConfig", "generate_evalscript"):  # fmt: skip
            setattr(module, each, type(each, (), {"SENTINEL2_L1C": None}))
        monkeypatch.setitem(sys.modules, name, module)
    module = importlib.import_module("s2cloudless.cloud_detector")
    yield module.S2PixelCloudDetector(threshold=0.4, average_over=4, dilation_size=2)
    for name in [each for each in sys.modules if each.startswith("s2cloudless")]:
        del sys.modules[name]


def test_s2cloudless_is_what_its_own_code_makes_of_the_image(tmp_path: Path, original: Any) -> None:
    stored = sentinel_2()
    reflectance = stored / 10_000.0
    batch = reflectance.transpose(1, 2, 0)[np.newaxis]
    np.testing.assert_allclose(
        cloud_probability(reflectance), original.get_cloud_probability_maps(batch)[0], atol=1e-6
    )
    found = find_clouds(Unheard(), write(tmp_path / "s2.tif", stored, descriptions=NAMES), tmp_path / "m.tif")
    expected = original.get_cloud_masks(batch)[0]
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), expected)
    assert found.method == "s2cloudless" and found.shadow_percent is None
    assert found.cloud_percent == pytest.approx(100 * expected.mean())
    assert 15 < found.cloud_percent < 40


def test_s2cloudless_does_not_depend_on_where_the_blocks_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "s2.tif", sentinel_2(64), descriptions=NAMES)
    find_clouds(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr("data.raster.windows.BLOCK_PX", 16)
    monkeypatch.setattr("data.vision.clouds.WINDOW_PX", 4 * 256)
    find_clouds(Unheard(), source, tmp_path / "parts.tif")
    np.testing.assert_array_equal(read(tmp_path / "parts.tif"), read(tmp_path / "whole.tif"))


def test_another_model_file_than_the_published_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_path().is_file()
    monkeypatch.setattr(clouds, "MODEL_SHA256", "0" * 64)
    with pytest.raises(RasterError, match=r"s2cloudless 1\.7\.3"):
        model_path()


@pytest.mark.parametrize("method", ["s2cloudless", "colour", "spectral", "qa_pixel", "scl"])
def test_a_method_that_the_bands_do_not_allow_says_so(tmp_path: Path, method: str) -> None:
    path = write(tmp_path / "one.tif", np.ones((1, 20, 20), np.float32), descriptions=("height",))
    with pytest.raises(RasterError):
        find_clouds(Unheard(), path, tmp_path / "mask.tif", method=method)


def test_the_method_follows_the_bands(tmp_path: Path) -> None:
    def named(*names: str, dtype: str = "uint16") -> str:
        path = write(tmp_path / "n.tif", np.ones((len(names), 8, 8), dtype), descriptions=names)
        return choose(path)

    assert named(*NAMES) == "s2cloudless"
    assert named("B4", "B5", "QA_PIXEL") == "qa_pixel"
    assert named("blue", "green", "red", "nir") == "spectral"
    assert named("red", "green", "blue") == "colour"
    assert named("red", "green", "blue", "nir", dtype="uint8") == "colour"
    with pytest.raises(RasterError, match="the image has 1 band"):
        named("height")


def picture(side: int = 128) -> np.ndarray:
    """(3, rows, columns) of bytes: grained green, a white cloud, a small white roof and a pale street."""
    random = np.random.default_rng(2)
    grain = random.normal(0, 6, (side, side))
    made = np.stack([70 + grain, 95 + grain, 60 + grain])
    rows, columns = np.mgrid[:side, :side]
    made[:, 100:110, 10:22] = 245
    made[:, :, 96:100] = 200
    cloud = (rows - 50) ** 2 + (columns - 50) ** 2 < 28**2
    made[:, cloud] = (235 + random.normal(0, 2, cloud.sum()))[np.newaxis]
    return np.asarray(np.clip(made, 1, 255), np.uint8)


def test_by_colour_the_cloud_is_found_and_the_roof_is_not(tmp_path: Path) -> None:
    source = write(tmp_path / "p.tif", picture(), descriptions=("red", "green", "blue"))
    found = find_clouds(Unheard(), source, tmp_path / "m.tif")
    mask = read(tmp_path / "m.tif")
    rows, columns = np.mgrid[:128, :128]
    truth = (rows - 50) ** 2 + (columns - 50) ** 2 < 28**2
    assert found.method == "colour"
    assert (mask[truth] == 1).mean() > 0.95 and (mask[~truth] == 1).mean() < 0.02
    assert mask[105, 15] == 0 and mask[120, 98] == 0


def test_what_has_no_value_is_neither_cloud_nor_clear(tmp_path: Path) -> None:
    values = picture()
    values[:, :, :20] = 0
    source = write(tmp_path / "p.tif", values, descriptions=("red", "green", "blue"), nodata=0)
    found = find_clouds(Unheard(), source, tmp_path / "m.tif")
    assert np.isnan(read(tmp_path / "m.tif")[:, :20]).all() and found.known_px == 128 * 108


def test_the_quality_band_tells_shadows_and_its_snow_is_no_cloud(tmp_path: Path) -> None:
    values = np.array([[21824, 22280], [23888, 30048]], np.uint16)
    found = find_clouds(
        Unheard(), write(tmp_path / "q.tif", values, descriptions=("QA_PIXEL",)), tmp_path / "m.tif"
    )
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1], [2, 0]])
    assert (found.cloud_percent, found.shadow_percent) == (25, 25)


def test_the_bands_of_the_model_are_those_that_it_was_trained_on() -> None:
    assert len(S2CLOUDLESS_BANDS) == clouds._booster().num_feature() == 10
