"""Floods: the water that was not there before, from radar and from optical images, and not on slopes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision import water_borders
from data.vision.flood import FLOOD, PERMANENT, map_flood
from data.vision.radar_water import Dark
from data.vision.water import water_mask
from data.vision.water_borders import Parted, rise_across
from data.vision.whole_split import Whole, median_db
from tests.real_files import real

PLACE = Affine(10, 0, 600_000, 0, -10, 5_760_000)


def write(path: Path, bands: np.ndarray, names: tuple[str, ...] = ()) -> Path:
    profile = {"driver": "GTiff", "count": len(bands), "height": bands.shape[1], "width": bands.shape[2]}
    with rasterio.open(path, "w", dtype=bands.dtype, crs="EPSG:32631", transform=PLACE, **profile) as target:
        target.write(bands)
        for number, name in enumerate(names, start=1):
            target.set_band_description(number, name)
    return path


def radar(wet: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    intensity = np.where(wet, 0.008, 0.1) * random.gamma(4, 1 / 4, wet.shape)
    return np.sqrt(intensity).astype(np.float32)[None]


def optical(wet: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    green, infrared = np.where(wet, 0.06, 0.08), np.where(wet, 0.01, 0.25)
    return (np.stack([green, infrared]) * random.normal(1, 0.03, (2, *wet.shape))).astype(np.float32)


LAKE = np.zeros((64, 64), bool)
LAKE[:, :16] = True
FLOODED = LAKE.copy()
FLOODED[20:50, 16:40] = True


def classes(path: Path) -> np.ndarray:
    with rasterio.open(path) as source:
        return source.read(1)


def overlap(mask: np.ndarray, truth: np.ndarray) -> float:
    return float((mask & truth).sum() / (mask | truth).sum())


@pytest.mark.parametrize("kind", [radar, optical])
def test_a_pair_tells_flood_from_permanent_water(tmp_path, kind):
    names = ("green", "swir16") if kind is optical else ("vv",)
    before = write(tmp_path / "before.tif", kind(LAKE, 1), names)
    after = write(tmp_path / "after.tif", kind(FLOODED, 2), names)
    made = map_flood(Unheard(), after, tmp_path / "flood.tif", before)
    found = classes(tmp_path / "flood.tif")
    assert made.kind == ("optical" if kind is optical else "sar")
    assert overlap(found == FLOOD, FLOODED & ~LAKE) > 0.85
    assert overlap(found == PERMANENT, LAKE) > 0.85


def test_one_radar_image_gives_all_water(tmp_path):
    after = write(tmp_path / "after.tif", radar(FLOODED, 2), ("vv",))
    map_flood(Unheard(), after, tmp_path / "flood.tif")
    assert overlap(classes(tmp_path / "flood.tif") == FLOOD, FLOODED) > 0.9


def test_dry_land_alone_is_not_split_into_water_and_land(tmp_path):
    after = write(tmp_path / "after.tif", radar(np.zeros((64, 64), bool), 3), ("vv",))
    made = map_flood(Unheard(), after, tmp_path / "flood.tif")
    assert made.threshold is None
    assert not (classes(tmp_path / "flood.tif") == FLOOD).any()


def test_no_flood_stands_on_a_slope(tmp_path):
    after = write(tmp_path / "after.tif", radar(FLOODED, 2), ("vv",))
    heights = np.tile(np.arange(64, dtype=np.float32) * 5, (64, 1))[None]
    dem = write(tmp_path / "dem.tif", heights)
    map_flood(Unheard(), after, tmp_path / "flood.tif", dem=dem)
    assert not (classes(tmp_path / "flood.tif")[2:-2, 2:-2] == FLOOD).any()


def test_a_colour_picture_is_refused_with_what_would_work(tmp_path):
    picture = write(tmp_path / "rgb.tif", np.zeros((3, 8, 8), np.uint8), ("red", "green", "blue"))
    with pytest.raises(RasterError, match="green and swir16 or nir"):
        map_flood(Unheard(), picture, tmp_path / "flood.tif")


def digital(wet: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = np.stack([np.where(wet, 100, 140), np.where(wet, 25, 110)]) + random.normal(
        0, 5, (2, *wet.shape)
    )
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def test_a_flood_in_digital_numbers_is_what_became_dark_in_infrared(tmp_path):
    before = write(tmp_path / "before.tif", digital(LAKE, 1), ("green", "nir"))
    after = write(tmp_path / "after.tif", digital(FLOODED, 2), ("green", "nir"))
    made = map_flood(Unheard(), after, tmp_path / "flood.tif", before)
    found = classes(tmp_path / "flood.tif")
    assert overlap(found == FLOOD, FLOODED & ~LAKE) > 0.95 and overlap(found == PERMANENT, LAKE) > 0.95
    assert (made.method, made.below) == ("near infrared by tiles, two dates", True)
    assert 30 < made.threshold < 100 and 30 < made.threshold_before < 100
    assert made.notes[0].startswith("The image holds digital numbers (bytes without a scale)")


@pytest.mark.parametrize("name", ["pan1.tif", "road_mask_input.tif"])
def test_a_panchromatic_picture_is_not_taken_for_radar(tmp_path, name):
    picture = real(f"spacenet/{name}")
    with pytest.raises(
        RasterError, match=f"{name} is panchromatic and no radar image; water is told from land"
    ):
        map_flood(Unheard(), picture, tmp_path / "flood.tif")
    with pytest.raises(RasterError, match="is panchromatic and no radar image"):
        water_mask(Unheard(), picture, tmp_path / "water.tif")
    assert (
        water_mask(Unheard(), picture, tmp_path / "water.tif", method="radar").method
        == "backscatter by tiles"
    )


def test_heights_are_not_taken_for_radar(tmp_path):
    with pytest.raises(RasterError, match=r"dtm\.tif holds heights or a quantity and no radar image"):
        map_flood(Unheard(), real("elevation/dtm.tif"), tmp_path / "flood.tif")


def scene_db(
    wet: np.ndarray, water_db: float, land_db: tuple[float, ...], spread: float, seed: int
) -> np.ndarray:
    """Decibels of one look of land of several kinds, in stripes, with water in it."""
    random = np.random.default_rng(seed)
    stripes = np.repeat(np.array(land_db), -(-wet.shape[0] // len(land_db)))[: wet.shape[0], None]
    level = np.where(wet, water_db, np.broadcast_to(stripes, wet.shape)) + random.normal(0, 0.5, wet.shape)
    speckle = 10 * np.log10(random.gamma(4, 1 / 4, wet.shape))
    return (level + spread * speckle).astype(np.float32)[None]


SAID = re.compile(r"by (\d+\.\d) deviations, across that of .* by (\d+\.\d)\.$")


def mapped(tmp_path: Path, decibels: np.ndarray, choose: Callable[..., Parted] | None = None):
    """The water that is found, and what is told of it; `choose` takes a way in any case."""
    image = write(tmp_path / "a.tif", decibels, ("VV",))
    with pytest.MonkeyPatch.context() as patch:
        if choose is not None:
            patch.setattr(water_borders, "_of_both", choose)
        return map_flood(Unheard(), image, tmp_path / "f.tif"), classes(tmp_path / "f.tif") == FLOOD


def both_ways(tmp_path: Path, decibels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The water by tiles and by Otsu's threshold of the whole."""
    by_tiles = mapped(tmp_path, decibels, lambda whole, dark, *_: water_borders._by_tiles(dark, "asked"))
    by_otsu = mapped(tmp_path, decibels, lambda whole, *_: Parted(whole.threshold, True, 0, "Asked."))
    return by_tiles[1], by_otsu[1]


def rough_lake() -> tuple[np.ndarray, np.ndarray]:
    """Decibels of a lake that wind roughens along a half of it, and where the lake is."""
    wet = np.zeros((256, 256), bool)
    wet[:, 90:190] = True
    decibels = scene_db(wet, -21.0, (-9.0, -11.0), 1.0, 1)
    decibels[0][wet & (np.arange(256) < 140)] += 3.0
    return decibels, wet


def wet_fields() -> tuple[np.ndarray, np.ndarray]:
    """Decibels of a lake between fields of which the wettest are nearly as dark, and where the lake is."""
    wet = np.zeros((256, 256), bool)
    wet[:, 100:190] = True
    return scene_db(wet, -21.0, (-10.0, -14.5, -16.5), 1.6, 2), wet


def test_of_tiles_and_otsu_the_border_across_which_backscatter_rises_more_is_taken(tmp_path):
    for (decibels, wet), taken in ((rough_lake(), "median and Otsu"), (wet_fields(), "backscatter by tiles")):
        made, found = mapped(tmp_path, decibels)
        shares = [overlap(each, wet) for each in both_ways(tmp_path, decibels)]
        worse, better = sorted(shares)
        assert better > worse + 0.02
        assert made.method == taken
        assert overlap(found, wet) == better
        rises = SAID.search(made.notes[0])
        assert rises is not None and float(rises[1]) > float(rises[2]), made.notes


def test_the_answer_says_which_way_was_taken_and_why(tmp_path):
    made, _ = mapped(tmp_path, rough_lake()[0])
    assert made.notes[0].startswith(
        "Its threshold is Otsu's of the whole image after a median of 5 pixels, since across its border "
        "backscatter rises by "
    )
    made, _ = mapped(tmp_path, wet_fields()[0])
    assert made.notes[0].startswith(
        "Its threshold comes from tiles of it, since across their border backscatter rises by "
    )


def test_land_that_is_as_dark_as_rough_water_stays_dry_where_nothing_else_shows_water(tmp_path):
    dry = np.zeros((256, 256), bool)
    made, found = mapped(tmp_path, scene_db(dry, -21.0, (-8.0, -17.0), 1.0, 3))
    assert not found.any()
    said = "since the darker class of the whole is no still water (over -19 dB)."
    assert made.notes == (f"Its threshold comes from tiles of it, {said}",)


def test_rough_water_is_found_where_calm_water_shows_that_there_is_some(tmp_path):
    wet = np.zeros((256, 256), bool)
    wet[:, 60:220] = True
    decibels = scene_db(wet, -18.0, (-7.0, -9.0), 1.0, 4)
    decibels[0][wet & (np.arange(256) > 190)] -= 4.0
    made, found = mapped(tmp_path, decibels)
    assert made.method == "median and Otsu" and overlap(found, wet) > 0.97


def test_land_without_water_stays_dry_whatever_otsu_makes_of_it(tmp_path):
    dry = np.zeros((256, 256), bool)
    made, found = mapped(tmp_path, scene_db(dry, -21.0, (-8.0, -13.0), 1.0, 3))
    assert not found.any()
    said = "since the darker class of the whole is no water (over -15.6 dB)."
    assert made.notes == (f"Its threshold comes from tiles of it, {said}",)


def test_a_border_that_cuts_through_noise_rises_less_than_one_that_is_there(tmp_path):
    random = np.random.default_rng(5)
    wet = np.zeros((128, 128), bool)
    wet[:, 40:90] = True
    plain = write(
        tmp_path / "a.tif", (np.where(wet, -20, -10) + random.normal(0, 2, (1, 128, 128))).astype("f4")
    )
    noise = write(tmp_path / "n.tif", random.normal(-10, 2, (1, 128, 128)).astype("f4"))
    with rasterio.open(noise) as source:
        cut = median_db(source.read(1)) < -10
    there, made_up = (
        rise_across(each, write(tmp_path / f"{number}.tif", mask.astype(np.uint8)[None]))
        for number, (each, mask) in enumerate(((plain, wet), (noise, cut)))
    )
    assert there > 3 * made_up > 0
    everywhere = write(tmp_path / "all.tif", np.ones((1, 128, 128), np.uint8))
    assert rise_across(plain, everywhere) is None


def test_where_tiles_show_no_border_otsu_is_taken_only_with_two_humps_around_it():
    nothing = Dark(None, np.zeros((1, 1), bool), 1, 0)
    clear, unclear = Whole(-15.0, True, "its humps part"), Whole(-15.0, False, "it has one hump")
    assert water_borders._of_both(clear, nothing, 4.0, None) == Parted(
        -15.0, True, 0,
        "Its threshold is Otsu's of the whole image after a median of 5 pixels, since its humps part.",
    )  # fmt: skip
    assert water_borders._of_both(unclear, nothing, 4.0, None) == Parted(
        None, False, 0, "Its threshold comes from tiles of it, since it has one hump."
    )


def test_pixels_that_show_the_shadows_of_buildings_are_not_parted_as_a_whole(tmp_path):
    wet = np.zeros((256, 256), bool)
    wet[:, 90:190] = True
    image = write(tmp_path / "a.tif", scene_db(wet, -21.0, (-9.0, -11.0), 1.0, 1), ("VV",))
    with rasterio.open(image, "r+") as target:
        target.transform = Affine(1, 0, 600_000, 0, -1, 5_760_000)
    made = map_flood(Unheard(), image, tmp_path / "f.tif")
    assert (made.method, made.notes[0]) == (
        "backscatter by tiles",
        "Its threshold comes from tiles of it, since pixels of 1 m show shadows as dark as water.",
    )
