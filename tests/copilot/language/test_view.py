"""What the policy is shown of a session."""

from __future__ import annotations

from copilot.language.shown import MAX_WORDS, POINTED, READ, REQUEST
from copilot.language.view import Item, Past, view
from state.codec import to_json
from state.model import UI, Artifact, Database, Filters, Layer, MapState, Question, State
from tests.copilot.language.said import shown


def test_a_fresh_session_shows_nothing() -> None:
    assert view(to_json(State()), (), {}) == ()


def test_the_selection_the_layers_the_files_and_the_question_are_shown() -> None:
    state = State(
        map=MapState(layers=(Layer("points", "Points", "points"),)),
        database=Database(("fmow",), Filters(place="Norway", classes=("dam",))),
        ui=UI(question=Question("Which one?", ("a dam", "a port"))),
        artifacts=(Artifact("table-1", "table", "samples", "72 rows", "add_file()"),),
    )
    assert view(to_json(state), (), {"table-1": ("site", "depth_m")}) == (
        Item("loaded"),
        Item("fmow", "fmow"),
        Item("place"),
        Item("Norway", "Norway"),
        Item("class"),
        Item("dam", "dam"),
        Item("points layer"),
        Item("Points", "Points", ("points",)),
        Item("table"),
        Item("samples", "samples", ("table-1",)),
        Item("site", "site"),
        Item("depth_m", "depth_m"),
        Item("asked: Which one?"),
        Item("a dam", "a dam"),
        Item("a port", "a port"),
    )


def test_the_turns_before_are_shown_with_their_calls() -> None:
    turns = [Past("ships", [("filter_class", {"classes": ["ship"]})]), Past("and here?", [("db_count", {})])]
    assert view(to_json(State()), turns, {}) == (
        Item("before: ships"),
        Item("filter class"),
        Item("classes ="),
        Item("ship", "ship"),
        Item("before: and here?"),
        Item("db count"),
    )


def test_the_largest_groups_of_the_last_count_are_shown_the_largest_first() -> None:
    groups = [{"key": "2016", "count": 3}, {"key": "2017", "count": 9}, {"key": None, "count": 99}]
    turns = [Past("per year", [("db_count", {"by": "year"})], [{"groups": groups}])]
    assert view(to_json(State()), turns, {})[-3:] == (
        Item("most"),
        Item("2017", "2017"),
        Item("2016", "2016"),
    )
    assert view(to_json(State()), [*turns, Past("thanks", [])], {})[-1] == Item("before: thanks")


def test_words_know_what_they_are_part_of() -> None:
    said = shown("zoom to Tokyo", Item("tab"), Item("a.org", "https://a.org"))
    assert said.kinds == (REQUEST, REQUEST, REQUEST, READ, READ, POINTED, POINTED, POINTED)
    assert said.tags == ("", "", "place", "", "", "", "", "")
    assert [said.item(word) for word in (3, 5)] == [None, Item("a.org", "https://a.org")]


def test_an_item_that_finds_no_room_is_left_out() -> None:
    said = shown("hello", Item("word " * MAX_WORDS), Item("short", 1))
    assert said.words == ("hello", "[SEP]", "short")
