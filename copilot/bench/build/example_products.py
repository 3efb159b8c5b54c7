"""The small products that corrections are asked for on: made here, and rendered, not imagery.

`python -m copilot.bench.build.example_products` writes them anew, the same bytes every time: `counts.tif`,
the red and near infrared of the scene as Landsat 8 counts, `cloudy.tif`, the same with a QA_PIXEL band, and
their `LC08_MTL.txt`;
`shifted.tif`, the scene's blue band two pixels south and three east of where it belongs; `holes.tif`, the
elevation model with pixels missing; `classes.tif`, the scene's parts as classes with specks among them;
`raw.tif`, an image without a place but with rational polynomial coefficients.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.rpc import RPC

from copilot.bench.build.example_files import CRS, FOLDER, PARTS, SIDE_PX, dem, scene, transform

SUN_ELEVATION_DEG = 52.0
GAIN, OFFSET = 2.0e-5, -0.1
"""Landsat 8's reflectance factors, the same in every product since 2013."""
CLEAR, CLOUD, SHADOW = 21_824, 22_280, 23_888
"""Values of QA_PIXEL in Landsat Collection 2."""
RAW_PX = 48
MTL = f"""\
GROUP = LANDSAT_METADATA_FILE
  GROUP = PRODUCT_CONTENTS
    PROCESSING_LEVEL = "L1TP"
  END_GROUP = PRODUCT_CONTENTS
  GROUP = IMAGE_ATTRIBUTES
    SPACECRAFT_ID = "LANDSAT_8"
    SENSOR_ID = "OLI_TIRS"
    SUN_ELEVATION = {SUN_ELEVATION_DEG}
  END_GROUP = IMAGE_ATTRIBUTES
  GROUP = LEVEL1_RADIOMETRIC_RESCALING
    RADIANCE_MULT_BAND_4 = 9.9125E-03
    RADIANCE_MULT_BAND_5 = 6.0660E-03
    RADIANCE_ADD_BAND_4 = -49.56261
    RADIANCE_ADD_BAND_5 = -30.32984
    REFLECTANCE_MULT_BAND_4 = 2.0000E-05
    REFLECTANCE_MULT_BAND_5 = 2.0000E-05
    REFLECTANCE_ADD_BAND_4 = -0.100000
    REFLECTANCE_ADD_BAND_5 = -0.100000
  END_GROUP = LEVEL1_RADIOMETRIC_RESCALING
END_GROUP = LANDSAT_METADATA_FILE
END
"""


def counts() -> NDArray[np.uint16]:
    """(2, 96, 96): red and near infrared as counts of a Landsat 8 product; 0 where the scene has none."""
    reflectance = scene()[2:4].astype(np.float64) / 10_000
    stored = np.rint((reflectance * np.sin(np.radians(SUN_ELEVATION_DEG)) - OFFSET) / GAIN)
    return np.where(scene()[2:4] == 0, 0, stored).astype(np.uint16)


def quality() -> NDArray[np.uint16]:
    """(96, 96) QA_PIXEL: a cloud of 20 x 12 pixels and its shadow to the north-west; 1 is fill."""
    made = np.full((SIDE_PX, SIDE_PX), CLEAR, np.uint16)
    made[30:42, 40:60] = SHADOW
    made[36:48, 48:68] = CLOUD
    made[0, :2] = 1
    return made


def shifted() -> NDArray[np.uint16]:
    """(96, 96): the scene's blue band, two rows down and three columns to the right."""
    made: NDArray[np.uint16] = np.roll(scene()[0], (2, 3), (0, 1))
    return made


def holes() -> NDArray[np.float32]:
    """(96, 96) heights with four squares of 6 x 6 pixels missing, -9999."""
    made = dem()
    for row, column in ((10, 10), (20, 70), (60, 30), (80, 80)):
        made[row : row + 6, column : column + 6] = -9999
    return made


def classes() -> NDArray[np.uint8]:
    """(96, 96): 1 fields, 2 bare field, 3 park, 4 lake, 5 town, and 60 specks of one pixel."""
    made = np.ones((SIDE_PX, SIDE_PX), np.uint8)
    for number, (left, top, right, bottom) in enumerate(PARTS.values(), start=2):
        made[top:bottom, left:right] = number
    rows, columns = np.random.default_rng(9).integers(2, SIDE_PX - 2, (2, 60))
    made[rows, columns] = made[rows, columns] % 5 + 1
    return made


def raw() -> tuple[NDArray[np.uint8], RPC]:
    """(48, 48) stripes and their coefficients: north is up, and height moves a pixel to the east."""
    rows, columns = np.mgrid[0:RAW_PX, 0:RAW_PX]
    image = (60 + 120 * ((rows // 6 + columns // 6) % 2) + rows).astype(np.uint8)
    half = (RAW_PX - 1) / 2
    one = [1.0, *[0.0] * 19]
    line, sample = [0.0] * 20, [0.0] * 20
    line[2], sample[1], sample[3] = -1.0, 1.0, 0.3
    coefficients = RPC(
        height_off=0.0, height_scale=500.0, lat_off=52.0, lat_scale=0.005, line_den_coeff=one,
        line_num_coeff=line, line_off=half, line_scale=half, long_off=4.38, long_scale=0.008,
        samp_den_coeff=one, samp_num_coeff=sample, samp_off=half, samp_scale=half, err_bias=None,
        err_rand=None,
    )  # fmt: skip
    return image, coefficients


def write(folder: Path = FOLDER) -> None:
    """Write all of them into a folder."""
    _tiff(folder / "counts.tif", counts(), ("B4", "B5"), nodata=0)
    _tiff(folder / "cloudy.tif", np.stack([*counts(), quality()]), ("B4", "B5", "QA_PIXEL"), nodata=None)
    (folder / "LC08_MTL.txt").write_text(MTL, encoding="utf-8")
    _tiff(folder / "shifted.tif", shifted()[np.newaxis], ("blue",), nodata=0)
    _tiff(folder / "holes.tif", holes()[np.newaxis], ("height",), pixel_m=30.0, nodata=-9999)
    _tiff(folder / "classes.tif", classes()[np.newaxis], ("class",), nodata=0)
    image, coefficients = raw()
    profile = {"driver": "GTiff", "count": 1, "height": RAW_PX, "width": RAW_PX, "dtype": "uint8"}
    with rasterio.open(folder / "raw.tif", "w", compress="deflate", **profile) as target:
        target.write(image, 1)
        target.rpcs = coefficients


def _tiff(
    path: Path, values: NDArray[Any], names: tuple[str, ...], *, pixel_m: float = 10.0, nodata: float | None
) -> None:
    grid: Affine = transform(pixel_m)
    with rasterio.open(
        path, "w", driver="GTiff", count=len(values), height=SIDE_PX, width=SIDE_PX, dtype=values.dtype.name,
        crs=CRS, transform=grid, nodata=nodata, compress="deflate",
    ) as target:  # fmt: skip
        target.write(values)
        for number, name in enumerate(names, start=1):
            target.set_band_description(number, name)


if __name__ == "__main__":
    write()
