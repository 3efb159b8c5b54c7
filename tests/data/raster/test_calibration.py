"""Radiance, reflectance, temperature and backscatter from excerpts of true metadata files.

The Landsat 7 excerpt is of a real MTL (path 36, UTM zone 12); the Landsat 8 one has the constants that every
Landsat 8 product bears; the calibration vectors have the form and magnitudes of a Sentinel-1 IW product.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from data.raster.calibration import (
    backscatter,
    known_bands,
    metadata_in_tags,
    product_bands,
    reflectance_scales,
    rescale,
    scales_in_file,
)
from data.raster.errors import RasterError
from data.raster.metadata import Landsat, Linear, Sentinel1, Sentinel2, read_metadata
from tests.data.raster.made import read, write

LANDSAT_7 = """\
GROUP = L1_METADATA_FILE
  GROUP = PRODUCT_METADATA
    SPACECRAFT_ID = "LANDSAT_7"
    SENSOR_ID = "ETM"
  END_GROUP = PRODUCT_METADATA
  GROUP = IMAGE_ATTRIBUTES
    SUN_ELEVATION = 54.30
  END_GROUP = IMAGE_ATTRIBUTES
  GROUP = RADIOMETRIC_RESCALING
    RADIANCE_MULT_BAND_1 = 1.1807E+00
    RADIANCE_MULT_BAND_2 = 1.2098E+00
    RADIANCE_MULT_BAND_6_VCID_1 = 6.7087E-02
    RADIANCE_ADD_BAND_1 = -7.38071
    RADIANCE_ADD_BAND_2 = -7.60984
    RADIANCE_ADD_BAND_6_VCID_1 = -0.06709
    REFLECTANCE_MULT_BAND_1 = 1.8807E-03
    REFLECTANCE_MULT_BAND_2 = 2.1140E-03
    REFLECTANCE_ADD_BAND_1 = -0.011757
    REFLECTANCE_ADD_BAND_2 = -0.013297
  END_GROUP = RADIOMETRIC_RESCALING
  GROUP = THERMAL_CONSTANTS
    K1_CONSTANT_BAND_6_VCID_1 = 666.09
    K2_CONSTANT_BAND_6_VCID_1 = 1282.71
  END_GROUP = THERMAL_CONSTANTS
END_GROUP = L1_METADATA_FILE
END
"""
REFLECTANCE_MAXIMUM = {"1": 0.467827, "2": 0.525779}
REFLECTANCE_MINIMUM = {"1": -0.009876, "2": -0.011183}
"""What the same file gives for DN 255 and DN 1."""

LANDSAT_8 = {
    "LANDSAT_METADATA_FILE": {
        "PRODUCT_CONTENTS": {"PROCESSING_LEVEL": "L1TP"},
        "IMAGE_ATTRIBUTES": {"SPACECRAFT_ID": "LANDSAT_8", "SUN_ELEVATION": "60.0"},
        "LEVEL1_RADIOMETRIC_RESCALING": {
            "RADIANCE_MULT_BAND_10": "3.3420E-04",
            "RADIANCE_ADD_BAND_10": "0.10000",
            "REFLECTANCE_MULT_BAND_4": "2.0000E-05",
            "REFLECTANCE_ADD_BAND_4": "-0.100000",
        },
        "LEVEL1_THERMAL_CONSTANTS": {
            "K1_CONSTANT_BAND_10": "774.8853",
            "K2_CONSTANT_BAND_10": "1321.0789",
        },
    }
}

SENTINEL_2 = """<?xml version="1.0" encoding="UTF-8"?>
<n1:Level-1C_User_Product xmlns:n1="https://psd-14.sentinel2.eo.esa.int/PSD/User_Product_Level-1C.xsd">
  <n1:General_Info>
    <Product_Info><PROCESSING_BASELINE>05.10</PROCESSING_BASELINE></Product_Info>
    <Product_Image_Characteristics>
      <QUANTIFICATION_VALUE unit="none">10000</QUANTIFICATION_VALUE>
      <Radiometric_Offset_List>
        <RADIO_ADD_OFFSET band_id="1">-1000</RADIO_ADD_OFFSET>
        <RADIO_ADD_OFFSET band_id="8">-1000</RADIO_ADD_OFFSET>
      </Radiometric_Offset_List>
    </Product_Image_Characteristics>
  </n1:General_Info>
</n1:Level-1C_User_Product>
"""


def sentinel_1(lines: list[int], pixels: list[int], sigma: list[list[float]]) -> str:
    vectors = "".join(
        f"<calibrationVector><azimuthTime>2018-02-12T03:24:58.493726</azimuthTime><line>{line}</line>"
        f'<pixel count="{len(pixels)}">{" ".join(map(str, pixels))}</pixel>'
        f'<sigmaNought count="{len(pixels)}">{" ".join(f"{each:.6e}" for each in row)}</sigmaNought>'
        f'<betaNought count="{len(pixels)}">{" ".join(["1.087000e+03"] * len(pixels))}</betaNought>'
        f'<gamma count="{len(pixels)}">{" ".join(f"{each * 0.97:.6e}" for each in row)}</gamma>'
        "</calibrationVector>"
        for line, row in zip(lines, sigma, strict=True)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><calibration>'
        "<adsHeader><polarisation>VV</polarisation></adsHeader>"
        f'<calibrationVectorList count="{len(lines)}">{vectors}</calibrationVectorList></calibration>'
    )


def saved(tmp_path: Path, text: str, name: str = "metadata.txt") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_reflectance_of_the_least_and_greatest_count_is_what_the_product_itself_says(tmp_path: Path) -> None:
    metadata = read_metadata(saved(tmp_path, LANDSAT_7))
    assert isinstance(metadata, Landsat) and metadata.spacecraft == "Landsat 7"
    sine = math.sin(math.radians(54.30))
    scales = reflectance_scales(metadata, ["1", "2"], None)
    counts = np.array([[[1, 255, 0]], [[1, 255, 0]]], np.uint8)
    source = write(tmp_path / "counts.tif", counts)
    rescale(source, tmp_path / "toa.tif", scales, quantity="reflectance", unit="1")
    for at, band in enumerate(("1", "2"), start=1):
        made = read(tmp_path / "toa.tif", at)[0]
        assert made[0] * sine == pytest.approx(REFLECTANCE_MINIMUM[band], abs=2e-6)
        assert made[1] * sine == pytest.approx(REFLECTANCE_MAXIMUM[band], abs=2e-5)
        assert np.isnan(made[2])


def test_radiance_and_temperature_follow_the_handbook(tmp_path: Path) -> None:
    metadata = read_metadata(saved(tmp_path, json.dumps(LANDSAT_8)))
    assert isinstance(metadata, Landsat)
    assert metadata.radiance == {"10": Linear(3.342e-4, 0.1)}
    assert known_bands(metadata, "brightness_temperature") == ["10"]
    source = write(tmp_path / "b10.tif", np.array([[25_000, 30_000, 0]], np.uint16))
    rescale(source, tmp_path / "l.tif", [metadata.radiance["10"]], quantity="radiance", unit="W/(m2 sr um)")
    np.testing.assert_allclose(read(tmp_path / "l.tif")[0, :2], [8.455, 10.126], rtol=1e-6)
    rescale(
        source,
        tmp_path / "t.tif",
        [metadata.radiance["10"]],
        quantity="temperature",
        unit="K",
        thermal=[metadata.thermal["10"]],
    )
    kelvin = read(tmp_path / "t.tif")[0, :2]
    # Back through Planck's law with the same constants: L = K1 / (exp(K2 / T) - 1).
    np.testing.assert_allclose(774.8853 / (np.exp(1321.0789 / kelvin) - 1), [8.455, 10.126], rtol=1e-5)
    assert kelvin[0] == pytest.approx(291.8, abs=0.1)


def test_the_greatest_count_of_landsat_8_has_the_published_greatest_reflectance(tmp_path: Path) -> None:
    metadata = read_metadata(saved(tmp_path, json.dumps(LANDSAT_8)))
    (scale,) = reflectance_scales(metadata, ["4"], 90.0)
    # REFLECTANCE_MAXIMUM_BAND_n = 1.210700 for DN 65535 in every Landsat 8 MTL.
    assert scale.gain * 65_535 + scale.offset == pytest.approx(1.2107, abs=1e-6)
    (low,) = reflectance_scales(metadata, ["4"], None)
    assert low.gain / scale.gain == pytest.approx(1 / math.sin(math.radians(60)))


def test_a_level_2_mtl_repeats_its_keys_and_is_refused_for_the_top_of_the_atmosphere(tmp_path: Path) -> None:
    text = LANDSAT_7.replace(
        "  GROUP = IMAGE_ATTRIBUTES",
        "  GROUP = LEVEL2_SURFACE_REFLECTANCE_PARAMETERS\n    REFLECTANCE_MULT_BAND_1 = 2.75e-05\n"
        "    REFLECTANCE_ADD_BAND_1 = -0.2\n  END_GROUP = LEVEL2_SURFACE_REFLECTANCE_PARAMETERS\n"
        "  GROUP = IMAGE_ATTRIBUTES",
    )
    metadata = read_metadata(saved(tmp_path, text))
    assert isinstance(metadata, Landsat) and metadata.reflectance["1"].gain == 1.8807e-3
    surface = read_metadata(
        saved(tmp_path, text.replace("SENSOR_ID", 'PROCESSING_LEVEL = "L2SP"\n    SENSOR_ID'))
    )
    with pytest.raises(RasterError, match="surface reflectance"):
        reflectance_scales(surface, ["1"], None)


def test_sentinel_2_counts_lose_their_offset_and_are_divided(tmp_path: Path) -> None:
    metadata = read_metadata(saved(tmp_path, SENTINEL_2, "MTD_MSIL1C.xml"))
    assert isinstance(metadata, Sentinel2)
    scales = reflectance_scales(metadata, ["B02", "B8A", "B03"], None)
    source = write(tmp_path / "dn.tif", np.array([[[2200, 0]], [[1000, 11000]], [[1500, 1]]], np.uint16))
    rescale(source, tmp_path / "toa.tif", scales, quantity="reflectance", unit="1")
    assert read(tmp_path / "toa.tif", 1)[0] == pytest.approx([0.12, math.nan], nan_ok=True)
    assert read(tmp_path / "toa.tif", 2)[0] == pytest.approx([0.0, 1.0])
    assert read(tmp_path / "toa.tif", 3)[0] == pytest.approx([0.15, 0.0001])


def test_backscatter_divides_by_the_table_between_its_vectors(tmp_path: Path) -> None:
    lines, pixels = [0, 7, 14, 21], [0, 4, 8, 11]
    sigma = [[400.0 + 13 * a - 9 * b + (a * b) ** 1.5 for b in range(4)] for a in range(4)]
    metadata = read_metadata(saved(tmp_path, sentinel_1(lines, pixels, sigma), "calibration.xml"))
    assert isinstance(metadata, Sentinel1)
    counts = np.random.default_rng(3).integers(1, 3000, (20, 12)).astype(np.uint16)
    counts[3, 3] = 0
    source = write(tmp_path / "vv.tif", counts, crs=None)
    summary = backscatter(source, tmp_path / "s0.tif", metadata, "sigma0")
    rows, columns = np.mgrid[0:20, 0:12]
    factor = RegularGridInterpolator((lines, pixels), np.array(sigma))((rows, columns))
    expected = np.where(counts == 0, np.nan, counts.astype(float) ** 2 / factor**2)
    np.testing.assert_allclose(read(tmp_path / "s0.tif"), expected, rtol=1e-5)
    assert summary.count == 239
    backscatter(source, tmp_path / "b0.tif", metadata, "beta0")
    np.testing.assert_allclose(
        read(tmp_path / "b0.tif")[0], counts[0].astype(float) ** 2 / 1087.0**2, rtol=1e-6
    )
    with pytest.raises(RasterError, match="before it is cut"):
        backscatter(
            write(tmp_path / "part.tif", counts[:, :8], crs=None), tmp_path / "s0.tif", metadata, "sigma0"
        )


def test_bands_are_known_by_description_by_file_name_by_order_or_when_named(tmp_path: Path) -> None:
    two = np.ones((2, 3, 3), np.uint8)
    known = ["1", "2", "6_VCID_1"]
    described = write(tmp_path / "a.tif", two, descriptions=("SR_B2", "Band 1"))
    assert product_bands(described, "a", None, known) == ["2", "1"]
    assert product_bands(described, "a", ["B6_VCID_1", "1"], known) == ["6_VCID_1", "1"]
    single = write(tmp_path / "b.tif", two[0])
    assert product_bands(single, "LE07_L1TP_036_B2.TIF", None, known) == ["2"]
    assert product_bands(write(tmp_path / "c.tif", two), "c", None, ["1", "2"]) == ["1", "2"]
    with pytest.raises(RasterError, match="name them with bands, out of 1, 2, 6_VCID_1"):
        product_bands(write(tmp_path / "c.tif", two), "c", None, known)


def test_what_the_file_itself_says_is_found(tmp_path: Path) -> None:
    import rasterio

    path = write(tmp_path / "tagged.tif", np.ones((1, 3, 3), np.uint8))
    assert metadata_in_tags(path) is None and scales_in_file(path) is None
    with rasterio.open(path, "r+") as target:
        target.update_tags(RADIANCE_MULT_BAND_1="0.5", RADIANCE_ADD_BAND_1="-1")
        target.scales, target.offsets = (0.01,), (5.0,)
    found = metadata_in_tags(path)
    assert isinstance(found, Landsat) and found.radiance == {"1": Linear(0.5, -1.0)}
    assert scales_in_file(path) == [Linear(0.01, 5.0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "no Landsat MTL"),
        ("", "no Landsat MTL"),
        ("{not json", "begins as JSON"),
        ("<a><b></a>", "begins as XML"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><calibration>&x;</calibration>', "begins as XML"),
        ("<kml/>", "XML of 'kml'"),
        ("<calibration/>", "no calibration vectors"),
        (LANDSAT_7.replace("1.1807E+00", "many"), "no number"),
        (LANDSAT_7.replace("    RADIANCE_ADD_BAND_1 = -7.38071\n", ""), "no number"),
        (SENTINEL_2.replace(">10000<", ">0<"), "above 0"),
        (sentinel_1([0, 9], [0, 4], [[1.0, 2.0], [3.0, 0.0]]), "not above 0"),
        (sentinel_1([0, 0], [0, 4], [[1.0, 2.0], [3.0, 1.0]]), "twice"),
    ],
)
def test_a_file_that_is_no_metadata_or_is_broken_is_refused_in_a_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(RasterError, match=words):
        read_metadata(saved(tmp_path, text))
