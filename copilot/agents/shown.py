"""The tools that a model is shown in a turn: those that fit the request, and more when it asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from tools.base import Tool

if TYPE_CHECKING:
    from copilot.retrieval import Shown
    from copilot.session import Session

FIND_TOOLS = "find_tools"
"""The meta tool by which a model asks for more. The loop answers it: it changes nothing but what is shown."""

_NONE_FITS = (
    "No tool says just that of itself; sql computes over rows and shapes of open layers. Added, as the "
    "nearest that there are"
)


class ToolsShown:
    """The tools shown in one turn."""

    def __init__(self, session: Session, request: str) -> None:
        self._session, self._request = session, request
        self._toolbox = session.toolbox
        self._last: Shown | None = None
        self._found: dict[str, Shown] = {}
        self._called: dict[str, Tool] = {}
        self._asked_for: dict[str, Tool] = {}

    def schemas(
        self, model: BaseChatModel, category: str | None = None, task: str | None = None
    ) -> list[dict[str, Any]]:
        """The tools as that model takes them; for one step, only those of its category and task.

        A model that says of itself that it knows the tools gets every name, and nothing is searched for it.
        """
        if getattr(model, "knows_tools", False):
            fitting = [each for each in self._toolbox if category in (None, each.category)]
            return [{"type": "function", "function": {"name": each.name}} for each in fitting]
        from copilot.retrieval import FIND_TOOLS as FIND
        from copilot.retrieval.schema import function_of

        tools = [
            each for each in self._fitting_to(task or self._request) if category in (None, each.category)
        ]
        if not tools:  # the search saw nothing of this category in the task: all of it is little enough
            tools = [each for each in self._toolbox if each.category == category]
        called = (each for each in self._called.values() if category in (None, each.category))
        # What was called or asked for is shown whole from then on.
        first = self._found.get(task or self._request)
        shown = {each.name: first.function(each) if first else function_of(each) for each in tools}
        shown |= {each.name: function_of(each) for each in (*called, *self._asked_for.values())}
        return [*shown.values(), FIND]

    def add(self, name: str) -> None:
        """Show a tool from now on, as the model called it; what the toolbox does not have is left out."""
        if name in self._toolbox:
            self._called[name] = self._toolbox.get(name)

    def more(self, query: str) -> str:
        """Show the tools that fit `query` from now on; what the model is told of them."""
        self._fitting_to(self._request)
        assert self._last is not None
        far, had = self._last.is_far(query), self._last.had(query)
        self._last = self._last.more(query)
        new = [each for each in self._last.tools if each.name not in self._asked_for]
        self._asked_for |= {each.name: each for each in new}
        # What was shown in its short form is shown whole from now on.
        self._asked_for |= {name: self._toolbox.get(name) for name in had if name in self._toolbox}
        known = f" You have already: {', '.join(had)}." if had else ""
        if not new:
            return f"There are no other tools that fit.{known}"
        return f"{_NONE_FITS if far else 'Added'}: {_listed(new)}.{known}"

    def _fitting_to(self, text: str) -> tuple[Tool, ...]:
        if text not in self._found:
            # They load the encoder, which not every model needs.
            from copilot.retrieval import index_of, shown_tools

            earlier = [turn.request for turn in self._session.turns if turn.request is not None][:-1]
            found = shown_tools(text, self._session.state, earlier, index=index_of(self._toolbox))
            self._found[text] = found
            self._last = found if self._last is None or text == self._request else self._last
        return self._found[text].tools


def _listed(tools: Iterable[Tool]) -> str:
    return ", ".join(each.name for each in tools)
