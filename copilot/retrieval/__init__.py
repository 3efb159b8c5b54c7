"""Which tools a model is shown for a request: few enough to choose well from, within a budget of tokens."""

from copilot.retrieval.schema import FIND_TOOLS
from copilot.retrieval.shown import Shown, index_of, shown_tools

__all__ = ["FIND_TOOLS", "Shown", "index_of", "shown_tools"]
