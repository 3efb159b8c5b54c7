"""The tools that a model is shown for a request, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from copilot.retrieval.gate import possible, present
from copilot.retrieval.index import Index
from copilot.retrieval.ranking import ALWAYS, nearest, parts_of, ranking
from copilot.retrieval.schema import FIND_TOOLS, function_of, short_function_of
from state.model import State
from tools.base import Tool
from tools.toolbox import Toolbox, toolbox

BUDGET_TOKENS = 2500
FAR = 0.55
"""Below that cosine no tool is said to do what is asked for: so were 6 of 35 wants of the field, which no
tool did or said in such words (isochrones, likeness of names), and 12 of 20 of others (music, stocks)."""
NEAR = 0.7
"""Of the best tool's score: what a model asks for by name came with eight others, far below it."""
MORE_TOKENS = 1000
"""What each later look may cost."""
WHOLE = 4
"""How many of the best are shown with all that is said of their arguments, beside those that every request is
shown; the others have their short form."""


@dataclass(frozen=True)
class Shown:
    """Tools to bind to a model, best first, and what their schemas cost."""

    tools: tuple[Tool, ...]
    tokens: int
    """Of `sent(functions)` by `count_tokens`, counted tool by tool: at most 2 % above the list as a whole."""
    seen: frozenset[str] = frozenset()
    """Names of the tools shown so far for this request, these included."""
    has: frozenset[str] = frozenset()
    """What the tools shown earlier for this request, and the state, give to others."""
    first: bool = True
    short: frozenset[str] = frozenset()
    """Names of those of the tools that are shown in their short form."""
    index: Index | None = field(default=None, repr=False, compare=False)

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The tools as they are bound; the first time with the one that asks for more."""
        return [self.function(tool) for tool in self.tools] + ([FIND_TOOLS] if self.first else [])

    def function(self, tool: Tool) -> dict[str, Any]:
        """One of the tools as it is bound."""
        return short_function_of(tool) if tool.name in self.short else function_of(tool)

    def is_far(self, query: str) -> bool:
        """Whether no tool is said to do anything like that."""
        return (self.index or _shared_index()).nearness(query) < FAR

    def more(self, query: str, budget_tokens: int = MORE_TOKENS) -> Shown:
        """Tools for `query` that were not shown yet, to be bound beside those that were.

        Those that fit it far less than the best are left out; where the best were all shown, the next come.
        """
        index = self.index or _shared_index()
        order = [name for name in nearest(index, parts_of(query), has=self.has) if name not in self.seen]
        near = self._near(query)
        best = [name for name in order if name in near]
        chosen = _fitting(index, best, self.has, budget_tokens, tokens=_BRACKETS) or _fitting(
            index, order, self.has, budget_tokens, tokens=_BRACKETS
        )
        return _shown(index, chosen, self.seen, self.has, first=False)

    def had(self, query: str) -> tuple[str, ...]:
        """Names of tools that were shown before and are among the best for `query`, best first."""
        index = self.index or _shared_index()
        near = self._near(query)
        return tuple(name for name in nearest(index, parts_of(query)) if name in near & self.seen)

    def _near(self, query: str) -> frozenset[str]:
        """The tools that fit a query nearly as well as the best of all."""
        index = self.index or _shared_index()
        scores = index.scores(parts_of(query)).max(axis=0)
        return frozenset(
            tool.name for tool, score in zip(index.tools, scores, strict=True) if score >= NEAR * scores.max()
        )


def shown_tools(
    request: str,
    state: State,
    past_requests: Sequence[str] = (),
    budget_tokens: int = BUDGET_TOKENS,
    index: Index | None = None,
) -> Shown:
    """The tools for a request in this state; of earlier requests the last one is looked at too."""
    return tools_for(request, present(state), past_requests, budget_tokens, index)


def tools_for(
    request: str,
    has: Set[str],
    past_requests: Sequence[str] = (),
    budget_tokens: int = BUDGET_TOKENS,
    index: Index | None = None,
) -> Shown:
    """`shown_tools` for a state of which is known what it has: see `gate.present`."""
    index = index or _shared_index()
    order = ranking(index, request, past_requests[-1:], has)
    chosen = _fitting(
        index, order, has, budget_tokens, tokens=_BRACKETS + index.tokens[FIND_TOOLS["function"]["name"]]
    )
    return _shown(index, chosen, frozenset(), frozenset(has), first=True)


@cache
def _shared_index() -> Index:
    return Index(tuple(toolbox()))


@lru_cache(maxsize=8)
def index_of(tools: Toolbox) -> Index:
    """The index of a session's tools: everybody's, where nothing was added to them."""
    return _shared_index() if tools is toolbox() else Index(tuple(tools))


_BRACKETS = 2


def _fitting(
    index: Index, order: Sequence[str], has: Set[str], budget: int, tokens: int
) -> dict[str, tuple[int, bool]]:
    """The best that fit the budget and can run, what each costs and whether it is shown whole.

    What is freed by one that cannot run goes to the next.
    """
    by_name = {tool.name: tool for tool in index.tools}
    barred: set[str] = set()
    while True:
        chosen: dict[str, tuple[int, bool]] = {}
        left, whole_ones = budget - tokens, 0
        for name in order:
            if name not in by_name or name in barred:
                continue
            whole = name not in ALWAYS and whole_ones < WHOLE
            cost = (index.tokens if whole else index.short_tokens)[name]
            if cost <= left:
                chosen[name] = (cost, whole)
                left -= cost
                whole_ones += whole
        unable = set(chosen) - possible([by_name[name] for name in chosen], has)
        if not unable:
            return chosen
        barred |= unable


def _shown(
    index: Index,
    chosen: Mapping[str, tuple[int, bool]],
    seen: frozenset[str],
    has: frozenset[str],
    *,
    first: bool,
) -> Shown:
    by_name = {tool.name: tool for tool in index.tools}
    tools = tuple(by_name[name] for name in chosen)
    tokens = _BRACKETS + sum(cost for cost, _ in chosen.values())
    return Shown(
        tools=tools,
        tokens=tokens + (index.tokens[FIND_TOOLS["function"]["name"]] if first else 0),
        seen=seen | chosen.keys(),
        has=has | {kind for tool in tools for kind in tool.gives},
        first=first,
        short=frozenset(name for name, (_, whole) in chosen.items() if not whole),
        index=index,
    )
