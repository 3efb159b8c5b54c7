from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import rasterio
from affine import Affine
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from data.models.card import Input
from data.models.layouts import Found
from data.models.preparing import Preparation
from data.progress import Cancelled, Unheard
from data.raster.errors import RasterError
from data.vision.boxes import corners_of, iou_table, kept_by_nms, upright
from data.vision.detect import seen_by
from data.vision.tiled import Plan, batches, places_of, starts

WIDTH, HEIGHT = 150, 110
NORTH_UP = Affine(2, 0, 500, 0, -2, 900)
TAKES = Input(modality=("optical",), bands=("pan",), scaling="raw")

Rectangle = tuple[int, int, int, int]


def image_of(rectangles: list[Rectangle], path: Path) -> Path:
    """Bright rectangles on black; of two that would touch the later is left out."""
    pixels = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
    for left, top, width, height in rectangles:
        right, bottom = min(WIDTH, left + width), min(HEIGHT, top + height)
        if not pixels[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2].any():
            pixels[top:bottom, left:right] = 255
    with rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype="uint8", blockxsize=64,
        blockysize=64, tiled=True, transform=NORTH_UP,
    ) as target:  # fmt: skip
        target.write(pixels, 1)
    return path


def plan(image: Path, side: int, overlap: int) -> Plan:
    prepare = Preparation(TAKES, (0.0,), (1.0,))
    return Plan(
        image, (1,), prepare, WIDTH, HEIGHT, 1.0, 1.0, side, places_of(WIDTH, HEIGHT, side, overlap), 4
    )


def now(batch: NDArray[np.float32]) -> Future[Any]:
    answer: Future[Any] = Future()
    answer.set_result(batch)
    return answer


def bright(batch: NDArray[np.float32]) -> list[Found]:
    """Each bright part of a window as an exact box: what a perfect detector would say of what it sees."""
    found = []
    for window in batch:
        _, _, stats, _ = cv2.connectedComponentsWithStats((window[0] > 100).astype(np.uint8), connectivity=8)
        left, top, width, height, _ = stats[1:].T.astype(float)
        boxes = np.stack([left + width / 2, top + height / 2, width, height, 0 * left], axis=1)
        count = len(boxes)
        found.append(Found(corners_of(boxes), np.zeros(count, np.int64), np.full(count, 0.9)))
    return found


def boxes_found(image: Path, side: int, overlap: int) -> list[tuple[float, ...]]:
    """Left, top, right, bottom of what is found, in order."""
    seen = seen_by(Unheard(), plan(image, side, overlap), now, bright, cut_px=1.5)
    low, high = seen.corners.min(axis=1), seen.corners.max(axis=1)
    return sorted(tuple(each) for each in np.round(np.hstack([low, high]), 6).tolist())


rectangles = st.lists(
    st.tuples(st.integers(0, WIDTH - 2), st.integers(0, HEIGHT - 2), st.integers(2, 60), st.integers(2, 60)),
    max_size=12,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(rectangles, st.integers(40, 96), st.floats(0.25, 0.5))
@example([(40, 30, 60, 4), (10, 60, 90, 40)], 40, 0.25)
def test_what_is_found_does_not_depend_on_where_the_seams_fall(
    tmp_path: Path, drawn: list[Rectangle], side: int, overlap: float
) -> None:
    image = image_of(drawn, tmp_path / "bright.tif")
    whole = boxes_found(image, 160, 0)
    assert boxes_found(image, side, round(side * overlap)) == whole


@given(st.integers(1, 500), st.integers(16, 200), st.floats(0, 0.9))
def test_windows_cover_every_column_and_lie_inside(length: int, side: int, share: float) -> None:
    overlap = int(side * share)
    found = starts(length, side, overlap)
    covered = np.zeros(length, dtype=bool)
    for start in found:
        covered[start : start + side] = True
    assert covered.all()
    assert all(start >= 0 and start + min(side, length) <= length for start in found)
    assert len(set(found)) == len(found)


def test_windows_without_a_value_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "half.tif"
    pixels = np.zeros((1, 64, 128), dtype=np.uint8)
    pixels[:, :, 64:] = 9
    with rasterio.open(
        path, "w", driver="GTiff", width=128, height=64, count=1, dtype="uint8", nodata=0, transform=NORTH_UP
    ) as target:
        target.write(pixels)
    prepare = Preparation(TAKES, (0.0,), (1.0,))
    half = Plan(path, (1,), prepare, 128, 64, 1.0, 1.0, 64, places_of(128, 64, 64, 0), 4)
    read = list(batches(half))
    assert [(each.skipped, [place.left for place in each.places]) for each in read] == [(1, [64])]


def test_a_file_that_is_broken_half_way_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = image_of([(0, 0, 140, 100)], tmp_path / "cut.tif")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(RasterError) as told:
        boxes_found(path, 64, 16)
    assert str(told.value).startswith("cut.tif") and str(told.value).endswith(".")


def test_a_job_that_is_told_to_stop_stops_between_windows(tmp_path: Path) -> None:
    class Stopping(Unheard):
        told = 0

        def tell(self, fraction: float, sentence: str) -> None:
            self.told += 1
            if self.told == 2:
                raise Cancelled

    progress = Stopping()
    image = image_of([], tmp_path / "dark.tif")
    with pytest.raises(Cancelled):
        seen_by(progress, plan(image, 32, 8), now, bright)
    assert progress.told == 2


def test_neighbours_that_a_seam_cuts_stay_two(tmp_path: Path) -> None:
    side_by_side = [(10, 20, 120, 8), (10, 31, 120, 8)]
    image = image_of(side_by_side, tmp_path / "two.tif")
    assert boxes_found(image, 48, 12) == [(10, 20, 130, 28), (10, 31, 130, 39)]


def test_the_share_of_two_turned_boxes_is_that_of_geometry() -> None:
    square = corners_of([[0, 0, 2, 2, 0]])
    turned = corners_of([[0, 0, 2, 2, np.pi / 4]])
    octagon = 8 * (
        np.sqrt(2) - 1
    )  # the regular octagon that a square and the same turned by 45 degrees share
    assert iou_table(square, turned)[0, 0] == pytest.approx(octagon / (8 - octagon))


def test_of_boxes_that_lie_on_each_other_the_best_of_each_class_stays() -> None:
    corners = corners_of([[0, 0, 10, 4, 0.3], [0.2, 0, 10, 4, 0.3], [0, 0, 10, 4, 0.3], [40, 0, 10, 4, 0.3]])
    kept = kept_by_nms(corners, np.array([0, 0, 1, 0]), np.array([0.5, 0.9, 0.4, 0.3]))
    assert kept.tolist() == [1, 2, 3]


def test_an_upright_box_holds_the_turned_one() -> None:
    turned = corners_of([[5, 5, 4, 2, np.pi / 2]])
    assert upright(turned)[0].round(9).tolist() == [[4, 3], [6, 3], [6, 7], [4, 7]]
