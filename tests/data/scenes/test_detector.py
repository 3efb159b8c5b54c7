"""The detector trained on rendered scenes: how it is scored, what it learns from, and what it finds."""

from __future__ import annotations

import numpy as np
import pytest

from data.models.registry import WEIGHTS
from data.models.training.scoring import Boxes, Detector, average_precision, boxes_of
from data.models.training.streaming import crop, example, example_scene, kept, xywhr
from data.scenes import CLASSES
from data.vision.boxes import corners_of


def boxes(places: list[float], scores: list[float] | None = None, label: int = 0) -> Boxes:
    corners = corners_of([[x, 10.0, 8.0, 4.0, 0.3] for x in places])
    return Boxes(corners, np.full(len(places), label), np.array(scores or [1.0] * len(places)))


def test_average_precision_of_all_found_and_nothing_else_is_one():
    truth = boxes([10, 30, 50])
    assert average_precision([truth], [boxes([10, 30, 50], [0.9, 0.8, 0.7])], 0) == pytest.approx(1.0)


def test_average_precision_is_the_area_under_the_envelope_worked_by_hand():
    # Sure to unsure: hit, miss, hit of three: recall 1/3 at precision 1, 2/3 at 2/3, and no further.
    found = boxes([10, 90, 30], [0.9, 0.8, 0.7])
    assert average_precision([boxes([10, 30, 50])], [found], 0) == pytest.approx(1 / 3 * 1 + 1 / 3 * 2 / 3)


def test_a_true_box_is_found_once():
    twice = boxes([10, 10.1], [0.9, 0.8])
    assert average_precision([boxes([10, 50])], [twice], 0) == pytest.approx(0.5)


def test_a_class_that_is_not_there_has_no_precision():
    assert average_precision([boxes([10])], [boxes([10])], 3) is None


@pytest.mark.parametrize("angle", [-0.7, 0.0, 0.4, 1.5, 2.3])
def test_a_box_becomes_middle_sides_and_angle_and_back(angle: float):
    corners = corners_of([[30.0, 20.0, 12.0, 5.0, angle]])[0]
    assert xywhr(corners) == pytest.approx([30.0, 20.0, 12.0, 5.0, angle])


def test_a_box_cut_by_the_border_keeps_its_direction_and_what_is_inside():
    corners = corners_of([[0.0, 32.0, 20.0, 6.0, 0.0], [-9.0, 10.0, 20.0, 6.0, 0.0]])
    boxes_left, labels = kept(corners, np.array([1, 2]), 64)
    assert boxes_left.tolist() == [[5.0, 32.0, 10.0, 6.0, 0.0]]
    assert labels.tolist() == [1]


def test_a_crop_shows_its_objects_where_its_boxes_are():
    made = example(700_004, 192)
    image = np.zeros_like(made.image)
    for x, y, *_ in (xywhr(each) for each in made.corners):
        if 4 < x < 188 and 4 < y < 188:
            image[int(y) - 2 : int(y) + 3, int(x) - 2 : int(x) + 3] = 255
    marked = type(made)(image, made.corners, made.classes)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        pixels, found, _ = crop(marked, 96, rng)
        whole = [box for box in found if 8 < box[0] < 88 and 8 < box[1] < 88]
        for x, y, *_ in whole:
            patch = pixels[int(y) - 4 : int(y) + 5, int(x) - 4 : int(x) + 5]
            assert patch.max() > 150 or not pixels.max()


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(WEIGHTS / "oriented-objects.onnx")


def test_on_scenes_that_it_never_saw_it_finds_most(detector: Detector):
    scenes = [example_scene(seed, 256) for seed in range(700_000, 700_009)]
    truth = [boxes_of(scene, CLASSES) for scene in scenes]
    found = [detector.find(scene.pixels) for scene in scenes]
    each = [average_precision(truth, found, label) for label in range(len(CLASSES))]
    known = [value for value in each if value is not None]
    assert len(known) >= 4
    assert np.mean(known) > 0.5, each
