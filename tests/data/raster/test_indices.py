"""Spectral indices on pixels worked out by hand, and the bands they are computed from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.raster.bands import band_names, common_name
from data.raster.errors import RasterError
from data.raster.indices import DNBR, INDICES, bands_for, index_named, spectral
from tests.data.raster.test_windows import read, write
from tests.suite.walking import walks

PIXEL = {
    "blue": 0.05, "green": 0.08, "red": 0.06, "rededge071": 0.12, "rededge075": 0.28, "rededge078": 0.33,
    "nir": 0.40, "nir08": 0.42, "swir16": 0.20, "swir22": 0.10,
}  # fmt: skip
WORKED = {
    "NDVI": 0.34 / 0.46,  # (0.40 - 0.06) / (0.40 + 0.06)
    "EVI": 2.5 * 0.34 / 1.385,  # 0.40 + 0.36 - 0.375 + 1
    "EVI2": 2.5 * 0.34 / 1.544,  # 0.40 + 0.144 + 1
    "SAVI": 1.5 * 0.34 / 0.96,
    "MSAVI": (1.8 - 0.7211103) / 2,  # sqrt(1.8 ** 2 - 8 * 0.34) = sqrt(0.52) = 0.7211103
    "OSAVI": 0.34 / 0.62,
    "GNDVI": 0.32 / 0.48,
    "NDRE": 0.28 / 0.52,
    "VARI": 0.02 / 0.09,
    "NGRDI": 0.02 / 0.14,
    "NDWI": -0.32 / 0.48,
    "MNDWI": -0.12 / 0.28,
    "AWEI": -0.48 - 0.375,  # 4 (0.08 - 0.20) - (0.10 + 0.275)
    "NDMI": 0.20 / 0.60,
    "NDTI": -0.02 / 0.14,
    "NDCI": 0.06 / 0.18,
    "NDBI": -0.20 / 0.60,
    "BSI": -0.19 / 0.71,  # (0.26 - 0.45) / (0.26 + 0.45)
    "NBR": 0.30 / 0.50,
    "NBR2": 0.10 / 0.30,
    "NDSI": -0.12 / 0.28,
    # 1 - sqrt(0.28 * 0.33 * 0.42 / 0.06) = 0.1957615; (0.10 - 0.42) / sqrt(0.52) + 1 = 0.5562401
    "BAIS2": 0.1957615 * 0.5562401,
}


def scene(path: Path, scale: float = 1.0, dtype: str = "float32", **more: object) -> Path:
    """One pixel of the ten bands, and beside it one without values, one all zero, one of another kind."""
    values = np.array(list(PIXEL.values())) / scale
    blocks = np.stack([values, np.full(10, 9999), np.zeros(10), values[::-1]], axis=1)[:, np.newaxis]
    if np.dtype(dtype).kind in "iu":
        blocks = np.rint(blocks)
    write(path, blocks.astype(dtype), nodata=9999)
    with rasterio.open(path, "r+") as target:
        for number, name in enumerate(PIXEL, start=1):
            target.set_band_description(number, name)
        for key, value in more.items():
            setattr(target, key, value)
    return path


def test_every_index_is_worked_out_here() -> None:
    assert {each.name for each in INDICES.values()} == set(WORKED)


@walks("name", list(WORKED))
def test_an_index_of_a_pixel_is_what_its_formula_gives_by_hand(tmp_path: Path, name: str) -> None:
    moments, _ = spectral(scene(tmp_path / "a.tif"), tmp_path / "b.tif", index_named(name))
    made = read(tmp_path / "b.tif")[0, 0]
    assert made[0] == pytest.approx(WORKED[name], rel=2e-5)
    assert np.isnan(made[1])
    assert moments.count == np.isfinite(made).sum() and moments.maximum == pytest.approx(np.nanmax(made))


def test_nothing_divided_by_nothing_is_nodata(tmp_path: Path) -> None:
    spectral(scene(tmp_path / "a.tif"), tmp_path / "b.tif", index_named("NDVI"))
    with rasterio.open(tmp_path / "b.tif") as made:
        assert np.isnan(made.nodata) and made.read_masks(1)[0].tolist() == [255, 0, 0, 255]
        assert (made.descriptions, made.units, made.dtypes) == (("NDVI",), ("1",), ("float32",))


@pytest.mark.parametrize("name", ["EVI", "SAVI", "BAIS2", "NDVI"])
def test_scaled_whole_numbers_give_the_same_index(tmp_path: Path, name: str) -> None:
    index, out = index_named(name), tmp_path / "out.tif"
    spectral(scene(tmp_path / "a.tif", 1e-4, "uint16", scales=(1e-4,) * 10), out, index)
    assert read(out)[0, 0, 0] == pytest.approx(WORKED[name], rel=1e-4)
    spectral(scene(tmp_path / "b.tif", 1e-4, "uint16"), out, index, scale=1e-4)
    assert read(out)[0, 0, 0] == pytest.approx(WORKED[name], rel=1e-4)


def test_an_offset_in_the_file_counts_even_for_a_ratio(tmp_path: Path) -> None:
    """Sentinel-2 since processing baseline 04.00: reflectance = (value - 1000) / 10,000."""
    path = scene(tmp_path / "a.tif", 1e-4, "uint16", scales=(1e-4,) * 10)
    with rasterio.open(path, "r+") as target:
        target.write(np.where(target.read() == 9999, 9999, target.read() + 1000))
        target.offsets = (-0.1,) * 10
    spectral(path, tmp_path / "b.tif", index_named("NDVI"))
    assert read(tmp_path / "b.tif")[0, 0, 0] == pytest.approx(WORKED["NDVI"], rel=1e-4)


def test_whole_numbers_without_a_scale_are_asked_about_where_it_matters(tmp_path: Path) -> None:
    path = scene(tmp_path / "a.tif", 1e-4, "uint16")
    with pytest.raises(RasterError, match=r"EVI needs reflectance from 0 to 1, .* scale=0\.0001"):
        spectral(path, tmp_path / "b.tif", index_named("EVI"))
    spectral(path, tmp_path / "b.tif", index_named("NDVI"))
    assert read(tmp_path / "b.tif")[0, 0, 0] == pytest.approx(WORKED["NDVI"], rel=1e-4)


def test_burn_severity_is_nbr_before_minus_nbr_after(tmp_path: Path) -> None:
    before, after = scene(tmp_path / "a.tif"), tmp_path / "after.tif"
    burned = {**PIXEL, "nir": 0.15, "swir22": 0.25}
    write(after, np.array(list(burned.values()), np.float32).reshape(10, 1, 1).repeat(4, 2), nodata=9999)
    numbers = {"nir": 7, "swir22": 10}
    spectral(before, tmp_path / "b.tif", DNBR, after=after, bands=numbers)
    assert read(tmp_path / "b.tif")[0, 0, 0] == pytest.approx(0.6 + 0.25, rel=1e-6)
    with pytest.raises(RasterError, match="dNBR needs two rasters, one before and one after the fire"):
        spectral(before, tmp_path / "b.tif", DNBR)
    with pytest.raises(RasterError, match="NDVI is computed from one raster; a second one is for dNBR"):
        spectral(before, tmp_path / "b.tif", index_named("NDVI"), after=after)


def test_bands_without_names_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.ones((4, 2, 2), np.uint8))
    with pytest.raises(RasterError) as caught:
        bands_for(path, index_named("ndvi"), {})
    assert str(caught.value) == (
        "NDVI needs the bands nir, red, and which is nir cannot be told (bands: 1 red, 2 green, 3 blue, "
        '4 without a name); say which, as in bands="nir=4,red=1".'
    )
    two = write(tmp_path / "b.tif", np.ones((2, 2, 2), np.uint16))
    with pytest.raises(RasterError, match=r"which is nir and red cannot be told .* bands=\"nir=1,red=2\""):
        bands_for(two, index_named("ndvi"), {})
    assert bands_for(path, index_named("ndvi"), {"red": 1, "nir": 4}) == {"nir": 4, "red": 1}
    for given, said in (({"red": 9}, "There is no band 9"), ({"blue": 1}, "NDVI has no band 'blue'")):
        with pytest.raises(RasterError, match=said):
            bands_for(path, index_named("ndvi"), given)


@pytest.mark.parametrize(
    ("said", "name"),
    [("ndvi", "NDVI"), ("Delta NBR", "dNBR"), ("dNBR", "dNBR"), ("MSAVI2", "MSAVI"), ("ndvi_", "NDVI")],
)
def test_an_index_is_known_in_any_spelling(said: str, name: str) -> None:
    assert index_named(said).name == name


def test_an_index_that_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(RasterError, match=r"There is no index 'NDVX'\. Did you mean ND"):
        index_named("NDVX")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("red", "red"), ("Band 4 (Red, 665 nm)", "red"), ("B04 - red", "red"), ("Near Infrared", "nir"),
        ("NIR", "nir"), ("SWIR 1", "swir16"), ("swir2", "swir22"), ("Shortwave Infrared 2", "swir22"),
        ("842 nm", "nir"), ("Red Edge 2", "rededge075"), ("coastal aerosol", "coastal"), ("pan", "pan"),
        ("height", None), ("vv", None), ("infrared", "nir"), ("1610nm", "swir16"), ("reduced", None),
    ],
)  # fmt: skip
def test_a_bands_description_says_its_common_name(text: str, name: str | None) -> None:
    assert common_name(text) == name


def test_sentinel_2_and_landsat_numbers_mean_their_own_colours(tmp_path: Path) -> None:
    def names(descriptions: list[str], **tags: str) -> tuple[str | None, ...]:
        path = write(tmp_path / "n.tif", np.ones((len(descriptions), 2, 2), np.uint8))
        with rasterio.open(path, "r+") as target:
            target.descriptions = descriptions
            target.update_tags(**tags)
        with rasterio.open(path) as source:
            return band_names(source)

    assert names(["B02", "B04", "B08", "B8A", "B12"]) == ("blue", "red", "nir", "nir08", "swir22")
    assert names(["B4", "B5"]) == (None, None)
    assert names(["B4", "B5"], SPACECRAFT_ID="LANDSAT_8") == ("red", "nir")
    assert names(["B4", "B5"], SPACECRAFT_ID="LANDSAT_5") == ("nir", "swir16")
    # Landsat 5 has these three too, and its SR_B4 is near infrared.
    assert names(["SR_B4", "SR_B5", "SR_B7"]) == (None, None, "swir22")
    assert names(["SR_B4", "SR_B5", "SR_B6"]) == ("red", "nir", "swir16")
