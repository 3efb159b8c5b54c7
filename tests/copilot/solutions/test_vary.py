"""Phrases varied: the same wish with something beside it, of a radar image, or mistyped."""

from __future__ import annotations

import difflib

from copilot.solutions.bank import Phrase, read_phrases
from copilot.solutions.infer import modality_of
from copilot.solutions.vary import varied

PHRASES = read_phrases()


def test_every_phrase_is_varied_and_the_same_way_each_time() -> None:
    said = [varied(each) for each in PHRASES]
    assert [each.text for each, other in zip(PHRASES, said, strict=True) if each.text == other] == []
    assert said == [varied(each) for each in PHRASES]


def test_what_is_about_an_image_of_any_sensor_is_asked_of_radar_images_too() -> None:
    said = [varied(Phrase("road_extraction", f"trace {count} roads in this photo")) for count in range(60)]
    radar = [each for each in said if "photo" not in each]
    assert {modality_of(each) for each in radar} == {"sar"}
    assert 30 <= len(radar) <= 55


def test_what_needs_an_optical_image_or_none_is_not_asked_of_radar() -> None:
    for task in ("cloud_removal", "image_dehazing", "optical_detection", "knowledge_search"):
        said = [varied(Phrase(task, f"wish {count} for this photo")) for count in range(60)]
        assert {modality_of(each) for each in said if "radar people" not in each} == {"optical"}


def test_the_wish_stays_whole_but_for_two_letters() -> None:
    text = "measure everything carefully"
    for count in range(60):
        wish = f"{text} {count}"
        other = varied(Phrase("python", wish))
        kept = sum(
            match.size for match in difflib.SequenceMatcher(None, wish, other, False).get_matching_blocks()
        )
        assert kept >= len(wish) - 2, other
