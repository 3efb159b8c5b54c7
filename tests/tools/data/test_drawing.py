"""A figure written as plain values is the one that Plotly's own classes write."""

from __future__ import annotations

import json

from plotly.graph_objects import Bar, Figure, Pie

from data.palette import CATEGORIES
from tools.data.drawing import Drawing


def test_a_drawing_is_plotlys_own_figure_on_white_in_colours_that_all_can_tell_apart() -> None:
    drawing = Drawing("Bars of &lt;b&gt;", {"showlegend": False})
    drawing.add("bar", x=["a", "</script>"], y=[1.0, None], name=None)
    drawing.add("pie", labels=["a"], values=[2], sort=False)
    drawing.across(title={"text": "x"})
    drawing.across(type="category")
    drawing.up(title={"text": "y"})
    figure = Figure(layout={"template": "plotly_white"})
    figure.update_layout(title_text="Bars of &lt;b&gt;", showlegend=False)
    figure.add_trace(Bar(x=["a", "</script>"], y=[1.0, None]))
    figure.add_trace(Pie(labels=["a"], values=[2], sort=False))
    figure.update_xaxes(title_text="x", type="category")
    figure.update_yaxes(title_text="y")
    wanted = json.loads(figure.to_json())
    wanted["layout"]["template"]["layout"]["colorway"] = list(CATEGORIES)
    assert json.loads(drawing.json()) == wanted


def test_names_cannot_end_the_page_that_a_figure_is_put_into() -> None:
    drawing = Drawing("</script>")
    drawing.add("bar", x=["</script>"], y=[1])
    assert "</script>" not in drawing.json()


def test_names_of_groups_stand_at_a_slant_where_they_would_touch() -> None:
    few, many = Drawing("Few"), Drawing("Many")
    few.across_groups(["2018", "2019"])
    many.across_groups([f"2022-{month:02}" for month in range(1, 13)])
    assert few.layout["xaxis"] == {"type": "category"}
    assert many.layout["xaxis"] == {"type": "category", "tickangle": -40}
