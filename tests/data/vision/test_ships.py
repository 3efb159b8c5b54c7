"""Ships by CFAR: as many as there are, where they are, and none on land, in noise or without a value."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from affine import Affine
from shapely.geometry import box

from data.progress import Cancelled, Unheard
from data.raster.errors import RasterError
from data.uploads.gdal import quiet_gdal
from data.vision.ship_patches import FEATURES, Patch, chosen
from data.vision.ship_scores import WEIGHTS, Trees, likened, score_of, trees_of
from data.vision.ships import find_ships, worth_of

PLACE = Affine(10, 0, 600_000, 0, -10, 5_760_000)
SHIPS = ((40, 20), (60, 70), (80, 44))
"""Row and column of the upper left corner of ships of 2 x 6 pixels."""


def amplitudes(seed: int = 5, ships: tuple[tuple[int, int], ...] = SHIPS, land_rows: int = 20) -> np.ndarray:
    """Sea of four looks, land above, ships far brighter than both."""
    random = np.random.default_rng(seed)
    intensity = np.full((96, 96), 0.01)
    intensity[:land_rows] = 0.3
    for row, column in ships:
        intensity[row : row + 2, column : column + 6] = 4.0
    return np.sqrt(intensity * random.gamma(4, 1 / 4, intensity.shape)).astype(np.float32)


def write(path: Path, values: np.ndarray, place: bool = True, nodata: float | None = None) -> Path:
    profile = {"driver": "GTiff", "count": 1, "height": values.shape[0], "width": values.shape[1]}
    where = {"crs": "EPSG:32631", "transform": PLACE} if place else {}
    with (
        quiet_gdal(),
        rasterio.open(path, "w", dtype=values.dtype, nodata=nodata, **profile, **where) as target,
    ):
        target.write(values, 1)
    return path


def middles(found) -> list[list[int]]:
    return sorted(np.round(each.outline.mean(axis=0)).astype(int).tolist() for each in found)


EXPECTED = sorted([column + 3, row + 1] for row, column in SHIPS)


def near(found, expected=EXPECTED) -> bool:
    """Whether each middle lies within a pixel and a half of one that is expected, in the same number."""
    got = middles(found)
    return len(got) == len(expected) and bool(np.abs(np.subtract(got, expected)).max() <= 1.5)


def test_the_ships_on_the_sea_are_found_and_nothing_on_land(tmp_path):
    ships = find_ships(Unheard(), write(tmp_path / "sar.tif", amplitudes()))
    assert near(ships.found), middles(ships.found)
    assert ships.land == "brightness" and ships.water_share == pytest.approx(76 / 96, abs=0.03)


def test_decibels_give_the_same_ships_as_amplitudes(tmp_path):
    decibels = (20 * np.log10(amplitudes())).astype(np.float32)
    assert near(find_ships(Unheard(), write(tmp_path / "db.tif", decibels)).found)


def test_a_sea_without_ships_has_none(tmp_path):
    for seed in range(3):
        image = write(tmp_path / f"{seed}.tif", amplitudes(seed, ships=(), land_rows=0))
        assert find_ships(Unheard(), image).found == ()


def test_land_that_is_given_hides_what_lies_on_it(tmp_path):
    image = write(tmp_path / "sar.tif", amplitudes(land_rows=0))
    south = box(600_000, 5_760_000 - 960, 600_960, 5_760_000 - 720)
    land = gpd.GeoDataFrame(geometry=[south], crs="EPSG:32631").to_crs("EPSG:4326")
    land.to_parquet(tmp_path / "land.parquet")
    ships = find_ships(Unheard(), image, land=tmp_path / "land.parquet")
    assert ships.land == "given"
    assert near(ships.found, sorted([column + 3, row + 1] for row, column in SHIPS[:2]))


def test_an_image_without_a_place_works_and_cannot_take_polygons_of_land(tmp_path):
    image = write(tmp_path / "sar.tif", np.kron(amplitudes(), np.ones((4, 4), np.float32)), place=False)
    assert len(find_ships(Unheard(), image).found) == 3
    gpd.GeoDataFrame(geometry=[box(0, 0, 1, 1)], crs="EPSG:4326").to_parquet(tmp_path / "land.parquet")
    with pytest.raises(RasterError, match="no place on the ground"):
        find_ships(Unheard(), image, land=tmp_path / "land.parquet")


def test_pixels_without_a_value_are_no_ships_and_an_empty_image_says_so(tmp_path):
    values = amplitudes()
    values[50:70, 60:90] = -9999
    kept = sorted([column + 3, row + 1] for row, column in (SHIPS[0], SHIPS[2]))
    assert near(find_ships(Unheard(), write(tmp_path / "hole.tif", values, nodata=-9999)).found, kept)
    empty = write(tmp_path / "empty.tif", np.full((32, 32), -9999, np.float32), nodata=-9999)
    with pytest.raises(RasterError, match="no pixel with a value"):
        find_ships(Unheard(), empty)


def test_a_score_never_falls_as_the_likeness_grows():
    scores = [score_of(each) for each in np.linspace(0, 1, 50)]
    assert scores == sorted(scores) and scores[0] < 0.1 and 0.9 < scores[-1] <= 1


def test_the_trees_say_what_lightgbm_says_of_the_same_text():
    import lightgbm

    text = WEIGHTS.read_text(encoding="utf-8")
    booster = lightgbm.Booster(model_str=text)
    assert tuple(booster.feature_name()) == FEATURES
    rows = np.random.default_rng(3).uniform(-20, 60, (200, len(FEATURES)))
    assert np.allclose(trees_of(text).predicted(rows), booster.predict(rows), rtol=0, atol=1e-12)


def test_the_trees_cannot_overrule_a_lone_bright_target_on_open_water_and_can_one_beside_others():
    alone = {
        "length_m": 60, "width_m": 20, "drawn_out": 3, "full": 1, "area_m2": 1200, "contrast_db": 24,
        "around_150_bright": 0.01, "around_150_water": 0.97,
    }  # fmt: skip
    others = ({"around_150_bright": 0.2}, {"far_side_high_db": 9}, {"around_150_water": 0.5})
    rows = np.array(
        [[row.get(name, 0.0) for name in FEATURES] for row in (alone, *(alone | each for each in others))]
    )
    one = np.zeros((1, 1), np.int64)
    never = Trees(one, one.astype(float), one - 1, one - 2, np.full((1, 2), -20.0))
    assert likened(rows, never).round(6).tolist() == [0.5, 0, 0, 0]


def test_the_whole_is_taken_over_its_halves_and_two_ships_over_what_holds_both():
    def tree(whole: float, *parts: float) -> list[float]:
        where = (slice(0, 1), slice(0, 1))
        of = [None, *(0 for _ in parts)]
        nodes = [
            Patch(where, np.ones((1, 1), bool), np.zeros((4, 2)), 0.0, None, [], parent, likeness)
            for parent, likeness in zip(of, (whole, *parts), strict=True)
        ]
        nodes[0].parts = list(range(1, len(nodes)))
        return [each.likeness for each in chosen(nodes, worth_of)]

    assert tree(0.7, 0.4, 0.4) == [0.7]
    assert sorted(tree(0.4, 0.7, 0.6)) == [0.6, 0.7]
    assert tree(0.1, 0.1) == []


def test_being_told_to_stop_stops_it(tmp_path):
    class Stop(Unheard):
        def tell(self, fraction: float, sentence: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        find_ships(Stop(), write(tmp_path / "sar.tif", amplitudes()))
