"""What a raster of one value looks like, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.raster.files import opened
from data.raster.looks import Look, constant_said, constant_values, drawn, plain_picture
from data.vision.masks import mark_nothing


def written(path: Path, values: Any, **more: Any) -> Path:
    """A GeoTIFF of those values (bands, rows, columns)."""
    count, height, width = values.shape
    profile = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": values.dtype}
    place = {"crs": "EPSG:32631", "transform": Affine(10, 0, 500_000, 0, -10, 5_600_000)}
    with rasterio.open(path, "w", **profile, **place, **more) as target:
        target.write(values)
    return path


def constant(path: Path, dtype: str, *bands: float, **more: Any) -> Path:
    return written(path, np.stack([np.full((8, 8), each, dtype=dtype) for each in bands]), **more)


@pytest.mark.parametrize(
    ("dtype", "bands", "look", "drawn"),
    [
        ("uint8", (200,), Look(), (200, 200, 200)),
        ("uint8", (10, 200, 30), Look(), (10, 200, 30)),
        ("uint16", (4000,), Look(), (128, 128, 128)),
        ("float32", (-1e20,), Look(), (128, 128, 128)),
        ("float32", (0.3, 0.1, 0.2), Look(stretch="minmax"), (128, 128, 128)),
        ("float32", (0.3, 0.1), Look(expression="b1 - b2"), (128, 128, 128)),
    ],
)
def test_what_has_one_value_is_drawn_as_bright_as_it_is_or_grey(
    tmp_path: Path, dtype: str, bands: tuple[float, ...], look: Look, drawn: tuple[int, int, int]
) -> None:
    picture = plain_picture(constant(tmp_path / "one.tif", dtype, *bands), look, 64)
    assert np.unique(picture.reshape(-1, 4), axis=0).tolist() == [[*drawn, 255]]


def test_what_is_not_there_is_no_second_value(tmp_path: Path) -> None:
    values = np.full((1, 8, 8), 7, dtype="uint16")
    values[0, :2] = 0
    path = written(tmp_path / "hole.tif", values, nodata=0)
    with opened(path) as source:
        assert constant_values(source) == (7.0,)
    picture = plain_picture(path, Look(), 64)
    assert (picture[0, 0].tolist(), picture[7, 0].tolist()) == ([0, 0, 0, 0], [128, 128, 128, 255])


def test_a_few_other_pixels_of_a_large_mask_are_still_seen(tmp_path: Path) -> None:
    values = np.zeros((1, 1500, 1500), dtype="uint8")
    values[0, 700:703, 700:703] = 1
    path = written(tmp_path / "mask.tif", values, tiled=True)
    with opened(path) as source:
        assert constant_values(source) is None
    picture = plain_picture(path, Look(), 1500)
    assert (picture[0, 0, 0], picture[701, 701, 0]) == (0, 255)


def test_a_raster_without_a_value_or_with_several_is_not_of_one(tmp_path: Path) -> None:
    several = written(tmp_path / "ramp.tif", np.arange(64, dtype="uint8").reshape(1, 8, 8))
    nothing = constant(tmp_path / "nothing.tif", "uint8", 0, nodata=0)
    for path in (several, nothing):
        with opened(path) as source:
            assert constant_values(source) is None


def test_what_has_one_value_is_said() -> None:
    assert constant_said((200.0, 200.0)) == (
        "Every pixel has the same value, 200, so there is nothing to be seen in it."
    )
    assert constant_said((10, 200, 0.5)) == (
        "Every pixel has the same values, 10, 200 and 0.5 in its bands, so there is nothing to be seen in it."
    )


@pytest.mark.parametrize(("inside", "limits"), [((0, 1), ((0.0, 1.0),)), ((1, 1), ((0.0, 1.0),))])
def test_a_mask_over_a_picture_shows_what_it_marks_alone(
    tmp_path: Path, inside: tuple[int, int], limits: Any
) -> None:
    values = np.full((1, 8, 8), inside[0], dtype="uint8")
    values[0, 2:4, 2:4] = inside[1]
    path = written(tmp_path / "mask.tif", values, nodata=255)
    mark_nothing(path)
    look = Look(bands=(1,), stretch="minmax", colormap="blues")
    over, alone = plain_picture(path, replace(look, sheer=True), 8), plain_picture(path, look, 8)
    assert (over[..., 3] == 255).tolist() == (values[0] == 1).tolist()
    assert (alone[..., 3] == 255).all() and drawn(path, look).limits == limits
    assert over[2, 2].tolist() == alone[2, 2].tolist() == [8, 48, 107, 255]
