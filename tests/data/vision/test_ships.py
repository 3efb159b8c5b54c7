"""Ships by CFAR: as many as there are, where they are, and none on land, in noise or without a value."""

from __future__ import annotations

from itertools import pairwise
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
from data.vision.ship_patches import FEATURES, Patch, chosen, whole
from data.vision.ship_scores import WEIGHTS, likened, score_of
from data.vision.ships import LEAST_LIKENESS, find_ships

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


def test_the_trees_are_of_the_features_that_are_measured_and_never_like_a_patch_less_for_standing_alone():
    import lightgbm

    from data.models.training.ships import LESS, MORE

    trees = [lightgbm.Booster(model_file=str(path)) for path in WEIGHTS]
    assert [tuple(each.feature_name()) for each in trees] == [FEATURES, FEATURES]
    rows = np.random.default_rng(3).uniform(-5, 40, (200, len(FEATURES)))
    steps = np.array([name in MORE for name in FEATURES], float) - [name in LESS for name in FEATURES]
    like = [likened(rows + by * steps, trees) for by in (0, 0.2, 1, 5, 25)]
    assert all((later >= earlier - 1e-12).all() for earlier, later in pairwise(like))
    assert (like[-1] > like[0]).any()


def test_a_ship_as_long_as_the_ring_of_clutter_around_it_is_found_whole(tmp_path):
    intensity = np.full((256, 256), 0.01)
    intensity[100:128, 20:230] = 0.2
    speckled = np.sqrt(intensity * np.random.default_rng(2).gamma(4, 1 / 4, intensity.shape))
    found = find_ships(
        Unheard(), write(tmp_path / "long.tif", speckled.astype(np.float32), place=False)
    ).found
    assert len(found) == 1
    low, high = found[0].outline.min(axis=0), found[0].outline.max(axis=0)
    assert np.abs(np.concatenate([low - (20, 100), high - (230, 128)])).max() < 6


def test_what_lies_in_the_box_of_a_larger_one_that_is_likely_a_ship_is_part_of_it():
    def patch(left: float, top: float, right: float, bottom: float, likeness: float) -> Patch:
        box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        where = (slice(0, 1), slice(0, 1))
        return Patch(where, np.ones((1, 1), bool), box, 0.0, None, [], None, likeness)

    mast, boat = patch(10, 4, 14, 6, 0.9), patch(200, 4, 214, 9, 0.6)
    for likeness, kept in ((0.5, 2), (0.35, 3)):
        hull = patch(0, 0, 100, 16, likeness)
        left = whole([mast, hull, boat])
        assert len(left) == kept and any(each is hull for each in left) and any(each is boat for each in left)


def test_the_likest_is_taken_without_what_it_holds_and_what_holds_it():
    def tree(whole: float, *parts: float) -> list[float]:
        where = (slice(0, 1), slice(0, 1))
        of = [None, *(0 for _ in parts)]
        nodes = [
            Patch(where, np.ones((1, 1), bool), np.zeros((4, 2)), 0.0, None, [], parent, likeness)
            for parent, likeness in zip(of, (whole, *parts), strict=True)
        ]
        nodes[0].parts = list(range(1, len(nodes)))
        return [each.likeness for each in chosen(nodes, LEAST_LIKENESS)]

    assert tree(0.7, 0.4, 0.4) == [0.7]
    assert tree(0.7, 0.6, 0.6) == [0.7]
    assert tree(0.4, 0.7, 0.6) == [0.7, 0.6]
    assert tree(0.65, 0.7, 0.1) == [0.7]
    assert tree(0.1, 0.1) == []


def test_half_a_ship_is_none_where_its_whole_was_a_patch_too():
    from data.models.training.ships import by_best

    overlaps = np.array([[0.6, 0.0], [0.3, 0.0], [0.57, 0.1], [0.0, 0.24], [0.0, 0.0]])
    assert by_best(overlaps).tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert by_best(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]
    assert by_best(np.array([[0.8], [0.6]])) == pytest.approx([1.0, (0.75 - 0.55) / 0.35])


def test_being_told_to_stop_stops_it(tmp_path):
    class Stop(Unheard):
        def tell(self, fraction: float, sentence: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        find_ships(Stop(), write(tmp_path / "sar.tif", amplitudes()))
