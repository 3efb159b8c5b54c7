"""What is shown of a reply, and what is folded beneath it."""

from __future__ import annotations

from copilot.view.reply import LONG, folded

FOUND = (
    "Found 12 ships in harbour, scores 0.71 to 0.96. Each has a score of at least 0.35, and boxes that"
    " overlap by more than half count once. Ships shorter than 15 m are missed at this ground sampling"
    " distance. The detections are detections-12ab."
)
NAMES = {"detections-12ab": "Ships in harbour"}


def test_what_follows_the_first_sentence_of_an_observation_is_folded() -> None:
    reply = (
        "1 image is loaded. Found 12 ships in harbour, scores 0.71 to 0.96. Each has a score of at least"
        " 0.35, and boxes that overlap by more than half count once. Ships shorter than 15 m are missed at"
        " this ground sampling distance ⁽²⁾. I left out “quickly”. On the map as points ⁽³⁾."
    )
    assert folded(reply, ["Loaded it.", FOUND], NAMES) == (
        "1 image is loaded. Found 12 ships in harbour, scores 0.71 to 0.96 ⁽²⁾. I left out “quickly”. On the"
        " map as points ⁽³⁾.",
        "Each has a score of at least 0.35, and boxes that overlap by more than half count once. Ships"
        " shorter than 15 m are missed at this ground sampling distance.",
    )


def test_short_replies_lists_and_what_no_tool_said_stay_whole() -> None:
    short = "Found 12 ships in harbour, scores 0.71 to 0.96. Each has a score of at least 0.35 ⁽¹⁾."
    listed = "Seven data sets:\n- fmow. It has scenes.\n" + "- xview1. It has objects.\n" * 20
    written = "The ships of fair1m. They lie in Europe. " * 10
    for reply in (short, listed, written):
        assert folded(reply, [FOUND], NAMES) == (reply, "")
    assert len(short) < LONG < len(written)
