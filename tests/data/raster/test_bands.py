"""Which band is which, as real files of the usual sensors spell it; and what stays unclear."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.raster.bands import band_names, unclear
from data.raster.errors import RasterError
from data.raster.sensors import sensor_named, sensors
from tests.data.raster.test_windows import write

TEN_AND_TWENTY = (
    "blue",
    "green",
    "red",
    "rededge071",
    "rededge075",
    "rededge078",
    "nir",
    "nir08",
    "swir16",
    "swir22",
)
OLI = ("coastal", "blue", "green", "red", "nir", "swir16", "swir22")
TM = ("blue", "green", "red", "nir", "swir16", "swir22")
EIGHT = ("coastal", "blue", "green05", "green", "yellow", "red", "rededge071", "nir")  # fmt: skip
WORLDVIEW = ("coastal", "blue", "green", "yellow", "red", "rededge071", "nir", "nir09")
S2_L2A = ("coastal", *TEN_AND_TWENTY[:8], "nir09", *TEN_AND_TWENTY[8:])


def file(
    folder: Path, name: str, said: list[str] | int, *, bands: list[dict[str, str]] | None = None, **tags: str
) -> Path:
    """A raster of that name, its bands described so (or so many without a word), with tags of its own."""
    count = said if isinstance(said, int) else len(said)
    path = write(folder / name, np.ones((count, 2, 2), np.uint16))
    with rasterio.open(path, "r+") as target:
        if not isinstance(said, int):
            target.descriptions = said
        target.update_tags(**tags)
        for at, each in enumerate(bands or [], start=1):
            target.update_tags(at, **each)
    return path


def names(path: Path, hint: str | None = None) -> tuple[str | None, ...]:
    with rasterio.open(path) as source:
        return band_names(source, hint)


CODES_OF_S2 = ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B8A", "B9", "B11", "B12"]


@pytest.mark.parametrize(
    ("name", "said", "tags", "roles"),
    [
        # Sentinel-2: Earth Engine's spelling, ESA's, sen2cor's stack, and a product's own name.
        ("a.tif", CODES_OF_S2, {}, S2_L2A),
        ("a.tif", ["B02", "B03", "B04", "B05", "B06", "B07", "B08", "B8A", "B11", "B12"], {}, TEN_AND_TWENTY),
        ("a.tif", ["B2", "B3", "B4", "B8"], {"PLATFORM": "Sentinel-2A"}, ("blue", "green", "red", "nir")),
        ("a.tif", ["B4, central wavelength 665 nm", "B8, central wavelength 842 nm"], {}, ("red", "nir")),
        ("T31UFU_20200115T105301_B04_10m.tif", 1, {}, ("red",)),
        ("T31UFU_20200115T105301_B8A_20m.tif", 1, {}, ("nir08",)),
        ("S2A_MSIL2A_20200115T105301_N0213_R051_T31UFU.tif", 12, {}, S2_L2A),
        ("a.tif", ["B02", "B04", "B08", "SCL"], {}, ("blue", "red", "nir", None)),
        # Landsat: a code is another role on TM and on OLI, and SR_B6 or ST_B6 say which.
        ("a.tif", [f"SR_B{at}" for at in range(1, 8)], {}, OLI),
        ("a.tif", ["SR_B1", "SR_B2", "SR_B3", "SR_B4", "SR_B5", "SR_B7"], {}, TM),
        ("a.tif", ["SR_B3", "SR_B4", "ST_B6"], {}, ("red", "nir", "lwir11")),
        ("a.tif", ["SR_B4", "SR_B5", "ST_B10"], {}, ("red", "nir", "lwir11")),
        ("LC08_L2SP_006066_20200801_20200908_02_T1_SR_B4.tif", 1, {}, ("red",)),
        ("LT05_L2SP_006066_19850801_20200908_02_T1_SR_B4.tif", 1, {}, ("nir",)),
        ("LE07_L1TP_006066_20000801_20200908_02_T1.tif", 6, {}, TM),
        ("LC09_L2SP_006066_20220801.tif", 7, {}, OLI),
        ("HLS.L30.T31UFU.2020015T105301.v2.0.B05.tif", 1, {}, ("nir",)),
        ("HLS.S30.T31UFU.2020015T105301.v2.0.B05.tif", 1, {}, ("rededge071",)),
        ("a.tif", ["Band 1", "Band 2", "Band 3", "Band 4"], {"SPACECRAFT_ID": "LANDSAT_5"}, TM[:4]),
        # NAIP, PlanetScope, WorldView and the like: no names, the product's order.
        ("m_4709963_se_14_1_20150926.tif", 4, {}, ("red", "green", "blue", "nir")),
        ("20200115_105301_1032_3B_AnalyticMS_SR.tif", 4, {}, ("blue", "green", "red", "nir")),
        ("20220115_105301_12_2463_3B_AnalyticMS_SR_8b.tif", 8, {}, EIGHT),
        ("a.tif", ["coastal_blue", "blue", "green_i", "green", "yellow", "red", "rededge", "nir"], {}, EIGHT),
        ("WV02_20150926_M2AS.tif", 8, {}, WORLDVIEW),
        ("a.tif", ["Coastal Blue", "Blue", "Green", "Yellow", "Red", "Red Edge", "NIR1", "NIR2"],
         {}, WORLDVIEW),
        ("a.tif", [f"BAND_{each}" for each in ("C", "B", "G", "Y", "R", "RE", "N", "N2")], {}, WORLDVIEW),
        ("GE01_scene.tif", 4, {}, ("blue", "green", "red", "nir")),
        ("a.tif", 4, {"SATELLITE": "QuickBird"}, ("blue", "green", "red", "nir")),
        # Words, letters and what is no colour.
        ("a.tif", ["Band 4 - Red", "Band 5 - Near Infrared (NIR)"], {}, ("red", "nir")),
        ("a.tif", ["R", "G", "B", "N"], {}, ("red", "green", "blue", "nir")),
        ("a.tif", ["Thermal Infrared 1", "Shortwave Infrared 2", "Mid-Infrared"],
         {}, ("lwir11", "swir22", "swir16")),
        ("a.tif", ["aerosol optical thickness", "QA_PIXEL", "cloud mask, blue"], {}, (None, None, None)),
        ("a.tif", [f"Band {at}" for at in range(1, 13)], {}, (None,) * 12),
        # STAC's fields in the tags.
        ("a.tif", 2,
         {"eo:bands": '[{"name": "B5", "common_name": "nir"}, {"common_name": "red"}]'}, ("nir", "red")),
    ],
)  # fmt: skip
def test_bands_are_told_as_files_of_real_sensors_spell_them(
    tmp_path: Path, name: str, said: list[str] | int, tags: dict[str, str], roles: tuple[str | None, ...]
) -> None:
    assert names(file(tmp_path, name, said, **tags)) == roles


def test_wavelengths_and_common_names_of_each_band_are_read(tmp_path: Path) -> None:
    told = [{"wavelength": "0.865"}, {"common_name": "red"}, {"wavelength": "1610", "wavelength_units": "nm"}]
    assert names(file(tmp_path, "a.tif", 3, bands=told)) == ("nir08", "red", "swir16")


def test_the_name_that_a_file_had_tells_its_sensor(tmp_path: Path) -> None:
    path = file(tmp_path, "raster-5ce4e0.tif", ["B4", "B5"])
    assert names(path) == (None, None)
    assert names(path, "LC08_L1TP_006066_20200801.tif") == ("red", "nir")


def test_a_code_that_is_one_thing_here_and_another_there_is_said_to_be_so(tmp_path: Path) -> None:
    with rasterio.open(file(tmp_path, "a.tif", ["B4", "B5"])) as source:
        assert band_names(source) == (None, None)
        said = unclear(source)
    assert said is not None and said.startswith(
        "B4 is red on Sentinel-2 and Landsat 8-9 and nir on Landsat 7 and Landsat 4-5"
    )
    with rasterio.open(file(tmp_path, "b.tif", ["SR_B4", "SR_B6"])) as source:
        assert unclear(source) is None


def test_a_made_rasters_name_does_not_make_it_a_product(tmp_path: Path) -> None:
    inputs = '[{"name": "WV02 scene"}]'
    assert names(file(tmp_path, "a.tif", 8, AZIMUTH_INPUTS=inputs)) == (None,) * 8


def test_each_sensor_of_the_table_is_found_by_its_own_name() -> None:
    assert [sensor_named(each.name).name for each in sensors()] == [each.name for each in sensors()]
    with pytest.raises(
        RasterError, match="No sensor 'Box camera' is known by its bands; there are Sentinel-2, "
    ):
        sensor_named("Box camera")
