"""Clouds taken out: other dates where they are clear, and what is made up is marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.declouding import INVENTED, OTHER, TAKEN, remove_clouds
from data.vision.inpainting import fill_hole
from tests.data.raster.made import write

NAMES = ("blue", "green", "red", "nir")
SIDE = 64


def land() -> np.ndarray:
    """(4, rows, columns) of reflectance x 10,000: stripes of fields and soil."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    base = np.where((columns // 8) % 2, 600, 1100) + 3 * rows
    return np.stack([base, base * 1.1, base * 1.3, base * 2.2]).astype(np.float64)


def clouded(values: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
    made = values.copy()
    made[:, rows, columns] = np.array([5000, 5100, 5200, 5500])[:, None, None]
    return made.round().astype(np.uint16)


def result(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with rasterio.open(path) as made:
        assert made.descriptions[-1] == "invented"
        values = made.read()
    return values[:-1].astype(float), values[-1]


def test_another_date_goes_under_the_cloud_in_the_image_s_own_numbers(tmp_path: Path) -> None:
    first = write(
        tmp_path / "a.tif", clouded(land(), slice(20, 36), slice(20, 40)), descriptions=NAMES, nodata=0
    )
    darker = clouded(land() * 0.8 + 50, slice(48, 60), slice(4, 16))
    second = write(tmp_path / "b.tif", darker, descriptions=NAMES, nodata=0)
    done = remove_clouds(Unheard(), first, tmp_path / "o.tif", [second])
    values, origin = result(tmp_path / "o.tif")
    assert set(np.unique(origin)) == {TAKEN, OTHER}
    assert (origin[20:36, 20:40] == OTHER).all() and origin[10, 10] == TAKEN
    np.testing.assert_allclose(values, land(), rtol=0.02)
    assert (done.method, done.others_used, done.invented_percent) == ("spectral", 1, 0)
    assert done.other_percent == pytest.approx(100 * (origin == OTHER).mean())


def test_the_median_of_several_dates_leaves_out_those_that_are_cloudy_there(tmp_path: Path) -> None:
    first = write(tmp_path / "a.tif", clouded(land(), slice(20, 36), slice(20, 40)), descriptions=NAMES)
    cloudy = write(tmp_path / "b.tif", clouded(land(), slice(18, 38), slice(18, 42)), descriptions=NAMES)
    clear = write(tmp_path / "c.tif", land().round().astype(np.uint16), descriptions=NAMES)
    remove_clouds(Unheard(), first, tmp_path / "o.tif", [cloudy, clear])
    values, origin = result(tmp_path / "o.tif")
    assert (origin[20:36, 20:40] == OTHER).all()
    np.testing.assert_allclose(values, land(), rtol=0.02)


def test_what_no_date_shows_is_made_up_and_marked(tmp_path: Path) -> None:
    source = write(tmp_path / "a.tif", clouded(land(), slice(20, 36), slice(20, 40)), descriptions=NAMES)
    done = remove_clouds(Unheard(), source, tmp_path / "o.tif")
    values, origin = result(tmp_path / "o.tif")
    assert (origin[20:36, 20:40] == INVENTED).all() and origin[5, 5] == TAKEN
    np.testing.assert_array_equal(values[:, origin == TAKEN], land().round()[:, origin == TAKEN])
    inside = (slice(None), slice(20, 36), slice(20, 40))
    assert np.abs(values[inside] - land()[inside]).mean() < 300 < np.abs(5000 - land()[inside]).mean()
    assert done.invented_percent == pytest.approx(100 * (origin == INVENTED).mean())
    assert done.left_percent == 0


def test_stripes_go_on_under_a_wide_hole() -> None:
    rows, columns = np.mgrid[:96, :96]
    stripes = np.where((columns // 6) % 2, 1.0, 0.0).astype(np.float32)[np.newaxis]
    hole = (np.abs(rows - 48) < 12) & (np.abs(columns - 48) < 12)
    made = fill_hole(np.where(hole, np.nan, stripes).astype(np.float32), hole, 12, lambda: None)
    assert (np.abs(made[0][hole] - stripes[0][hole]) < 0.5).mean() > 0.9


def test_a_narrow_hole_takes_what_lies_beside_it() -> None:
    ramp = np.tile(np.arange(40, dtype=np.float32), (40, 1))[np.newaxis]
    hole = np.zeros((40, 40), bool)
    hole[10:30, 18:21] = True
    made = fill_hole(np.where(hole, np.nan, ramp), hole, 12, lambda: None)
    assert np.abs(made[0][hole] - ramp[0][hole]).max() < 2.5
    np.testing.assert_array_equal(made[0][~hole], ramp[0][~hole])


def test_without_clouds_nothing_changes(tmp_path: Path) -> None:
    source = write(tmp_path / "a.tif", land().round().astype(np.uint16), descriptions=NAMES)
    done = remove_clouds(Unheard(), source, tmp_path / "o.tif")
    values, origin = result(tmp_path / "o.tif")
    np.testing.assert_array_equal(values, land().round())
    assert (origin == TAKEN).all() and done.cloud_percent == 0


def test_an_image_that_is_all_cloud_is_left_without_values(tmp_path: Path) -> None:
    source = write(tmp_path / "a.tif", clouded(land(), slice(0, SIDE), slice(0, SIDE)), descriptions=NAMES)
    done = remove_clouds(Unheard(), source, tmp_path / "o.tif")
    assert done.left_percent == 100 and not list(tmp_path.glob(".*"))


def test_dates_with_other_bands_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "a.tif", land().astype(np.uint16), descriptions=NAMES)
    other = write(tmp_path / "b.tif", land()[:3].astype(np.uint16), descriptions=NAMES[:3])
    with pytest.raises(RasterError, match=r"b\.tif has 3 and a\.tif 4"):
        remove_clouds(Unheard(), source, tmp_path / "o.tif", [other])
    assert not list(tmp_path.glob(".*")) and not (tmp_path / "o.tif").exists()
