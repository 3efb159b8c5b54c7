"""Where the steps of a workflow are drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from copilot.view.workflow_graph import Node, drawing, laid_out


def test_a_chain_goes_level_by_level_in_a_straight_line() -> None:
    layout = laid_out([Node("a", "A"), Node("b", "B", after=("a",)), Node("c", "C", after=("b",))])
    assert layout.places == {"a": (0, 0.0), "b": (1, 0.0), "c": (2, 0.0)}
    assert (layout.levels, layout.widest) == (3, 1.0)


def test_an_edge_over_a_level_goes_beside_the_node_there() -> None:
    layout = laid_out([Node("a", "A"), Node("b", "B", after=("a",)), Node("c", "C", after=("a", "b"))])
    assert layout.ways[("a", "c")] == ((1, 0.5),)
    assert layout.places["b"] == (1, -0.25)


def test_two_lines_side_by_side_do_not_cross() -> None:
    nodes = [
        Node("before", "Before"),
        Node("after", "After"),
        Node("wet", "Wet", after=("after",)),
        Node("dry", "Dry", after=("before",)),
    ]
    places = laid_out(nodes).places
    assert (places["before"][1] < places["after"][1]) == (places["dry"][1] < places["wet"][1])


def test_a_node_says_its_state_in_a_word_and_not_by_colour_alone() -> None:
    drawn = drawing([Node("a", "A", "slope", "held")], "a", "A run")
    assert drawn["nodes"] == [
        {
            "id": "a",
            "title": "A",
            "about": "slope",
            "status": "held",
            "word": "held back",
            "level": 0,
            "at": 0.0,
        }
    ]
    assert (drawn["chosen"], drawn["title"], drawn["edges"]) == ("a", "A run", [])


def test_nothing_is_drawn_of_nothing() -> None:
    assert drawing([], None, "")["nodes"] == []


@given(st.lists(st.lists(st.integers(0, 11), max_size=3), min_size=1, max_size=12))
def test_no_two_nodes_of_any_graph_share_a_place_and_every_edge_goes_on(wanted: list[list[int]]) -> None:
    nodes = [
        Node(str(at), str(at), after=tuple(dict.fromkeys(str(each) for each in before if each < at)))
        for at, before in enumerate(wanted)
    ]
    layout = laid_out(nodes)
    taken = [*layout.places.values(), *(way for ways in layout.ways.values() for way in ways)]
    assert len(set(taken)) == len(taken)
    assert all(layout.places[first][0] < layout.places[then][0] for first, then in layout.ways)
