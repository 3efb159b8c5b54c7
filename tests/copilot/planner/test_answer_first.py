"""The direct answer in front of the rest."""

from __future__ import annotations

from copilot.planner.answer_first import Done, direct_answer, reference, spelt_out
from copilot.planner.situation import Call


def groups(**counts: int) -> Done:
    """A count per country as the tool reports it."""
    found = [{"key": key, "count": count} for key, count in counts.items()]
    text = "Images by country: " + ", ".join(f"{key} {count}" for key, count in counts.items()) + " ."
    return Done(Call("group_count", {"by": "country"}), True, text, {"by": "country", "groups": found})


def test_a_reference_is_the_number_of_the_call_raised() -> None:
    assert reference(12) == "⁽¹²⁾"


def test_which_has_most_is_answered_with_the_name_and_the_number() -> None:
    assert list(direct_answer([groups(CN=5, US=7)], "most")) == [
        "United States has the most: 7 images ⁽¹⁾, then China with 5."
    ]


def test_which_has_fewest_looks_at_the_other_end() -> None:
    assert list(direct_answer([groups(CN=5, US=7)], "fewest")) == [
        "China has the fewest: 5 images ⁽¹⁾, then United States with 7."
    ]


def test_a_share_is_the_second_count_of_the_first() -> None:
    counts = [Done(Call("db_count"), True, "", {"count": count, "by": None}) for count in (200, 13)]
    assert list(direct_answer(counts, "share")) == ["13 ⁽²⁾ of 200 ⁽¹⁾ images, that is 6.5 %."]


def test_a_share_of_nothing_is_not_divided() -> None:
    counts = [Done(Call("db_count"), True, "", {"count": 0, "by": None}) for _ in range(2)]
    assert list(direct_answer(counts, "share")) == []


def test_whether_there_is_any_is_answered_with_yes_or_no() -> None:
    assert list(direct_answer([Done(Call("db_count"), True, "", {"count": 0})], "any")) == ["No."]


def test_country_codes_are_spelt_out() -> None:
    assert spelt_out(groups(CN=5)) == "Images by country: China 5 ."


def test_a_table_definition_is_told_in_sentences() -> None:
    schema = "CREATE TABLE images (\n  name text,  -- a to b\n  gsd_m number,  -- 0.3 to 1\n)"
    assert spelt_out(Done(Call("db_schema"), True, schema)) == (
        "Its ranges: gsd_m 0.3 to 1. The columns are name and gsd_m."
    )


def counted(image: str, count: int) -> Done:
    """A count of what is in an image, as the tool reports it."""
    return Done(Call("object_count", {"image": image}), True, "", {"count": count})


def test_which_image_has_more_is_answered_with_their_names() -> None:
    names = {"raster-1": "harbour", "raster-2": "apron"}
    looks = [counted("raster-1", 8), counted("raster-2", 0)]
    assert list(direct_answer(looks, "most", names)) == ["harbour has more: harbour 8 ⁽¹⁾, apron 0 ⁽²⁾."]
    assert list(direct_answer(looks, "fewest", names)) == ["apron has fewer: harbour 8 ⁽¹⁾, apron 0 ⁽²⁾."]


def test_images_with_as_many_have_no_first() -> None:
    looks = [counted("raster-1", 3), counted("raster-2", 3)]
    assert list(direct_answer(looks, "most")) == ["They have as many: raster-1 3 ⁽¹⁾, raster-2 3 ⁽²⁾."]


def test_one_image_alone_is_not_compared() -> None:
    assert list(direct_answer([counted("raster-1", 3)], "most")) == []


def test_a_tiny_share_shows_its_first_digits() -> None:
    part = Done(Call("db_count"), True, "", {"count": 182, "by": None})
    whole = Done(Call("db_sql"), True, "", {"first": [{"images": 1_149_612}]})
    assert list(direct_answer([part, whole], "share")) == [
        "182 ⁽¹⁾ of 1,149,612 ⁽²⁾ images, that is 0.016 %."
    ]
