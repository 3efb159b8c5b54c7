"""What a picture is stretched between, and that the networks are shown what they were trained on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from data.models.card import Input
from data.models.preparing import ends_of, preparation, stretched
from data.progress import Unheard
from data.vision.segment import land_cover


def write(path: Path, picture: NDArray[np.uint8]) -> Path:
    """A picture (rows, columns, 3) as a GeoTIFF."""
    rows, columns = picture.shape[:2]
    profile = {
        "driver": "GTiff", "count": 3, "height": rows, "width": columns, "dtype": "uint8",
        "crs": "EPSG:32631", "transform": Affine(1, 0, 5, 0, -1, 5),
    }  # fmt: skip
    with rasterio.open(path, "w", **profile) as target:
        target.write(picture.transpose(2, 0, 1))
    return path


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_the_ends_are_the_2nd_and_98th_of_a_hundred_steps(dtype: str) -> None:
    low, high = ends_of([np.arange(101).astype(dtype), 2 * np.arange(101).astype(dtype)])
    assert (low.tolist(), high.tolist()) == ([2.0, 4.0], [98.0, 196.0])


def test_what_is_missing_is_left_out_and_a_band_of_one_value_becomes_0() -> None:
    low, high = ends_of(
        [np.array([np.nan, 5.0, 5.0], np.float32), np.full(3, np.nan), np.array([7, 7], "uint8")]
    )
    assert (low.tolist(), high.tolist()) == ([5.0, 0.0, 7.0], [6.0, 1.0, 8.0])
    assert stretched(np.full((4, 4, 3), 9, np.uint8)).max() == 0.0


def test_fractions_are_stretched_however_close_they_lie_and_bytes_over_one_step_at_least() -> None:
    close = np.array([0.2] * 50 + [0.2005] * 50, np.float32)
    assert float(np.subtract(*ends_of([close])[::-1])[0]) == pytest.approx(0.0005, rel=1e-3)
    nearly = np.array([4] * 97 + [5] * 3, np.uint8)
    assert [float(each[0]) for each in ends_of([nearly])] == [4.0, 5.0]


def test_a_file_is_shown_to_a_network_as_a_picture_is_in_its_training(tmp_path: Path) -> None:
    values = np.random.default_rng(8).normal((90, 120, 60), (20, 35, 5), (70, 90, 3))
    picture = np.clip(values, 0, 255).astype(np.uint8)
    takes = Input.model_validate(
        {"modality": ["optical"], "bands": ["red", "green", "blue"], "scaling": "percentile"}
    )
    prepared = preparation(write(tmp_path / "in.tif", picture), (1, 2, 3), takes)
    shown = prepared(picture.transpose(2, 0, 1), None)
    np.testing.assert_allclose(shown, stretched(picture).transpose(2, 0, 1), atol=1e-6)


def test_a_picture_of_one_colour_has_a_cover_and_no_warning(tmp_path: Path) -> None:
    source = write(tmp_path / "in.tif", np.full((64, 64, 3), 130, np.uint8))
    land_cover(Unheard(), source, tmp_path / "out.tif", model="land-cover-rgb")
    with rasterio.open(tmp_path / "out.tif") as made:
        assert set(np.unique(made.read(1))) <= {1, 2, 3, 4, 5}
