"""What a detector finds is claimed where one of its class is sure, or where its place looks like it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from data.models.card import Card, Threshold
from data.models.evaluating.negatives import Negative
from data.models.registry import registry
from data.models.training.claims import tail_of
from data.progress import Unheard
from data.vision.claims import REACH_PX, Look, claimed, lengths_of, threshold_of
from data.vision.detect import detect
from tests.real_files import real


def card(*thresholds: dict[str, object]) -> Card:
    own = registry(None).get("oriented-objects").card
    return own.model_copy(update={"thresholds": tuple(Threshold.model_validate(each) for each in thresholds)})


FINE = {"object": "ship", "gsd_m": [0.1, 0.5], "first": 0.8, "seen": 0.5}
COARSE = {"object": "ship", "gsd_m": [0.5, 3.0], "first": 0.9, "seen": 0.6, "length_m": [5, 400]}


GROWING = {"object": "ship", "gsd_m": [0.1, 3.0], "first": 0.8, "seen": 0.5, "area_mpx": 0.25, "tail": 2.0}


def kept(scores, *, at=None, gsd_m=0.3, lengths=None, sees=None, least=0.0, area_mpx=0.0, own=(FINE, COARSE)):
    centres = np.array([[100.0 * number, 0.0] for number in range(len(scores))] if at is None else at)
    return claimed(
        card(*own), ["ship"] * len(scores), np.array(scores), centres,
        None if lengths is None else np.array(lengths), gsd_m, sees, least, area_mpx,
    )  # fmt: skip


SEEN, UNSURE, DENIED = (Look(each, 0.8, 0.2) for each in (0.999, 0.5, 0.1))


def test_the_unsure_count_only_near_one_that_is_sure():
    assert kept([0.7, 0.5]).kept.tolist() == []
    assert kept([0.82, 0.7, 0.5]).kept.tolist() == [0, 1, 2]
    far = kept([0.82, 0.7, 0.7], at=[(0, 0), (REACH_PX, 0), (REACH_PX + 1, 0)], least=0.45)
    assert (far.kept.tolist(), far.unsure) == ([0, 1], 1)


def test_where_the_place_looks_like_it_less_is_asked_and_nothing_is_looked_at_in_vain():
    looked = []

    def sees(point, name):
        looked.append((tuple(point.tolist()), name))
        return SEEN if point[0] == 0 else DENIED

    assert kept([0.55, 0.52, 0.49], at=[(9000, 0), (0, 0), (4000, 0)], sees=sees).kept.tolist() == [1]
    assert looked == [((9000.0, 0.0), "ship"), ((0.0, 0.0), "ship")]
    looked.clear()
    assert kept([0.9, 0.6], sees=sees).kept.tolist() == [0, 1]
    assert looked == []


def test_thresholds_go_by_the_pixel_size_and_an_unknown_one_gets_the_strictest():
    asked = card(FINE, COARSE)
    assert [threshold_of(asked, "ship", each).first for each in (0.3, 0.5, 8.0, None)] == [0.8, 0.9, 0.9, 0.9]
    assert threshold_of(asked, "plane", 0.3) is None
    assert kept([0.85], gsd_m=0.7).kept.tolist() == []


def test_the_larger_an_image_the_surer_a_lone_find_must_be():
    scores = (0.8, 0.85, 0.89, 0.93, 0.95, 0.97)
    found = [
        [score for score in scores if kept([score], area_mpx=area, own=(GROWING,)).kept.size]
        for area in (0.1, 0.25, 1.0, 4.0, 16.0)
    ]
    assert found == [
        [0.8, 0.85, 0.89, 0.93, 0.95, 0.97],
        [0.8, 0.85, 0.89, 0.93, 0.95, 0.97],
        [0.89, 0.93, 0.95, 0.97],
        [0.95, 0.97],
        [0.97],
    ]


def test_as_many_good_places_as_an_image_is_larger_are_asked_no_more_each_than_a_small_one():
    spread = [(3000.0 * number, 0.0) for number in range(16)]
    assert kept([0.81] * 16, at=spread, area_mpx=4.0, own=(GROWING,)).kept.size == 16
    assert kept([0.81] * 12, at=spread[:12], area_mpx=4.0, own=(GROWING,)).kept.size == 0
    one_place = [(3.0 * number, 0.0) for number in range(16)]
    assert kept([0.81] * 16, at=one_place, area_mpx=4.0, own=(GROWING,)).kept.size == 0


def test_in_a_large_image_the_scene_network_is_asked_only_about_better_finds():
    looked = []

    def sees(point, name):
        looked.append(point.tolist())
        return SEEN if point[0] == 0 else DENIED

    scores, at = [0.79, 0.6], [(0, 0), (4000, 0)]
    assert kept(scores, at=at, area_mpx=0.25, own=(GROWING,), sees=sees).kept.tolist() == [0]
    assert looked == [[0.0, 0.0], [4000.0, 0.0]]
    assert kept(scores, at=at, area_mpx=2.0, own=(GROWING,), sees=sees).kept.tolist() == [0]
    assert kept([0.6, 0.6], at=at, area_mpx=2.0, own=(GROWING,), sees=sees).kept.tolist() == []


def test_many_good_places_speak_for_each_other_only_where_the_scene_network_does_not_deny_them():
    spread, scores = [(3000.0 * number, 0.0) for number in range(16)], [0.81] * 16
    for what, count in ((UNSURE, 16), (DENIED, 0)):
        found = kept(
            scores, at=spread, area_mpx=4.0, own=(GROWING,), sees=lambda point, name, what=what: what
        )
        assert found.kept.size == count
    alone = kept([0.96], at=[(0, 0)], area_mpx=4.0, own=(GROWING,), sees=lambda point, name: DENIED)
    assert alone.kept.size == 1


def test_ball_fields_that_look_like_tanks_do_not_let_one_place_be_seen_with_less():
    scores, at = [0.95] * 8 + [0.55], [(3000.0 * number, 0.0) for number in range(9)]

    def sees(point, name):
        return SEEN if point[0] == 24_000 else DENIED

    growing = {**GROWING, "first": 0.96}
    assert kept(scores, at=at, area_mpx=2.0, own=(growing,), sees=sees).kept.tolist() == []
    assert kept([0.55], at=[(24_000, 0)], area_mpx=0.2, own=(growing,), sees=sees).kept.tolist() == [0]


def test_the_odds_that_an_object_is_seen_with_grow_with_the_places_there_are():
    said = Look(0.9, 0.5, 0.2)
    assert [said.sees(times) for times in (0.1, 1, 8.9, 9.1)] == [True, True, True, False]
    assert not Look(0.5, 1.0, 0.0).sees() and not Look(0.5, 1.0, 0.0).denies


def test_what_false_findings_thin_out_by_is_read_from_the_best_of_images_of_different_sizes():
    random = np.random.default_rng(0)
    area = random.choice([0.25, 1.0, 4.0], 4000)
    # The best of a Poisson number of findings whose log odds over those of 0.7 are exponential, 3 an e-fold.
    counts = random.poisson(0.8 * area)
    over = np.array([random.exponential(1 / 3, count).max(initial=0.0) for count in counts])
    best = np.where(counts > 0, 1 / (1 + np.exp(-np.log(0.7 / 0.3) - over)), 0.0)
    tail = tail_of(best, area)
    assert tail.level == 0.7
    assert tail.tail == pytest.approx(3, abs=0.15) and tail.rate == pytest.approx(0.8, abs=0.05)
    sure = tail.area_mpx(0.9, 0.02)
    assert -np.log(0.98) / sure == pytest.approx(0.8 * np.exp(-3 * np.log(9 / (7 / 3))), rel=0.2)
    assert tail_of(best[:40] * 0.5, area[:40]) is None


def test_what_is_too_short_or_too_long_for_its_class_is_left_out_and_counted_apart():
    made = kept([0.95, 0.95, 0.95], gsd_m=1.0, lengths=[2.0, 30.0, 500.0], least=0.45)
    assert (made.kept.tolist(), made.misshapen, made.unsure) == ([1], 2, 0)


def test_the_length_of_a_box_is_its_longer_side_on_the_ground():
    boxes = np.array([[[0, 0], [10, 0], [10, 4], [0, 4]], [[0, 0], [0, 3], [4, 3], [4, 0]]], float)
    assert lengths_of(boxes, 0.5).tolist() == [5.0, 2.0]
    assert lengths_of(boxes, None) is None


def test_every_class_of_the_detector_has_thresholds_over_all_its_pixel_sizes():
    own = registry(None).get("oriented-objects").card
    for name in own.output.classes:
        ranges = sorted(each.gsd_m for each in own.thresholds if each.object == name)
        assert ranges[0][0] <= own.input.gsd_m[0] and ranges[-1][1] >= own.input.gsd_m[1]
        assert all(first[1] == second[0] for first, second in pairwise(ranges))


@pytest.mark.parametrize("tile", ["tile_1", "tile_5", "tile_7"])
def test_no_plane_is_claimed_in_real_desert_and_shore_without_one(tile):
    image = real(f"dubai_seg/{tile}/images/image_part_001.jpg")
    assert [each.class_name for each in detect(Unheard(), image, classes=["plane"]).found] == []


@pytest.mark.parametrize("part", [6])
def test_no_plane_is_claimed_in_large_pictures_of_a_desert_town(part, tmp_path):
    import cv2

    whole = cv2.imread(str(real(f"dubai_seg/tile_7/images/image_part_{part:03d}.jpg")))[..., ::-1].copy()
    image = Negative("tile", "desert town", 0.5, whole, 1, ("plane",)).write(tmp_path / "tile.tif")
    assert [each.class_name for each in detect(Unheard(), image, classes=["plane"]).found] == []


def test_asked_for_a_score_the_detector_gives_all_that_reaches_it():
    image = real("dubai_seg/tile_7/images/image_part_001.jpg")
    own = detect(Unheard(), image, classes=["plane"])
    shown = detect(Unheard(), image, classes=["plane"], min_score=own.min_score)
    assert len(shown.found) > len(own.found)
    assert any("left out" in each for each in own.notes) and not any(
        "left out" in each for each in shown.notes
    )
