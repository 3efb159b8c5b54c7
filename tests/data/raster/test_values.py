"""What a raster says of its numbers is read once, where it comes in: what lies here holds values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.testing import assert_array_equal
from rasterio.windows import Window

from data.raster.looks import read_bands
from data.raster.values import stored_as
from data.raster.windows import Grid, Place, is_nodata, read_block
from data.uploads.errors import UploadError
from data.uploads.gdal import quiet_gdal
from tests.data.uploads.samples import raster
from tests.data.uploads.test_rasters import brought

UTM31 = Affine(10, 0, 590_000, 0, -10, 5_750_000)


def odd(
    path: Path,
    values: Any,
    scales: tuple[float, ...] | None = None,
    offsets: tuple[float, ...] | None = None,
    tags: dict[str, str] | None = None,
    names: tuple[str, ...] = (),
    **profile: Any,
) -> Path:
    """A GeoTIFF of those numbers that says more of them."""
    raster(path, values=np.asarray(values), transform=UTM31, **profile)
    with quiet_gdal(), rasterio.open(path, "r+") as target:
        if scales:
            target.scales = scales
        if offsets:
            target.offsets = offsets
        if names:
            target.descriptions = names
        target.update_tags(**(tags or {}))
    return path


def came(path: Path, folder: Path, **asked: Any) -> tuple[Any, rasterio.DatasetReader, tuple[str, ...]]:
    """The pixels as they lie here afterwards, the open file, and what is said."""
    found = brought(path, folder, **asked)
    reader = rasterio.open(folder / "kept.tif")
    assert set(reader.scales) == {1.0} and set(reader.offsets) == {0.0}
    return reader.read(), reader, found.notes


NUMBERS = np.array([[[-3000, 0, 100], [2500, 9897, -400]]], "int16")


@pytest.mark.parametrize("form", ["int16", "uint16", "int32", "float32", "float64"])
def test_numbers_become_values_by_the_scale_and_offset_of_their_band(tmp_path: Path, form: str) -> None:
    numbers = (NUMBERS.astype("int32") + (5000 if form == "uint16" else 0)).astype(form)
    nodata = float(numbers[0, 0, 0])
    path = odd(tmp_path / "a.tif", numbers, (0.0001,), (0.5,), nodata=nodata)
    values, reader, notes = came(path, tmp_path / "out")
    kind = "float64" if form in ("int32", "float64") else "float32"
    right = (numbers.astype("float64") * 0.0001 + 0.5).astype(kind)
    right[0, 0, 0] = np.nan
    assert reader.dtypes == (kind,) and np.isnan(reader.nodata)
    assert_array_equal(values, right)
    assert notes[0] == (
        f"Its numbers ({form}) were turned into values by the scale and offset in the file: "
        "value = 0.0001 x number + 0.5."
    )
    told = {"dtype": form, "scale": [0.0001], "offset": [0.5], "nodata": nodata}
    assert stored_as(reader) == told == json.loads(reader.tags()["STORED_AS"])


def test_each_band_has_its_own_scale_and_a_mask_is_heeded(tmp_path: Path) -> None:
    numbers = np.array([[[1, 2]], [[3, 4]]], "uint16")
    path = odd(tmp_path / "two.tif", numbers, (0.5, 2.0), (0.0, -1.0))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as target:
        target.write_mask(np.array([[255, 0]], "uint8"))
    values, _, notes = came(path, tmp_path / "out")
    assert_array_equal(values, np.array([[[0.5, np.nan]], [[5.0, np.nan]]], "float32"))
    assert "each band by its own scale and offset" in notes[0]


def test_a_scale_that_makes_no_values_is_said_and_not_used(tmp_path: Path) -> None:
    found = brought(odd(tmp_path / "a.tif", NUMBERS, (0.0,)), tmp_path / "out")
    assert found.notes[0] == "Its scale and offset make no values of its numbers, and were not used."
    assert found.facts["dtype"] == "int16"


S2_TAGS = {"BOA_ADD_OFFSET": "-1000", "BOA_QUANTIFICATION_VALUE": "10000"}
S2_NAME = "S2A_MSIL2A_20230821T221941_N0509_R029_T01KAB_20230822T021825.tif"


def test_sentinel_2_has_the_offset_of_its_tags_taken_off_and_other_bands_as_they_are(tmp_path: Path) -> None:
    numbers = np.array([[[0, 1000, 1500]], [[0, 3500, 11000]], [[0, 4, 11]]], "uint16")
    path = odd(tmp_path / S2_NAME, numbers, tags=S2_TAGS, names=("B04", "B08", "SCL"))
    values, _, notes = came(path, tmp_path / "out")
    right = np.array([[[np.nan, 0, 0.05]], [[np.nan, 0.25, 1.0]], [[0, 4, 11]]], "float32")
    np.testing.assert_allclose(values, right, atol=1e-7)
    assert notes[0].endswith(
        "BOA_ADD_OFFSET and BOA_QUANTIFICATION_VALUE in its tags: "
        "value = 0.0001 x number - 0.1, in 2 of its 3 bands."
    )


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({}, "By its name it is of Sentinel-2's processing baseline 05.09, where reflectance = "),
        ({**S2_TAGS, "BOA_ADD_OFFSET": "-1000,0"}, "Its tags give several offsets (BOA_ADD_OFFSET) or none "),
    ],
    ids=["in the name alone", "two offsets"],
)
def test_an_offset_that_is_not_sure_is_told_and_not_used(
    tmp_path: Path, tags: dict[str, str], said: str
) -> None:
    numbers = np.array([[[1000, 1500]]], "uint16")
    values, _, notes = came(odd(tmp_path / S2_NAME, numbers, tags=tags, names=("B04",)), tmp_path / "out")
    assert_array_equal(values, numbers)
    assert notes[0].startswith(said)


def test_a_surface_product_of_landsat_is_known_by_its_name(tmp_path: Path) -> None:
    stem = "LC08_L2SP_006066_20230714_20230723_02_T1"
    numbers = np.array([[[0, 7273, 43636]]], "uint16")
    red, _, notes = came(odd(tmp_path / f"{stem}_SR_B4.TIF", numbers, nodata=0), tmp_path / "red")
    np.testing.assert_allclose(red, [[[np.nan, 7.5e-06, 0.99999]]], atol=1e-5)
    assert "the name of a Landsat Collection 2 product: value = 2.75e-05 x number - 0.2." in notes[0]
    heat, _, _ = came(odd(tmp_path / f"{stem}_ST_B10.TIF", numbers, nodata=0), tmp_path / "heat")
    np.testing.assert_allclose(heat, [[[np.nan, 173.859, 298.149]]], atol=1e-3)
    flags, _, _ = came(odd(tmp_path / f"{stem}_QA_PIXEL.TIF", numbers, nodata=1), tmp_path / "flags")
    assert_array_equal(flags, numbers)


HEIGHTS = np.array([[[-9999, 12, 13], [14, 15, 16.5]]], "float32")


@pytest.mark.parametrize("value", [-9999.0, -99999.0, -32768.0, -3.4028234663852886e38, 1e20])
def test_a_value_that_plainly_means_nothing_is_nodata_and_said(tmp_path: Path, value: float) -> None:
    numbers = np.where(HEIGHTS == -9999, np.float32(value), HEIGHTS)
    values, reader, notes = came(odd(tmp_path / "dem.tif", numbers), tmp_path / "out")
    assert reader.nodata == np.float32(value)
    assert_array_equal(values, numbers)
    assert notes[0] == (
        f"{float(np.float32(value)):,.6g} lies far from all its other numbers and was taken for nodata, "
        "though the file does not say so; add it again with nodata=none to keep it as a value."
    )


def test_such_a_value_beside_a_nodata_of_the_file_becomes_that(tmp_path: Path) -> None:
    numbers = np.array([[[-9999, 12, 0], [14, 15, 16]]], "int16")
    values, reader, _ = came(odd(tmp_path / "dem.tif", numbers, nodata=0), tmp_path / "out")
    assert reader.nodata == 0
    assert_array_equal(values, np.where(numbers == -9999, 0, numbers))


def test_such_a_value_of_stored_numbers_is_no_value(tmp_path: Path) -> None:
    numbers = np.array([[[-32768, 1200, 1300]]], "int16")
    values, _, notes = came(odd(tmp_path / "dem.tif", numbers, (0.01,)), tmp_path / "out")
    assert_array_equal(values, np.array([[[np.nan, 12, 13]]], "float32"))
    assert any(each.startswith("-32,768 lies far from") for each in notes)


def test_a_value_among_the_others_stays_one(tmp_path: Path) -> None:
    numbers = np.array([[[-9999, -10500, 0], [800, 2000, -4000]]], "int16")
    values, reader, _ = came(odd(tmp_path / "bathymetry.tif", numbers), tmp_path / "out")
    assert reader.nodata is None
    assert_array_equal(values, numbers)


def test_who_brings_a_raster_in_says_what_stands_for_nothing(tmp_path: Path) -> None:
    path = odd(tmp_path / "dem.tif", HEIGHTS)
    _, kept, notes = came(path, tmp_path / "none", nodata="none")
    assert kept.nodata is None and notes[0] == "Each of its numbers is a value, as was asked."
    _, told, notes = came(path, tmp_path / "told", nodata=12)
    assert told.nodata == 12 and notes[0] == "12 is its nodata, as was asked."
    photo = raster(tmp_path / "photo.tif", crs=None, transform=None)
    _, bare, _ = came(photo, tmp_path / "bare", nodata=7)
    assert (bare.nodata, bare.crs) == (7, None)
    with pytest.raises(UploadError, match=r"has pixels of uint8, and -9,999 is none of them\.$"):
        brought(photo, tmp_path / "wrong", nodata=-9999.0)
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(UploadError, match=r"is no raster and has no nodata; leave nodata out\.$"):
        brought(tmp_path / "a.csv", tmp_path / "table", nodata=1)


def test_a_huge_nodata_told_with_fewer_digits_is_found_as_by_gdal(tmp_path: Path) -> None:
    numbers = np.array([[[-3.4028234663852886e38, 100.7], [999.3, 12.0]]], "float32")
    path = odd(tmp_path / "esri.tif", numbers, nodata=-3.4028230607370965e38)
    with rasterio.open(path) as source:
        mask = source.read_masks((1,)) > 0
        seen = read_bands(source, (1,))[1]
        block = read_block(source, (1,), Place(Grid.of(source), Window(0, 0, 2, 2)))
    assert_array_equal(seen, mask)
    assert_array_equal(np.isfinite(block), mask)
    found = is_nodata(np.array([1e20, 3.4e38], "float32"), 3.3999999e38)
    assert found is not None and found.tolist() == [False, True]
