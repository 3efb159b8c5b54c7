"""What a question asks: its kind, what it is about, and the part of the image."""

from __future__ import annotations

from copilot.engine import encode_texts
from data.vision.questions import parse
from tests.suite.walking import walks


@walks(
    "question, kind, subjects, zone",
    [
        ("Is there a ship?", "presence", ("ship",), None),
        ("is anything floating in the upper right", "presence", ("ship",), (2, 0)),
        ("How many cars are on the left side?", "count", ("small-vehicle",), (0, None)),
        ("how much water is there", "amount", ("water",), None),
        ("how green is it", "amount", ("vegetation",), None),
        ("what percentage is covered by trees in the south", "amount", ("vegetation",), (None, 2)),
        ("are there more ships than planes?", "comparison", ("ship", "plane"), None),
        ("which is larger, water or vegetation", "comparison", ("water", "vegetation"), None),
        ("Where is the largest building?", "position", ("building",), None),
        ("how big is the lake", "size", ("water",), None),
        ("where was this taken", "place", (), None),
        ("when was it acquired", "date", (), None),
        ("is it radar or optical", "modality", (), None),
        ("what resolution does it have", "resolution", (), None),
        ("rural or urban?", "settlement", (), None),
        ("is it dark?", "brightness", (), None),
        ("how many bands", "bands", (), None),
        ("What am I looking at?", "what", (), None),
        ("who owns the ship", "unknowable", ("ship",), None),
        ("what is this airport called", "unknowable", (), None),
        ("what will it look like next year", "unknowable", (), None),
        ("how deep is the water", "unknowable", ("water",), None),
    ],
)
def test_a_question_is_read(question, kind, subjects, zone):
    asked = parse(question)
    assert (asked.kind, asked.subjects, asked.zone) == (kind, subjects, zone)


def test_fewer_turns_a_comparison_around_and_a_number_bounds_a_count():
    assert parse("are there fewer ships than planes?").less
    assert parse("are there more than 10 planes?").least == 10


def test_a_question_that_no_rule_reads_goes_to_the_nearest_example():
    asked = parse("how fine is the detail in the photo", encode_texts)
    assert (asked.kind, asked.by) == ("resolution", "sentence encoder")
    assert parse("xyzzy plugh", encode_texts).kind == "unknowable"
