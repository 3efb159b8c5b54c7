"""What is claimed to be a ship: nothing without water, faint, or cut off along its side by the border."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benches.vision_radar import empty_pieces, f1, real_ships
from data.progress import Unheard
from data.vision.detect import detect
from data.vision.ships import find_ships
from data.vision.sighting import sighted
from tests.data.vision.test_ships import write
from tests.real_files import real

STEPS = list(range(4))


def speckled(intensity: np.ndarray, seed: int) -> np.ndarray:
    """Amplitudes of four looks."""
    random = np.random.default_rng(seed)
    return np.sqrt(intensity * random.gamma(4, 1 / 4, intensity.shape)).astype(np.float32)


def town(seed: int) -> np.ndarray:
    """Ground that changes from one plot of 10 pixels to the next, with houses of 8 x 24 pixels; no water."""
    random = np.random.default_rng(seed)
    ground = 0.02 * np.kron(10 ** random.normal(0, 0.45, (20, 20)), np.ones((10, 10)))
    for _ in range(14):
        row, column = random.integers(8, 160, 2)
        ground[row : row + 8, column : column + 24] = 2.0
    return ground


def sea(rows: slice, columns: slice, above_db: float) -> np.ndarray:
    """Even water with something brighter in it."""
    made = np.full((200, 200), 0.01)
    made[rows, columns] *= 10 ** (above_db / 10)
    return made


@pytest.mark.parametrize("seed", STEPS)
def test_where_nothing_is_even_enough_to_be_water_no_house_is_a_ship(tmp_path: Path, seed: int) -> None:
    path = write(tmp_path / "town.tif", speckled(town(seed), seed), place=False)
    ships = find_ships(Unheard(), path)
    assert (ships.found, ships.land, ships.water_share, ships.even) == ((), "no water", 0.0, False)
    notes = ("Nothing in it is even enough to be water, so no ship was looked for.",)
    for seen in (detect(Unheard(), path, model="ships-cfar"), sighted(Unheard(), path, "sar")):
        assert (seen.found, seen.notes) == ((), notes)


def test_who_goes_on_anyway_gets_what_is_bright_in_uneven_ground_and_that_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "town.tif", speckled(town(0), 0), place=False)
    ships = find_ships(Unheard(), path, anyway=True)
    assert ships.found and (ships.land, ships.even) == ("brightness", False)


@pytest.mark.parametrize("seed", STEPS)
def test_a_shore_that_the_border_cuts_off_is_counted_and_no_ship(tmp_path: Path, seed: int) -> None:
    shore = speckled(sea(slice(190, 200), slice(60, 130), 17), seed)
    ships = find_ships(Unheard(), write(tmp_path / "shore.tif", shore, place=False))
    assert (ships.found, ships.faint, ships.cut_off) == ((), 0, 1)
    assert ships.notes == ("Left out, though shaped as ships: 1 cut off by the image's border.",)


@pytest.mark.parametrize("seed", STEPS)
def test_a_ship_whose_end_the_border_cuts_off_is_one(tmp_path: Path, seed: int) -> None:
    ship = speckled(sea(slice(150, 200), slice(90, 106), 20), seed)
    ships = find_ships(Unheard(), write(tmp_path / "ship.tif", ship, place=False))
    assert (len(ships.found), ships.faint, ships.cut_off, ships.notes) == (1, 0, 0, ())


@pytest.mark.parametrize("seed", STEPS)
def test_a_breakwater_as_faint_as_land_is_counted_and_no_ship(tmp_path: Path, seed: int) -> None:
    for above_db, counts in ((10.5, (0, 1, 0)), (16.0, (1, 0, 0))):
        thing = speckled(sea(slice(90, 102), slice(60, 120), above_db), seed)
        ships = find_ships(Unheard(), write(tmp_path / "thing.tif", thing, place=False))
        assert (len(ships.found), ships.faint, ships.cut_off) == counts


def test_of_real_pieces_without_a_ship_one_in_twenty_gets_one_and_none_is_lost() -> None:
    folder = real("sar_ships")
    claimed, pieces = empty_pieces(100, folder)
    assert pieces == 95 and claimed < 0.05 * pieces
    found, said, ships = (
        sum(each) for each in zip(*(row[1:] for row in real_ships(None, folder)), strict=True)
    )
    assert (found, ships) == (11, 18) and f1(found, said, ships)[0] > 0.65
