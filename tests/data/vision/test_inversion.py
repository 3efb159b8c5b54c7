"""Formulas against numbers worked by hand, and files against the formulas."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision import formulas
from data.vision.inversion import edges_of, invert
from tests.data.raster.made import read, write


def one(value: float) -> np.ndarray:
    return np.array([[value]])


def test_leaf_area_index_by_hand() -> None:
    # EVI = 2.5 x 0.40 / (0.45 + 0.30 - 0.30 + 1) = 0.689655; LAI = 3.618 EVI - 0.118.
    got = formulas.leaf_area_index(one(0.04), one(0.05), one(0.45))
    assert got[0, 0] == pytest.approx(3.618 * 0.6896552 - 0.118, rel=1e-6)


def test_chlorophyll_of_water_by_hand() -> None:
    # NDCI = 0.01 / 0.07 = 0.142857: 14.039 + 12.302143 + 3.965816.
    assert formulas.water_chlorophyll(one(0.03), one(0.04))[0, 0] == pytest.approx(30.306959, rel=1e-6)


def test_turbidity_switches_from_red_to_near_infrared_as_dogliotti_has_it() -> None:
    low = 228.1 * 0.03 / (1 - 0.03 / 0.1641)
    high = 3078.9 * 0.06 / (1 - 0.06 / 0.2112)
    assert (
        formulas.turbidity(one(0.03), one(0.01))[0, 0] == pytest.approx(low) == pytest.approx(8.374, abs=1e-3)
    )
    assert (
        formulas.turbidity(one(0.10), one(0.06))[0, 0] == pytest.approx(high) == pytest.approx(258.0, abs=0.1)
    )
    red = 228.1 * 0.06 / (1 - 0.06 / 0.1641)
    near = 3078.9 * 0.02 / (1 - 0.02 / 0.2112)
    assert formulas.turbidity(one(0.06), one(0.02))[0, 0] == pytest.approx((red + near) / 2)
    assert np.isinf(formulas.turbidity(one(0.10), one(0.22))[0, 0])


def test_emissivity_by_the_thresholds_of_sobrino() -> None:
    red, nir = np.array([0.3, 0.05, 0.1, 0.05]), np.array([0.33, 0.45, 0.1 * 1.35 / 0.65, 0.01])
    # NDVI 0.048, 0.8, 0.35 (Pv = 0.25) and below 0.
    np.testing.assert_allclose(formulas.emissivity(red, nir), [0.97, 0.99, 0.987, 0.991], atol=1e-9)


def test_planck_s_law_turned_round_gives_the_temperature_back() -> None:
    radiance = 774.8853 / (math.exp(1321.0789 / 300.0) - 1)
    assert formulas.brightness_temperature(one(radiance))[0, 0] == pytest.approx(300.0)
    # 300 K at emissivity 0.97: 300 / (1 + 10.895 x 300 / 14387.77 x ln 0.97) = 302.0905 K.
    assert formulas.surface_temperature(one(300.0), one(0.97))[0, 0] == pytest.approx(302.0905, abs=1e-3)


def test_the_single_channel_method_by_hand() -> None:
    w, t, e = 1.5, 295.0, 0.98
    psi = (
        0.04019 * w * w + 0.02916 * w + 1.01523,
        -0.38333 * w * w - 1.50294 * w + 0.20324,
        0.00918 * w * w + 1.36072 * w - 0.27514,
    )
    radiance = 774.8853 / (math.exp(1321.0789 / t) - 1)
    gamma = t * t / (1324 * radiance)
    expected = gamma * ((psi[0] * radiance + psi[1]) / e + psi[2]) + t - t * t / 1324
    assert formulas.single_channel(one(t), one(e), w)[0, 0] == pytest.approx(expected)
    assert 295 < expected < 303  # vapour hides some of the ground's warmth


def test_transformed_reflectance_lies_between_the_edges() -> None:
    wet, dry = formulas.transformed_swir(one(0.1))[0, 0], formulas.transformed_swir(one(0.4))[0, 0]
    assert (wet, dry) == (pytest.approx(4.05), pytest.approx(0.45))
    middle = formulas.between_edges(one(0.5), one(2.25), (dry, 0.0), (wet, 0.0))
    assert middle[0, 0] == pytest.approx(0.5)


NAMES = ("blue", "green", "red", "nir", "swir16", "swir22")


def scene(side: int = 40) -> np.ndarray:
    """(6, rows, columns) x 10,000 of fields from bare to green and dry to wet, with a pond."""
    random = np.random.default_rng(1)
    green, wet = random.random((2, side, side))
    bands = np.stack(
        [0.06 - 0.03 * green, 0.09 - 0.02 * green, 0.16 - 0.12 * green, 0.22 + 0.25 * green,
         0.36 - 0.2 * wet, 0.32 - 0.22 * wet]
    )  # fmt: skip
    bands[:, :10, :10] = np.array([0.05, 0.06, 0.04, 0.02, 0.005, 0.004])[:, None, None]
    return np.asarray((bands * 10_000).round(), np.uint16)


def test_a_file_gives_the_formula_s_numbers_cut_to_what_they_are_valid_for(tmp_path: Path) -> None:
    values = scene()
    values[:, 0, 39] = 0
    source = write(tmp_path / "s.tif", values, descriptions=NAMES, nodata=0)
    done = invert(Unheard(), source, tmp_path / "o.tif", "lai")
    blue, red, nir = (values[at] / 10_000 for at in (0, 2, 3))
    with np.errstate(invalid="ignore"):
        raw = 3.618 * 2.5 * (nir - red) / (nir + 6 * red - 7.5 * blue + 1) - 0.118
    expected = np.clip(raw, 0, 8)
    expected[0, 39] = np.nan
    np.testing.assert_allclose(read(tmp_path / "o.tif"), expected, rtol=1e-5)
    assert done.summary.mean == pytest.approx(np.nanmean(expected))
    assert done.beyond_percent == pytest.approx(100 * (raw < 0)[np.isfinite(expected)].mean())
    assert (done.unit, done.band_numbers) == ("m2/m2", {"blue": 1, "red": 3, "nir": 4})


def test_turbidity_is_of_the_pond_alone(tmp_path: Path) -> None:
    source = write(tmp_path / "s.tif", scene(), descriptions=NAMES)
    invert(Unheard(), source, tmp_path / "o.tif", "turbidity")
    made = read(tmp_path / "o.tif")
    assert np.isfinite(made[:10, :10]).all() and np.isnan(made[10:, 10:]).all()
    np.testing.assert_allclose(made[:10, :10], 228.1 * 0.04 / (1 - 0.04 / 0.1641), rtol=1e-5)


def test_soil_moisture_follows_the_water_that_was_put_in(tmp_path: Path) -> None:
    source = write(tmp_path / "s.tif", scene(), descriptions=NAMES)
    done = invert(Unheard(), source, tmp_path / "o.tif", "soil_moisture")
    made = read(tmp_path / "o.tif")
    wet = np.random.default_rng(1).random((2, 40, 40))[1]
    land = np.isfinite(made)
    assert done.method == "OPTRAM" and not land[:10, :10].any()
    # Linear in (1 - R)² / 2 R, so not in R: the order is what must be the same.
    order = np.corrcoef(made[land].argsort().argsort(), wet[land].argsort().argsort())[0, 1]
    assert order > 0.98 and done.beyond_percent < 5


def test_edges_enclose_the_points_and_cannot_cross() -> None:
    random = np.random.default_rng(2)
    index = random.random(5000)
    values = (1 + index) * random.random(5000) + index
    dry, wet = edges_of(index, values, dry_is_low=True)
    inside = (values >= dry[0] + dry[1] * index) & (values <= wet[0] + wet[1] * index)
    assert inside.mean() == pytest.approx(0.98, abs=0.005)
    assert wet[1] == pytest.approx(2, abs=0.15) and dry[1] == pytest.approx(1, abs=0.15)
    with pytest.raises(RasterError, match="too few pixels of land"):
        edges_of(np.empty(0), np.empty(0), dry_is_low=True)


def test_temperature_takes_kelvin_celsius_radiance_and_level_2_numbers(tmp_path: Path) -> None:
    kelvin = np.linspace(285, 315, 64).reshape(8, 8)
    emissivity = 0.97
    expected = kelvin / (1 + 10.895 * kelvin / 14_387.77 * math.log(emissivity))
    radiance = 774.8853 / (np.exp(1321.0789 / kelvin) - 1)
    forms = {
        "kelvin": kelvin, "celsius": kelvin - 273.15 - 30 * (kelvin < 286), "radiance": radiance,
        "level2": (kelvin - 149) / 0.00341802,
    }  # fmt: skip
    for name, thermal in forms.items():
        bands = np.stack([thermal, np.full((8, 8), 0.2), np.full((8, 8), 0.25)])
        source = write(tmp_path / f"{name}.tif", bands, descriptions=("lwir11", "red", "nir"))
        done = invert(Unheard(), source, tmp_path / "o.tif", "lst")
        warm = kelvin >= 286
        np.testing.assert_allclose(read(tmp_path / "o.tif")[warm], expected[warm], rtol=1e-4, err_msg=name)
        assert done.unit == "K"
    odd = write(tmp_path / "odd.tif", np.full((3, 8, 8), 120.0), descriptions=("lwir11", "red", "nir"))
    with pytest.raises(RasterError, match="neither kelvin nor radiance"):
        invert(Unheard(), odd, tmp_path / "o.tif", "lst")


def test_without_short_wave_infrared_moisture_comes_from_temperature(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    green, wet = random.random((2, 40, 40))
    bands = np.stack([310 - 6 * green - 14 * wet, 0.16 - 0.12 * green, 0.22 + 0.25 * green])
    source = write(tmp_path / "t.tif", bands, descriptions=("lwir11", "red", "nir"))
    done = invert(Unheard(), source, tmp_path / "o.tif", "soil_moisture")
    assert done.method == "TVDI"
    assert np.corrcoef(read(tmp_path / "o.tif").ravel(), wet.ravel())[0, 1] > 0.98


def test_chlorophyll_is_of_whatever_there_is_more_of(tmp_path: Path) -> None:
    names = ("green", "red", "rededge071", "rededge078", "nir")
    water = np.array([0.06, 0.03, 0.04, 0.02, 0.02])[:, None, None] * np.ones((5, 8, 8))
    crops = np.array([0.08, 0.04, 0.10, 0.35, 0.40])[:, None, None] * np.ones((5, 8, 8))
    lake = invert(
        Unheard(), write(tmp_path / "w.tif", water, descriptions=names), tmp_path / "o.tif", "chlorophyll"
    )
    assert (lake.unit, lake.summary.mean) == ("mg/m3", pytest.approx(30.306959, rel=1e-5))
    field = invert(
        Unheard(), write(tmp_path / "c.tif", crops, descriptions=names), tmp_path / "o.tif", "chlorophyll"
    )
    assert (field.unit, field.summary.mean) == ("1", pytest.approx(2.5))


def test_missing_bands_bytes_and_dry_land_are_said_in_a_sentence(tmp_path: Path) -> None:
    photo = write(tmp_path / "p.tif", np.ones((3, 8, 8), np.uint8), descriptions=("red", "green", "blue"))
    with pytest.raises(
        RasterError, match=r"Leaf area index needs the bands blue, red, nir, and which is nir"
    ):
        invert(Unheard(), photo, tmp_path / "o.tif", "lai")
    bytes_ = write(tmp_path / "b.tif", np.ones((3, 8, 8), np.uint8), descriptions=("red", "nir", "blue"))
    with pytest.raises(RasterError, match="the bands are bytes"):
        invert(Unheard(), bytes_, tmp_path / "o.tif", "lai")
    dry = write(tmp_path / "d.tif", scene()[:, 10:, 10:], descriptions=NAMES)
    with pytest.raises(RasterError, match="no pixel is water"):
        invert(Unheard(), dry, tmp_path / "o.tif", "turbidity")
