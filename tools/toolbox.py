"""The one list of every tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache

from tools.base import Tool, ToolError


class Toolbox:
    """Tools by name; a name taken twice is an error on the spot."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self._tools: dict[str, Tool] = {}
        for each in tools:
            if each.name in self._tools:
                raise ValueError(f"Two tools are named {each.name!r}.")
            self._tools[each.name] = each

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def having(self, more: Iterable[Tool]) -> Toolbox:
        """These tools and more; what has a name that is taken is left out. Itself where there are none."""
        new = {each.name: each for each in more if each.name not in self}
        return Toolbox((*self, *new.values())) if new else self

    def get(self, name: str) -> Tool:
        """The tool of that name. Raises ToolError with the nearest names."""
        if name not in self._tools:
            near = get_close_matches(name, self._tools, n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else " `copilot tools` lists them all."
            raise ToolError(f"There is no tool '{name}'.{hint}")
        return self._tools[name]


@cache
def toolbox() -> Toolbox:
    """Every tool there is."""
    from tools.data import TOOLS as DATA
    from tools.database import TOOLS as DATABASE
    from tools.geotools import TOOLS as GEOTOOLS
    from tools.knowledge import TOOLS as KNOWLEDGE
    from tools.langchain import TOOLS as LANGCHAIN
    from tools.map import TOOLS as MAP
    from tools.openai import TOOLS as OPENAI
    from tools.python import TOOLS as PYTHON
    from tools.ui import TOOLS as UI
    from tools.vision import TOOLS as VISION
    from tools.web import TOOLS as WEB
    from tools.workflows import TOOLS as WORKFLOWS

    return Toolbox(
        (
            *DATABASE, *MAP, *UI, *GEOTOOLS, *VISION, *DATA, *PYTHON, *WEB, *KNOWLEDGE, *WORKFLOWS,
            *LANGCHAIN, *OPENAI,
        )
    )  # fmt: skip
