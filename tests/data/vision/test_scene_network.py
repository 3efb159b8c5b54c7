"""The scene network: what it looks at, how sure it says to be, when it abstains, and where rules answer
instead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from data.models.registry import registry
from data.scenes import render
from data.vision.answering import answered
from data.vision.caption import caption_of
from data.vision.facts import Facts
from data.vision.questions import parse
from data.vision.scene import METHOD, network_suits, scene_of
from data.vision.scene_network import (
    NETWORK,
    SIDE_PX,
    Calibration,
    calibration,
    look,
    seen_in,
    told_of,
    views_of,
)
from tests.real_files import real


def written(folder: Path, theme: str, kind: str = "optical", gsd_m: float | None = None) -> Path:
    return render(700_001, kind, 384, gsd_m, theme=theme).write(folder / f"{theme}.tif")


def test_a_large_image_is_looked_at_whole_and_in_quarters_and_a_long_one_in_squares():
    assert [
        len(views_of(np.zeros((*size, 3), np.uint8))) for size in ((256, 256), (400, 400), (256, 1000))
    ] == [1, 5, 4]
    assert {each.shape for each in views_of(np.zeros((500, 333, 3), np.uint8))} == {(SIDE_PX, SIDE_PX, 3)}


def test_what_has_no_value_is_cut_off_or_takes_the_mean_colour():
    picture = np.zeros((300, 300, 3), np.uint8)
    known = np.zeros((300, 300), bool)
    known[100:200, 50:250], picture[100:200, 50:250] = True, 90
    known[150, 150], picture[150, 150] = False, 0
    assert {int(each.min()) for each in views_of(picture, known)} == {90}


def test_numbers_become_calibrated_probabilities_and_the_views_speak_together():
    how = Calibration(("a", "b"), 2.0, 0.5, ("water",), (1.5,), (-1.0,), (0.9,), (0.1,))
    told = told_of(np.array([[4.0, 0.0], [0.0, 0.0]]), np.array([[0.0], [2.0]]), how)
    assert told.scenes == (("a", round(1 / (1 + np.exp(-1)), 3)), ("b", round(1 / (1 + np.exp(1)), 3)))
    assert told.present == {"water": round(1 / (1 + np.exp(-2.0)), 3)}


def test_the_card_and_what_calibrates_it_name_the_same_scenes():
    card, how = registry(None).get(NETWORK).card, calibration()
    assert (card.output.classes, card.output.min_score) == (how.classes, how.least)
    assert all(
        len(each) == len(how.present)
        for each in (how.slopes, how.offsets, how.present_least, how.absent_most)
    )


def test_the_network_answers_for_fine_optical_images_and_the_rules_for_coarse_ones_and_radar(tmp_path):
    fine = Facts(written(tmp_path, "harbour"))
    coarse = Facts(written(tmp_path, "fields", "multispectral", 10.0))
    radar = Facts(written(tmp_path, "sea", "sar"))
    assert [network_suits(each) for each in (fine, coarse, radar)] == [True, False, False]
    assert [scene_of(each).method for each in (fine, coarse, radar)] == [NETWORK, METHOD, METHOD]


def test_three_in_four_rendered_scenes_are_known_for_what_they_show(tmp_path):
    themes = {"sea": "open water", "marina": "harbor", "depot": "storage tanks", "fields": "farmland"}
    told = [
        (
            scene_of(
                Facts(render(700_010 + seed, "optical", 384, theme=theme).write(tmp_path / "scene.tif"))
            ).ranked[0][0],
            scene,
        )
        for theme, scene in themes.items()
        for seed in range(3)
    ]
    assert sum(name == scene for name, scene in told) >= 9, told


def test_real_ground_is_named_and_the_same_again():
    image = real("dubai_seg/tile_7/images/image_part_001.jpg")
    told = scene_of(Facts(image))
    assert told == scene_of(Facts(image))
    assert sum(score for _, score in told.ranked) <= 1.001
    assert told.method == NETWORK and told.confidence == told.ranked[0][1]


def test_noise_is_no_scene_and_the_answer_says_between_what_it_is_not_sure(tmp_path):
    from PIL import Image

    path = tmp_path / "noise.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (256, 256, 3), np.uint8)).save(path)
    told = scene_of(Facts(path))
    assert told.name is None and told.confidence < told.least
    assert "looks like" not in caption_of(Facts(path)).plain


def test_presence_of_water_and_trees_asks_the_network_and_quotes_it(tmp_path):
    harbour = Facts(written(tmp_path, "harbour"))
    water = answered(harbour, parse("is there water?"))
    assert water.value is True
    assert [fact.by for fact in water.facts][-1] == NETWORK
    assert water.text.endswith(
        f"The scene network gives water a probability of {harbour.looked.present['water']:.2f}."
    )
    grass = answered(harbour, parse("is there grass?"))
    assert NETWORK not in {fact.by for fact in grass.facts}


def test_thumbnails_and_the_mean_of_several_views_have_a_temperature_of_their_own():
    how = Calibration(("a", "b"), 2.0, 0.5, ("water",), (1.5,), (-1.0,), (0.9,), (0.1,), 4.0, 1.0)
    one, several = np.array([[4.0, 0.0]]), np.array([[4.0, 0.0], [4.0, 0.0]])
    nothing = np.zeros((2, 1))
    sure = [
        told_of(one, nothing[:1], how).scenes[0][1],
        told_of(one, nothing[:1], how, small=True).scenes[0][1],
        told_of(several, nothing, how).scenes[0][1],
        told_of(several, nothing, how, small=True).scenes[0][1],
    ]
    assert sure == [0.881, 0.731, 0.982, 0.982]
    ours = calibration()
    assert ours.temperature_of(5, False) < ours.temperature_of(1, False) < ours.temperature_of(1, True)
    plain = Calibration(*(getattr(ours, each) for each in list(ours.__dataclass_fields__)[:8]))
    assert {plain.temperature_of(views, small) for views in (1, 5) for small in (False, True)} == {
        ours.temperature
    }


def test_a_thumbnail_is_told_less_surely_than_if_it_were_as_large_as_what_is_looked_at(tmp_path):
    path = render(700_001, "optical", 640, None, theme="harbour").write(tmp_path / "large.tif")
    picture = np.array(Image.fromarray(Facts(path).overview.rgb).resize((150, 150)))
    Image.fromarray(picture).save(tmp_path / "small.png")
    looked = look(tmp_path / "small.png", Facts(tmp_path / "small.png").overview)
    assert looked == seen_in(views_of(picture), small=True)
    assert looked.scenes[0][1] < seen_in(views_of(picture)).scenes[0][1]
