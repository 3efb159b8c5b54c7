"""Floods: the water that was not there before, from radar and from optical images, and not on slopes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.flood import FLOOD, PERMANENT, map_flood
from data.vision.water import water_mask
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


def test_a_histogram_of_two_humps_is_parted_by_otsu_after_a_median_and_the_answer_says_so(tmp_path):
    wet = np.zeros((256, 256), bool)
    wet[:, 90:190] = True
    image = write(tmp_path / "a.tif", scene_db(wet, -21.0, (-9.0, -11.0), 1.0, 1), ("VV",))
    made = map_flood(Unheard(), image, tmp_path / "f.tif")
    assert made.method == "median and Otsu" and -18 < made.threshold < -13
    assert made.notes[0].startswith(
        "Its threshold is Otsu's of the whole image after a median of 5 pixels, since "
    )
    assert overlap(classes(tmp_path / "f.tif") == FLOOD, wet) > 0.97


@pytest.mark.parametrize(
    ("width", "land", "why"),
    [
        (8, (-9.0, -11.0), "since "),  # a river: too small a class to leave a hump
        (90, (-10.0, -14.5, -16.5), "in a valley of its histogram"),  # wet fields fill the valley
    ],
)
def test_elsewhere_tiles_tell_the_water_and_the_answer_says_so(tmp_path, width, land, why):
    wet = np.zeros((256, 256), bool)
    wet[:, 100 : 100 + width] = True
    image = write(tmp_path / "a.tif", scene_db(wet, -21.0, land, 1.6, 2), ("VV",))
    made = map_flood(Unheard(), image, tmp_path / "f.tif")
    assert made.method == "backscatter by tiles"
    assert made.notes[0].startswith("Its threshold comes from tiles of it, since ") and why in made.notes[0]


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
