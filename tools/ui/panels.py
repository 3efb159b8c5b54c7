"""What is open: pages, panels, tables, figures, and what a hover shows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from state.model import Artifact, State
from tools.artifacts import FEATURES, Call, artifact_file, id_or_name, newest_named
from tools.base import Step, ToolError, World, tool
from tools.database.attributes import known_field
from tools.map.files import read_vector
from tools.map.picked import RowNumber, checked_row, with_pick
from tools.phrases import listed, number_of
from tools.rows import features_as_rows, load_table
from tools.tables import SHOWN_ROWS, plain_rows, table_step, without_outlines
from tools.units import Names, TableId

PageName = Annotated[
    Literal["home", "imagery", "data", "tools", "benchmark", "help"], Field(description="Which page.")
]
PanelName = Annotated[
    Literal["results", "figure", "image", "layers", "trace", "jobs"], Field(description="Which panel.")
]
FigureId = Annotated[
    str, Field(min_length=1, max_length=200, description="A figure's id, as in the state's artifacts.")
]
MOST_HOVER_FIELDS = 8


@tool("ui", changes_state=True)
def open_page(state: State, world: World, *, name: PageName) -> Step:
    """Open a page: home (chat and map), imagery, data, tools, benchmark or help.

    Example: copilot call open_page name=data

    Asked as: open the data page | go to the help page | show the tools page | back to the home page | take me
    to the chat | where is the help | open the manual
    """
    again = " already" if state.ui.page == name else ""
    return Step(state.with_ui(page=name), f"The {name} page is open{again}.", {"page": name})


@tool("ui", changes_state=True)
def open_panel(state: State, world: World, *, name: PanelName) -> Step:
    """Open a panel below the map and bring it to the front.

    Example: copilot call open_panel name=layers

    Asked as: open the results panel | show the trace | bring up the layers panel | what jobs are running |
    open the figure pane | image panel please | let me see the steps you took
    """
    after = state.with_panel(name)
    return Step(after, f"The {name} panel is in front.", {"panel": name, "panels": list(after.ui.panels)})


@tool("ui", changes_state=True)
def close_panel(state: State, world: World, *, name: PanelName) -> Step:
    """Close a panel below the map.

    Example: copilot call close_panel name=layers

    Asked as: close the results | hide the figure panel | shut the trace | I don't need the image panel any
    more | collapse the jobs panel | close that pane
    """
    panels = tuple(each for each in state.ui.panels if each != name)
    said = f"The {name} panel is closed." if name in state.ui.panels else f"The {name} panel was not open."
    return Step(state.with_ui(panels=panels), said, {"panel": name, "panels": list(panels)})


@tool("ui", changes_state=True)
def display_hover(
    state: State,
    world: World,
    *,
    fields: Annotated[Names, Field(description="Columns or properties, such as name, acquired, sensor.")],
) -> Step:
    """Choose which fields of an image are shown when the mouse is over it.

    Example: copilot call display_hover fields=name,acquired,cloud_pct

    Asked as: show the date when I hover | hover over an image should tell the sensor | tooltip with name and
    cloud cover | which fields pop up on mouse over | mouseover info
    """
    names = tuple(dict.fromkeys(known_field(each, world)[0] for each in fields))
    if len(names) > MOST_HOVER_FIELDS:
        raise ToolError(f"{len(names)} fields are too many to read; give {MOST_HOVER_FIELDS} at most.")
    said = f"Hovering over an image shows {listed(names)}."
    return Step(state.with_ui(hover_fields=names), said, {"fields": list(names)})


@tool("ui", changes_state=True)
def show_table(
    state: State, world: World, *, table: TableId | None = None, row: RowNumber | None = None
) -> Step:
    """Show a table in the results panel; without one, the current selection's rows.

    Of features it is their attribute table; with a row, that one is marked in it and on the map.

    Example: copilot call show_table

    Asked as: show the table again | back to the table | display the rows in the results panel | open the
    table of counts | let me see the table
    """
    if table is None:
        if row is not None:
            raise ToolError("A row is one of a layer's features; say which with table=.")
        said = f"The results panel shows the selection: {number_of(state.database.count, 'row')}."
        data = {"table": None, "rows": state.database.count}
        after = with_pick(state, None, None).with_ui(table=None)
        return Step(after.with_panel("results"), said, data)
    found = _known(state, table)
    if found is not None and found.kind in FEATURES:
        return _attributes(state, world, found, row)
    if row is not None:
        raise ToolError(f"{table!r} is not features with rows of their own, so none of them can be marked.")
    if found is None or found.kind != "table":
        return _as_rows(state, world, table)
    artifact_file(state, world, found.id, "table")
    table = found.id
    said = f"The results panel shows {_title(found)}."
    return Step(state.with_ui(table=table).with_panel("results"), said, {"table": table})


def _known(state: State, handle: str) -> Artifact | None:
    """The artifact of that id, of that name, or that a layer of it shows."""
    found = state.artifact(handle) or newest_named(state.artifacts, handle)
    layer = None if found is not None else state.layer(handle) or newest_named(state.map.layers, handle)
    return state.artifact(layer.artifact) if layer is not None and layer.artifact else found


def _attributes(state: State, world: World, artifact: Artifact, row: int | None) -> Step:
    """The attribute table of features, which stay what they are: no copy is made."""
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    frame = read_vector(path, keep_empty=True)
    checked_row(artifact.name, len(frame), row)
    first = features_as_rows(frame.head(SHOWN_ROWS))
    after = with_pick(state, artifact.id, row).with_ui(table=artifact.id).with_panel("results")
    marked = f" Row {row:,} is marked." if row is not None else ""
    said = f"The results panel shows the {number_of(len(frame), 'row')} of {artifact.name!r}.{marked}"
    facts = {
        "table": artifact.id,
        "rows": len(frame),
        "columns": [str(each) for each in without_outlines(first).columns],
        "first": plain_rows(first),
        **({} if row is None else {"row": row}),
    }
    return Step(after, f"{said} The table is {artifact.id}.", facts)


def _as_rows(state: State, world: World, handle: str) -> Step:
    """What is drawn or selected, or a chart's values, as a table in the panel."""
    frame = load_table(state, world, handle)
    known = state.artifact(handle) or newest_named(state.artifacts, handle) or state.layer(handle)
    name = known.name if known is not None else handle
    said = f"The results panel shows the {number_of(len(frame), 'row')} of {name!r}."
    return table_step(state, world, frame, Call.of(show_table, table=handle), name, said)


@tool("ui", changes_state=True, needs=("figure",))
def show_figure(state: State, world: World, *, figure: FigureId | None = None) -> Step:
    """Show a figure in the figure panel; without one, the newest.

    Example: copilot call show_figure

    Asked as: show the chart again | open the figure | back to the histogram you made | display the plot once
    more | where is my chart | bring the bar chart back up
    """
    figures = [each.id for each in state.artifacts if each.kind == "figure"]
    if figure is None and not figures:
        raise ToolError("There is no figure yet; bar_figure or histogram_figure makes one.")
    wanted = figures[-1] if figure is None else id_or_name(state, figure, "figure")
    artifact_file(state, world, wanted, "figure")
    said = f"The figure panel shows {_title(state.artifact(wanted))}."
    return Step(state.with_ui(figure=wanted).with_panel("figure"), said, {"figure": wanted})


def _title(artifact: Artifact | None) -> str:
    return f"{artifact.name!r} ({artifact.summary})" if artifact else "it"


TOOLS = (open_page, open_panel, close_panel, display_hover, show_table, show_figure)
