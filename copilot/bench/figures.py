"""The figures of a report: success against calls, ε and tokens, and the kinds of error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from copilot.bench.published import ROWS
from copilot.bench.report import Graded, grouped
from copilot.bench.tables import CHECK_TITLES, names
from data.palette import CATEGORIES

"""Apart from each other also for the colour-blind; a run keeps its own through all figures."""
_PER_CENT = {"tickformat": ".0%", "range": [0, 1.05]}


def figures(runs: Sequence[Graded]) -> list[go.Figure]:
    """All figures of runs that may stand beside each other."""
    return [by_calls(runs), error_kinds(runs), by_epsilon(runs), by_tokens(runs)]


def by_calls(runs: Sequence[Graded]) -> go.Figure:
    """Success against the number of calls that a task needs, with the published rate for scale."""
    figure = go.Figure()
    for name, color, run in zip(names(runs), _colors(runs), runs, strict=True):
        groups = grouped(run.rows, lambda row: row["complexity"])
        figure.add_scatter(
            x=list(groups),
            y=[each["success"] for each in groups.values()],
            customdata=[each["tasks"] for each in groups.values()],
            name=name,
            mode="lines+markers",
            line={"color": color, "dash": "dash" if figure.data else "solid"},
            hovertemplate="%{x} calls: %{y:.1%} of %{customdata} tasks<extra></extra>",
        )
    for row in ROWS:
        figure.add_hline(
            y=row.success,
            line={"dash": "dot", "color": "#64748B", "width": 1},
            annotation={
                "text": f"published, on other tasks: {row.name} {row.success:.1%}",
                "font": {"size": 11, "color": "#64748B"},
            },
            annotation_position="bottom left",
        )
    titled = _titled(figure, "Success against complexity", "calls of the gold", "tasks answered rightly")
    return titled.update_xaxes(dtick=1)


def error_kinds(runs: Sequence[Graded]) -> go.Figure:
    """How often each check found something."""
    figure = go.Figure()
    kinds = [name for name in reversed(CHECK_TITLES) if any(run.metrics.errors[name] for run in runs)]
    for name, color, run in zip(names(runs), _colors(runs), runs, strict=True):
        figure.add_bar(
            y=[CHECK_TITLES[kind] for kind in kinds],
            x=[run.metrics.errors[kind] / (run.metrics.tasks or 1) for kind in kinds],
            customdata=[run.metrics.errors[kind] for kind in kinds],
            name=name,
            orientation="h",
            marker={"color": color},
            hovertemplate="%{y}: %{customdata} tasks (%{x:.1%})<extra></extra>",
        )
    titled = _titled(figure, "Kinds of error", "share of the tasks", "")
    return titled.update_xaxes(tickformat=".0%").update_yaxes(tickformat=None, range=None, automargin=True)


def by_epsilon(runs: Sequence[Graded]) -> go.Figure:
    """Success against how far a number may be off."""
    figure = go.Figure()
    for name, color, run in zip(names(runs), _colors(runs), runs, strict=True):
        found = run.at_epsilon
        figure.add_scatter(
            x=[f"{epsilon:g}" for epsilon in found],
            y=list(found.values()),
            name=name,
            mode="lines+markers",
            line={"color": color, "dash": "dash" if figure.data else "solid"},
            hovertemplate="ε = %{x}: %{y:.1%}<extra></extra>",
        )
    titled = _titled(figure, "Success against ε", "ε: how far a number may be off", "tasks answered rightly")
    return titled.update_xaxes(type="category")


def by_tokens(runs: Sequence[Graded]) -> go.Figure:
    """What a task costs in tokens against how often it is right; a point is a number of calls."""
    figure = go.Figure()
    for name, color, run in zip(names(runs), _colors(runs), runs, strict=True):
        parts = run.metrics.by_calls or {}
        most = max((each.tasks for each in parts.values()), default=1)
        figure.add_scatter(
            x=[each.tokens_per_task for each in parts.values()],
            y=[each.success for each in parts.values()],
            text=[str(calls) for calls in parts],
            customdata=[each.tasks for each in parts.values()],
            name=name,
            mode="markers",
            cliponaxis=False,
            marker={
                "color": color,
                "opacity": 0.75,
                "size": [8 + 18 * (each.tasks / most) ** 0.5 for each in parts.values()],
            },
            hovertemplate="%{text} calls, %{customdata} tasks: %{x:,.0f} tokens, %{y:.1%}<extra></extra>",
        )
    titled = _titled(figure, "Tokens against success", "tokens a task", "tasks answered rightly")
    most = max((row["tokens"] for run in runs for row in run.rows), default=0)
    return titled.update_xaxes(rangemode="tozero") if most else titled.update_xaxes(range=[-5, 100])


def _titled(figure: go.Figure, title: str, x: str, y: str) -> go.Figure:
    shown: dict[str, Any] = {
        "title": {"text": title, "font": {"size": 16}},
        "showlegend": len(figure.data) > 1,
        "legend": {"orientation": "h", "y": -0.22},
        "margin": {"l": 10, "r": 10, "t": 48, "b": 10},
        "height": 380,
    }
    return figure.update_layout(**shown).update_xaxes(title=x).update_yaxes(title=y, **_PER_CENT)


def _colors(runs: Sequence[Graded]) -> list[str]:
    return [CATEGORIES[number % len(CATEGORIES)] for number in range(len(runs))]
