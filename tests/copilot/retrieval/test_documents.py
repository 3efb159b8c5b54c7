"""What is known of a tool in words: summary, arguments, and the phrases of its docstring."""

from __future__ import annotations

from collections import Counter

from copilot.retrieval.cues import selection_tools, usual_tools
from copilot.retrieval.documents import Document, stems
from state.model import State
from tests.suite.walking import walks
from tools.base import Step, Tool, World, tool
from tools.toolbox import toolbox


@walks("each", tuple(toolbox()), lambda tool: tool.name)
def test_every_tool_says_how_people_ask_for_it(each: Tool) -> None:
    assert len(each.phrases) >= 4, f"{each.name} needs a paragraph 'Asked as: … | …' in its docstring"


def test_no_phrase_belongs_to_two_tools() -> None:
    counts = Counter(phrase for each in toolbox() for phrase in each.phrases)
    assert [phrase for phrase, count in counts.items() if count > 1] == []


def test_phrases_are_read_over_several_lines_and_are_none_without_their_paragraph() -> None:
    @tool("ui")
    def wave(state: State, world: World) -> Step:
        """Wave.

        Asked as: wave at me | say
        hello |

        Example: copilot call wave
        """
        return Step(state, "Waved.")

    @tool("ui")
    def nod(state: State, world: World) -> Step:
        """Nod."""
        return Step(state, "Nodded.")

    assert (wave.phrases, nod.phrases) == (("wave at me", "say hello"), ())
    assert Document(wave).texts == ("wave: Wave.", "wave at me", "say hello")


def test_a_document_holds_what_its_arguments_say_and_may_be() -> None:
    texts = Document(toolbox().get("toggle_control")).texts
    assert texts[1].startswith("toggle control: control")
    assert "graticule" in texts[1]


def test_words_are_compared_without_their_endings() -> None:
    assert stems("Plotting the ports, plotted cities: passes") == ["plot", "port", "plot", "city", "pass"]
    assert stems("please show me the") == ["show"]


def test_a_request_brings_the_filters_that_it_has_something_for() -> None:
    assert selection_tools("airplanes near Pittsburgh in May 2018 with less than 10 % cloud") == (
        "filter_date", "filter_coords", "filter_class", "filter_lccclass", "filter_attribute",
    )  # fmt: skip
    assert selection_tools("undo that") == ()
    assert "zoom_map" in usual_tools("xview1 please", ())
    assert usual_tools("undo that", ()) == ()
