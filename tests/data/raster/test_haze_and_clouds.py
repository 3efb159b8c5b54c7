"""Haze taken off and clouds found, in images whose haze and clouds are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raster.clouds import cloud_mask
from data.raster.errors import RasterError
from data.raster.haze import haze_of, without_haze
from tests.data.raster.made import read, write


def scene(haze: tuple[int, ...]) -> np.ndarray:
    """Bands of 0 to 3000 with 200 black pixels, under a haze that adds to each band."""
    random = np.random.default_rng(4)
    ground = random.integers(50, 3000, (len(haze), 60, 60))
    ground[:, :10, :20] = 0
    return (ground + np.array(haze)[:, None, None]).astype(np.uint16)


def test_the_haze_that_was_added_is_taken_off_again(tmp_path: Path) -> None:
    source = write(tmp_path / "hazy.tif", scene((310, 140, 60)))
    haze = haze_of(source, min_px=100)
    assert haze.values == (310.0, 140.0, 60.0) and haze.exponent is None
    without_haze(source, tmp_path / "clear.tif", haze)
    for band in (1, 2, 3):
        np.testing.assert_array_equal(read(tmp_path / "clear.tif", band), scene((0, 0, 0))[band - 1])
    without_haze(source, tmp_path / "rest.tif", haze, keep_share=0.1)
    assert read(tmp_path / "rest.tif").min() == pytest.approx(31.0)


def test_a_few_dark_pixels_by_chance_are_not_the_haze(tmp_path: Path) -> None:
    values = scene((310,))
    values[0, 50, :5] = 1
    assert haze_of(write(tmp_path / "a.tif", values), min_px=100).values == (310.0,)
    assert haze_of(write(tmp_path / "a.tif", values), min_px=3).values == (1.0,)


def test_haze_falls_with_the_wavelength_as_the_air_says(tmp_path: Path) -> None:
    reflectance = scene((1000, 1000, 1000)) / np.float32(10_000)
    source = write(tmp_path / "r.tif", reflectance.astype(np.float32))
    haze = haze_of(
        source, min_px=100, method="scattering", air="very_clear", wavelengths_um=[0.48, 0.56, 0.66]
    )
    start = haze.values[0]
    assert start == pytest.approx(0.1, abs=1e-4) and haze.exponent == -4.0
    assert haze.values[1:] == pytest.approx([start * (0.48 / 0.56) ** 4, start * (0.48 / 0.66) ** 4])
    with pytest.raises(RasterError, match="wavelength of each of the 3 bands"):
        haze_of(source, min_px=100, method="scattering")


def test_an_empty_band_has_no_haze_to_find(tmp_path: Path) -> None:
    empty = write(tmp_path / "e.tif", np.zeros((9, 9), np.uint8), nodata=0)
    with pytest.raises(RasterError, match="no pixel with a value"):
        haze_of(empty, min_px=1)
    small = write(tmp_path / "s.tif", np.ones((3, 3), np.uint8))
    with pytest.raises(RasterError, match="fewer than the 100"):
        haze_of(small, min_px=100)


def test_the_bits_of_qa_pixel_are_read_as_the_usgs_gives_them(tmp_path: Path) -> None:
    # 21824 clear land, 21952 clear water, 22280 cloud, 23888 shadow, 30048 snow, 54596 cirrus, 21826 dilated,
    # 1 fill: values of the Landsat 8-9 Collection 2 Level-1 Data Format Control Book (LSDS-1822), table 6-3.
    values = np.array([[21824, 21952, 22280, 23888], [30048, 54596, 21826, 1]], np.uint16)
    source = write(tmp_path / "qa.tif", values, descriptions=("QA_PIXEL",))
    found = cloud_mask(source, tmp_path / "mask.tif")
    expected = [[0, 0, 1, 2], [3, 1, 1, np.nan]]
    np.testing.assert_array_equal(read(tmp_path / "mask.tif"), expected)
    assert (found.method, found.known_px) == ("qa_pixel", 7)
    assert (found.cloud_pct, found.shadow_pct) == pytest.approx((300 / 7, 100 / 7))


def test_the_classes_of_scl_are_read_as_esa_gives_them(tmp_path: Path) -> None:
    values = np.arange(12, dtype=np.uint8).reshape(3, 4)
    source = write(tmp_path / "scl.tif", values)
    with pytest.raises(RasterError, match="say with band"):
        cloud_mask(source, tmp_path / "mask.tif", method="scl")
    found = cloud_mask(source, tmp_path / "mask.tif", method="scl", band=1)
    np.testing.assert_array_equal(
        read(tmp_path / "mask.tif"), [[np.nan, 0, 0, 2], [0, 0, 0, 0], [1, 1, 1, 3]]
    )
    assert found.cloud_pct == pytest.approx(300 / 11)


def coloured() -> np.ndarray:
    """Reflectance x 10,000: forest, water, bare soil, a city's roof and a cloud, each a row of ten pixels."""
    rows = {
        "forest": (300, 500, 300, 4000),
        "water": (600, 500, 300, 100),
        "soil": (900, 1300, 1800, 2600),
        "roof": (1200, 1300, 1400, 1600),
        "cloud": (5000, 5100, 5200, 5500),
    }
    return np.array([[[row[band]] * 10 for row in rows.values()] for band in range(4)], np.uint16)


def test_without_a_quality_band_what_is_bright_and_white_is_cloud(tmp_path: Path) -> None:
    source = write(tmp_path / "s.tif", coloured(), descriptions=("blue", "green", "red", "nir"), nodata=0)
    found = cloud_mask(source, tmp_path / "mask.tif", scale=1e-4)
    assert found.method == "spectral" and found.cloud_pct == 20
    np.testing.assert_array_equal(read(tmp_path / "mask.tif")[:, 0], [0, 0, 0, 0, 1])


def test_clouds_grow_by_the_pixels_asked_for_and_across_seams(tmp_path: Path) -> None:
    source = write(tmp_path / "s.tif", coloured(), descriptions=("blue", "green", "red", "nir"))
    found = cloud_mask(source, tmp_path / "mask.tif", scale=1e-4, buffer_px=2)
    np.testing.assert_array_equal(read(tmp_path / "mask.tif")[:, 0], [0, 0, 1, 1, 1])
    assert found.cloud_pct == 60


def test_a_raster_without_any_band_to_find_clouds_in_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="QA_PIXEL or SCL"):
        cloud_mask(write(tmp_path / "g.tif", np.ones((4, 4), np.uint8)), tmp_path / "mask.tif")
