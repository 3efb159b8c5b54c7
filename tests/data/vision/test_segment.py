"""Land cover and land use: the rules by hand, the network whatever the seams, and what is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.windows import Window

from data.progress import Unheard
from data.raster.errors import RasterError
from data.raster.windows import Grid, Place
from data.vision import segment
from data.vision.vegetation import excess_green, ndvi, vegetation_mask
from data.vision.water import DIGITAL, suited, water_mask
from tests.real_files import real

UTM = Affine(2, 0, 500_000, 0, -2, 5_000_000)
SPECTRA = {
    "water": (0.06, 0.05, 0.03, 0.01, 0.005),
    "dense vegetation": (0.03, 0.07, 0.04, 0.45, 0.2),
    "sparse vegetation": (0.08, 0.12, 0.15, 0.27, 0.3),
    "built-up": (0.20, 0.22, 0.235, 0.26, 0.29),
    "bare soil": (0.095, 0.135, 0.18, 0.25, 0.33),
    "snow or ice": (0.82, 0.81, 0.79, 0.72, 0.12),
}
"""Blue, green, red, near and short-wave infrared of each class of the rules."""
BANDS = ("blue", "green", "red", "nir", "swir16")


def write(path: Path, bands: NDArray[Any], names: tuple[str, ...] = (), nodata: float | None = None) -> Path:
    count, rows, columns = bands.shape
    profile = {
        "driver": "GTiff", "count": count, "height": rows, "width": columns, "dtype": bands.dtype,
        "crs": "EPSG:32631", "transform": UTM, "nodata": nodata,
    }  # fmt: skip
    with rasterio.open(path, "w", **profile) as target:
        target.write(bands)
        if names:
            target.descriptions = names
    return path


def read(path: Path) -> NDArray[Any]:
    with rasterio.open(path) as source:
        values: NDArray[Any] = source.read()
    return values


def picture(rows: int, columns: int) -> NDArray[np.uint8]:
    """Smooth patches of colour, the same each time."""
    from scipy.ndimage import gaussian_filter

    noise = np.random.default_rng(5).standard_normal((3, rows, columns))
    smooth = np.stack([gaussian_filter(each, 6) for each in noise])
    smooth -= smooth.min()
    return np.asarray(255 * smooth / smooth.max(), dtype=np.uint8)


def test_every_class_of_the_rules_has_its_spectrum() -> None:
    values = np.array(list(SPECTRA.values())).T[:, np.newaxis]
    said = segment.ruled(dict(zip(BANDS, values, strict=True)))[0]
    assert [segment.RULES[each] for each in said] == list(SPECTRA)


@pytest.mark.parametrize("scale", [1.0, 10_000.0, 250.0])
def test_land_use_by_rules_reads_reflectance_however_it_is_stored(tmp_path: Path, scale: float) -> None:
    values = np.array(list(SPECTRA.values())).T[:, np.newaxis].repeat(3, axis=1) * scale
    dtype = {1.0: "float32", 10_000.0: "uint16", 250.0: "uint8"}[scale]
    values[:, 0, 0] = 0 if scale > 1 else -1
    source = write(tmp_path / "in.tif", values.astype(dtype), BANDS, nodata=0 if scale > 1 else -1)
    done = segment.land_use(Unheard(), source, tmp_path / "out.tif")
    said = read(tmp_path / "out.tif")[0]
    assert (done.model, dict(done.classes)) == ("spectral-rules", segment.RULES)
    assert said[0].tolist() == [255, 2, 3, 4, 5, 6]
    assert said[1].tolist() == [1, 2, 3, 4, 5, 6]


def test_without_short_wave_infrared_built_up_and_bare_are_one(tmp_path: Path) -> None:
    values = np.array(list(SPECTRA.values())).T[1:4, np.newaxis].astype("float32")
    source = write(tmp_path / "in.tif", values, BANDS[1:4])
    done = segment.land_use(Unheard(), source, tmp_path / "out.tif")
    assert done.classes[4] == "built-up or bare"
    assert read(tmp_path / "out.tif")[0, 0, :5].tolist() == [1, 2, 3, 4, 4]


def test_the_networks_answer_does_not_depend_on_where_the_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in.tif", picture(128, 96))
    segment.land_cover(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr(segment, "BLOCK_PX", 96 * 32)
    segment.land_cover(Unheard(), source, tmp_path / "parts.tif")
    whole, parts = read(tmp_path / "whole.tif"), read(tmp_path / "parts.tif")
    assert (whole[0] == parts[0]).mean() > 0.98
    assert np.abs(whole[1].astype(int) - parts[1])[whole[0] == parts[0]].mean() < 1.5


def test_beyond_the_image_a_network_sees_its_mirror_image_wherever_it_is_cut() -> None:
    image = picture(40, 60).astype("float32")
    grid, halo = Grid(None, UTM, 60, 40), 24
    known = np.pad(image, ((0, 0), (halo, halo), (halo, halo)), constant_values=np.nan)
    shown = np.pad(image, ((0, 0), (halo, halo), (halo, halo)), mode="symmetric")
    for window in (Window(0, 0, 60, 40), Window(0, 12, 60, 20), Window(30, 0, 30, 24)):
        part = np.s_[
            :,
            window.row_off : window.row_off + window.height + 2 * halo,
            window.col_off : window.col_off + window.width + 2 * halo,
        ]
        made = segment.mirrored(known[part], Place(grid, window, halo))
        np.testing.assert_array_equal(made, shown[part])


def test_nothing_is_said_where_the_picture_has_no_value(tmp_path: Path) -> None:
    values = picture(40, 50)
    values[:, :10] = 7
    values[:, 10:][values[:, 10:] == 7] = 8
    source = write(tmp_path / "in.tif", values, nodata=7)
    done = segment.land_cover(Unheard(), source, tmp_path / "out.tif")
    said = read(tmp_path / "out.tif")
    assert (said[:, :10] == 255).all()
    assert set(np.unique(said[0, 10:])) <= set(done.classes)
    assert int(said[1, 10:].max()) <= 100


def test_a_network_is_for_pictures_in_colour_and_a_method_is_none(tmp_path: Path) -> None:
    radar = write(tmp_path / "sar.tif", np.ones((1, 8, 8), "float32"), ("vv",))
    with pytest.raises(RasterError, match="suits this image"):
        segment.land_cover(Unheard(), radar, tmp_path / "out.tif")
    with pytest.raises(RasterError, match="no network that tells"):
        segment.land_cover(Unheard(), radar, tmp_path / "out.tif", model="water-index")


def test_vegetation_indices_are_their_formulas() -> None:
    assert ndvi(np.array([0.5]), np.array([0.1])) == pytest.approx([0.4 / 0.6])
    assert excess_green(np.array([0.1]), np.array([0.3]), np.array([0.1])) == pytest.approx([0.8])
    assert excess_green(np.zeros(1), np.zeros(1), np.zeros(1)).tolist() == [0.0]


def test_vegetation_is_found_over_otsus_threshold_and_by_colour(tmp_path: Path) -> None:
    plants = np.zeros((32, 32), bool)
    plants[:, :12] = True
    noise = np.random.default_rng(1).normal(0, 0.002, (4, 32, 32))
    soil, leaf = np.array([0.2, 0.18, 0.15, 0.25]), np.array([0.05, 0.12, 0.04, 0.45])
    values = np.where(plants, leaf[:, None, None], soil[:, None, None]) + noise
    source = write(tmp_path / "in.tif", values.astype("float32"), ("red", "green", "blue", "nir"))
    done = vegetation_mask(Unheard(), source, tmp_path / "ndvi.tif")
    assert (done.method, done.found) == ("NDVI", True)
    assert 0.2 <= (done.threshold or 0) <= 0.5
    assert ((read(tmp_path / "ndvi.tif")[0] == 1) == plants).all()
    vegetation_mask(Unheard(), source, tmp_path / "green.tif", method="excess_green")
    assert ((read(tmp_path / "green.tif")[0] == 1) == plants).mean() > 0.99
    grey = write(tmp_path / "grey.tif", values[:1].astype("float32"))
    with pytest.raises(RasterError, match="needs the bands red, green, blue"):
        vegetation_mask(Unheard(), grey, tmp_path / "none.tif")


def test_water_is_taken_by_what_the_bands_allow(tmp_path: Path) -> None:
    wet = np.zeros((64, 64), bool)
    wet[20:50, 10:40] = True
    random = np.random.default_rng(2)
    water, soil = (np.array(SPECTRA[each])[[1, 4]][:, None, None] for each in ("water", "bare soil"))
    values = np.where(wet, water, soil) * random.normal(1, 0.05, (2, 64, 64))
    optical = write(tmp_path / "optical.tif", values.astype("float32"), ("green", "swir16"))
    amplitude = np.sqrt(np.where(wet, 0.006, 0.1) * random.gamma(4, 0.25, (64, 64)))[np.newaxis]
    radar = write(tmp_path / "sar.tif", amplitude.astype("float32"), ("vv",))
    colour = write(tmp_path / "rgb.tif", picture(16, 16))
    pan = write(tmp_path / "pan.tif", np.ones((1, 8, 8), "uint8"), ("pan",))
    assert [suited(each) for each in (optical, radar, colour)] == ["index", "radar", "network"]
    for source, model in ((optical, "water-index"), (radar, "water-backscatter")):
        done = water_mask(Unheard(), source, tmp_path / "out.tif")
        said = read(tmp_path / "out.tif")[0] == 1
        assert done.model == model
        assert (said & wet).sum() / (said | wet).sum() > 0.9
    with pytest.raises(RasterError, match=r"pan.tif has pan\."):
        suited(pan)


def digital(wet: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Green and near infrared as bytes, each stretched on its own: land has an index above nought too."""
    random = np.random.default_rng(4)
    green, infrared = np.where(wet, 100, 140), np.where(wet, 25, 110)
    values = np.stack([green, infrared]) + random.normal(0, 5, (2, *wet.shape))
    return np.clip(np.rint(values), 0, 255).astype("uint8")


def test_in_digital_numbers_water_is_what_is_dark_in_infrared_and_it_is_said(tmp_path: Path) -> None:
    wet = np.zeros((64, 64), bool)
    wet[20:50, 10:40] = True
    source = write(tmp_path / "aerial.tif", digital(wet), ("green", "nir"))
    done = water_mask(Unheard(), source, tmp_path / "out.tif")
    assert (read(tmp_path / "out.tif")[0] == 1).tolist() == wet.tolist()
    assert (done.method, done.below, done.notes) == (
        "near infrared by tiles",
        True,
        (DIGITAL.format(name="near infrared"),),
    )
    assert done.threshold is not None and 30 < done.threshold < 100


def test_digital_numbers_with_a_scale_are_reflectance(tmp_path: Path) -> None:
    wet = np.zeros((64, 64), bool)
    wet[20:50, 10:40] = True
    source = write(tmp_path / "scaled.tif", digital(wet), ("green", "nir"))
    with rasterio.open(source, "r+") as opened:
        opened.scales = (0.004, 0.004)
    assert water_mask(Unheard(), source, tmp_path / "out.tif").method == "NDWI by tiles"


def test_digital_numbers_that_do_not_part_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "flat.tif", np.full((2, 64, 64), 90, dtype="uint8"), ("green", "nir"))
    with pytest.raises(RasterError, match="its near infrared does not part into dark water and bright land"):
        water_mask(Unheard(), source, tmp_path / "out.tif")


@pytest.mark.parametrize(
    ("day", "least", "most"), [("20100629", 26, 31), ("20140720", 27, 36), ("20190904", 29, 34)]
)
def test_ponds_of_aerial_pictures_are_found_whatever_their_stretch(
    tmp_path: Path, day: str, least: float, most: float
) -> None:
    """Of the cut of 2014, 76 % have a water index above nought, of 2010's 51 %.

    The bounds are the shares of dark near infrared on both sides of the gap in its histogram; in 2014, when
    it gives 31 to 36 %, the shores of the green lakes are missed.
    """
    values = read(real(f"naip/m_4709963_se_14_1_{day}.tif"))
    source = write(tmp_path / "naip.tif", values, ("red", "green", "blue", "nir"))
    water_mask(Unheard(), source, tmp_path / "out.tif")
    assert least < 100 * (read(tmp_path / "out.tif")[0] == 1).mean() < most
