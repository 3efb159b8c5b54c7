"""Scenes, captions and answers out of measured facts, checked against what is in the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.uploads.gdal import quiet_gdal
from data.vision.answering import answered
from data.vision.caption import caption_of
from data.vision.facts import Facts
from data.vision.questions import parse
from data.vision.scene import RULES, score_of
from data.vision.similarity import compare, footprint_overlap

SIDE = 64
GROUND = {
    "green": (800, 900),
    "red": (500, 600),
    "nir": (3500, 300),
    "blue": (400, 700),
    "swir16": (1500, 100),
}
"""Reflectance times 10,000 of a meadow and of a lake."""


def write(path: Path, *, east: float = 600_000, lake: slice = slice(0, 24)) -> Path:
    """A meadow with a lake over its upper left: 24 rows by 40 columns of 64 x 64 pixels of 10 m."""
    values = np.stack([np.full((SIDE, SIDE), pair[0], np.uint16) for pair in GROUND.values()])
    values[:, lake, :40] = np.array([pair[1] for pair in GROUND.values()])[:, None, None]
    values += np.random.default_rng(0).integers(0, 20, values.shape).astype(np.uint16)
    about = {"driver": "GTiff", "width": SIDE, "height": SIDE, "count": len(GROUND), "dtype": "uint16"}
    where = {"crs": "EPSG:32631", "transform": Affine(10, 0, east, 0, -10, 5_760_000)}
    with quiet_gdal(), rasterio.open(path, "w", **about, **where) as target:
        target.write(values)
        target.descriptions = tuple(GROUND)
        target.update_tags(TIFFTAG_DATETIME="2023:07:14 10:20:30")
    return path


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    return Facts(write(tmp_path_factory.mktemp("seeing") / "lake.tif"))


def ask(facts: Facts, question: str):
    return answered(facts, parse(question))


def test_shares_of_water_are_those_of_the_picture_in_it_and_in_its_parts(facts):
    water = ask(facts, "how much water is there?")
    assert (water.value, water.unit) == (pytest.approx(100 * 24 * 40 / 64**2, abs=0.01), "%")
    assert water.text.startswith("Water covers 23.4 % of the image, 96,")
    assert ask(facts, "how much water is in the upper left?").value == 75
    assert ask(facts, "how much water is in the south?").value == 0


def test_presence_comparison_position_and_size_are_measured(facts):
    assert ask(facts, "is there a lake?").value is True
    assert ask(facts, "is there more water than vegetation?").value is False
    assert ask(facts, "is there less water than vegetation?").value is True
    assert ask(facts, "where is the lake?").value == "upper left"
    lake = ask(facts, "how big is the lake?")
    assert (lake.unit, lake.value) == ("m²", pytest.approx(96_000, rel=2e-3))


def test_the_record_of_the_image_is_quoted_and_what_no_pixel_tells_is_not_made_up(facts):
    assert ask(facts, "what resolution does it have?").value == pytest.approx(10, rel=1e-3)
    assert ask(facts, "when was it taken?").value == "2023-07-14"
    assert ask(facts, "is it radar or optical?").value == "multispectral"
    assert ask(facts, "how many bands").value == 5
    assert ask(facts, "rural or urban?").value == "rural"
    for question in ("who owns the lake?", "what is the lake called?", "how deep is the water?", "xyzzy"):
        told = ask(facts, question)
        assert (told.can_tell, told.value) == (False, None)
        assert told.text.startswith("I can't tell from the pixels: ")


def test_a_class_that_no_detector_knows_is_told_apart_from_none_found(facts):
    told = ask(facts, "how many trailers are there?")
    assert told.can_tell is False or told.value == 0
    fields = ask(facts, "how many fields are there?")
    assert fields.can_tell is False and "Fields" not in fields.text[:10]


def test_every_number_of_a_caption_is_that_of_a_fact_and_it_is_the_same_again(facts):
    made = caption_of(facts)
    assert made == caption_of(Facts(facts.image))
    numbers = {part.strip("[].") for part in made.text.replace("][", "] [").split() if part.startswith("[")}
    assert numbers == {str(at) for at in range(1, len(made.facts) + 1)}
    assert "vegetation 77 % and water 23 %" in made.plain
    assert {"cover.water", "cover.vegetation", "modality"} <= {each.id for each in made.facts}


def test_scene_rules_choose_by_what_was_measured():
    sea = {"water": 97.0, "built": 0.0, "ships_per_water": 0.2, "ships": 2.0}
    port = {"water": 45.0, "built": 35.0, "ships": 9.0, "ships_per_water": 2.0}
    apron = {"planes": 6.0, "built": 70.0, "water": 0.0, "paved": 60.0, "vehicles": 2.0, "building": 10.0}
    best = [
        max(RULES, key=lambda name, values=values: score_of(name, values)) for values in (sea, port, apron)
    ]
    assert best == ["open water", "harbor", "airport"]


def test_an_image_is_like_itself_and_less_like_another_place(facts, tmp_path):
    moved = write(tmp_path / "moved.tif", east=700_000, lake=slice(0, 2))
    same, other = (
        compare(facts.progress, facts.image, facts.image),
        compare(facts.progress, facts.image, moved),
    )
    assert (same.likeness, same.same_place, same.overlap) == (1.0, True, 1.0)
    assert (other.same_place, other.overlap, "structure" in other.parts) == (False, 0.0, False)
    assert other.likeness < 0.9


def test_footprints_that_share_half_say_so(facts, tmp_path):
    half = write(tmp_path / "half.tif", east=600_000 + 320)
    assert footprint_overlap(facts.image, half) == pytest.approx(0.5, abs=0.005)


def test_nothing_is_looked_for_in_pixels_that_are_too_coarse_for_the_detectors(facts):
    assert not any(each.key.startswith("objects") for each in facts.of("objects"))
    assert facts.missing["objects"] == (
        "The pixels of lake.tif are 10 m, coarser than oriented-objects is for (3 m or finer); a finer image "
        "would do. With anyway=true it is done, and said so first."
    )
