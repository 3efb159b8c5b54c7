"""Whether a clause is about something that no tool does, though it names a place or a class."""

from __future__ import annotations

import re

from copilot.planner.clauses import Clause
from copilot.planner.leftovers import strange_words
from copilot.planner.selection import names_a_selection

_CERTAIN = 0.75
"""From this probability on the head's "no tool does that" stands against what the clause names."""
_TOOL_VERBS = re.compile(
    r"\b(?:show|find|plot|count|load|list|map|zoom|display|draw|filter|keep|add|remove|hide|search|look|see|view|export|download|"
    r"save|open|close|sort|group|compare|chart|graph|table|fit|fly|go to|pan|cent(?:re|er)|select|pick|measure|undo|clear|reset|"
    r"how many (?:images|class|scenes|objects)|images?|scenes?|imagery|shots?|taken|recorded|captured|acquired|photographed|photograph|shot|seen|covered|observed|pictures?|photos?|tiles?|patches|data sets?)\b",
    re.I,
)
_IS_A_SENTENCE = re.compile(
    r"^(?:who|whose|why|when|what|which|where|how|is|are|was|were|will|would|should|shall|may|might|do|does|did|has|have|can|could)\b"
    r"|^(?:get|give|tell|send|call|ask|write|buy|sell|bring|order|make|explain|teach|sing|play|cook|fix|solve|help|warn|arrest|"
    r"deploy|dispatch|launch|evacuate|rescue|stop|start|pay|vote|invite|interview|quote|publish|post|print|invent|guess)\b"
)


def is_off_topic(probability: float, masked: str, clause: Clause) -> bool:
    """Whether a refusal by the head stands: surely one, and no bare name of things nor a verb of the tools."""
    if not about_the_map(clause):
        return True
    if probability < _CERTAIN or _TOOL_VERBS.search(masked) or clause.of("plot", "dataset"):
        return False
    return bool(_IS_A_SENTENCE.search(masked)) or len(strange_words(clause)) > 1


def narrows_somehow(clause: Clause) -> bool:
    """Whether little but a date stands in a clause: "in 2019 please", not "who won the 2018 world cup"."""
    return names_a_selection(clause) and len(clause.masked.split()) <= 4


def about_the_map(clause: Clause) -> bool:
    """Whether a clause names anything of the map or of the selection."""
    named = clause.of("dataset", "class", "place", "point", "bbox", "event", "attribute")
    return (
        bool(named)
        or narrows_somehow(clause)
        or bool(clause.of("plot", "layer", "quoted", "control", "panel", "basemap", "zoom"))
    )
