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
