"""A figure as the plain values that Plotly's JSON is made of.

Plotly's own classes check and copy each value, and a template of seven kilobytes with them: 20 ms a figure.
What is drawn here is known to be right (the tests give each figure to Plotly): only the text is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from data.palette import CATEGORIES

TEMPLATE = "plotly_white"
_LEVEL_CHARS = 80
"""From so many letters on, the names under an axis touch each other in a panel beside the chat."""


@dataclass
class Drawing:
    """A figure that is being drawn, on white."""

    title: str
    layout: dict[str, Any] = field(default_factory=dict)
    """What Plotly calls so, without the template."""
    traces: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.layout = {"title": {"text": self.title}, **self.layout}

    def add(self, kind: str, **values: Any) -> None:
        """A trace of that kind ("bar", "scatter"); what is None is left out."""
        given = {name: value for name, value in values.items() if value is not None}
        self.traces.append({**given, "type": kind})

    def across(self, **values: Any) -> None:
        """Set values of the horizontal axis."""
        self.layout.setdefault("xaxis", {}).update(values)

    def across_groups(self, names: Sequence[str]) -> None:
        """Let the horizontal axis name groups: at a slant where so many would run into one another."""
        self.across(type="category")
        if sum(map(len, names)) > _LEVEL_CHARS:
            self.across(tickangle=-40)

    def up(self, **values: Any) -> None:
        """Set values of the vertical axis."""
        self.layout.setdefault("yaxis", {}).update(values)

    def json(self) -> str:
        """The figure as Plotly JSON."""
        from plotly.io.json import to_json_plotly

        data, layout = str(to_json_plotly(self.traces)), str(to_json_plotly(self.layout))
        return f'{{"data":{data},"layout":{{"template":{_template()},{layout[1:]}}}'


@cache
def _template() -> str:
    import plotly.io
    from plotly.io.json import to_json_plotly

    made = plotly.io.templates[TEMPLATE].to_plotly_json()
    made["layout"] = {**made["layout"], "colorway": list(CATEGORIES)}
    return str(to_json_plotly(made))
