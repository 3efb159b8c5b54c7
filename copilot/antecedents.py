"""What "it" is: what the calls of a conversation made last."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SELECTION = "selection"
"""What is spoken of after the catalogue was searched, and after its images were plotted."""
_MADE = ("figure", "detections", "vector", "table", "raster")
"""What a call's data name its artifacts by: of several, that which an answer is about comes first."""
_SELECTING = ("db_", "filter_")
_LOADING = (
    "db_load",
    "db_unload",
    "db_ingest",
    "db_sql",
    "filter_date",
    "filter_coords",
    "filter_class",
    "filter_lcc",
)


@dataclass(frozen=True)
class Antecedent:
    """What was made last."""

    kind: str
    """figure, detections, vector, table, raster or selection."""
    ref: str


def brought_last(
    artifacts: Sequence[Mapping[str, Any]], turns: Sequence[tuple[Sequence[str], Collection[str] | None]]
) -> Mapping[str, Any] | None:
    """The file that was brought in last, where nothing was selected from the catalogue since; else None.

    `artifacts` are the state's; `turns`, oldest first, each the tools that it called and the ids that there
    were after it, None where it changed nothing.
    """
    brought = [each for each in artifacts if str(each["made_by"]).startswith("add_file")]
    if not brought:
        return None
    newest = brought[-1]
    for tools, ids in turns:
        selected = any(tool.startswith(_LOADING) for tool in tools)
        if selected and ids is not None and newest["id"] in ids:
            return None
    return newest


def made_last(
    calls: Sequence[tuple[str, Mapping[str, Any]]], artifacts: Collection[str]
) -> Antecedent | None:
    """What the newest of some calls, each a tool with its data, made or selected; None where none did.

    `artifacts` are the ids that are still there. A file that was written out is no antecedent: "and as
    GeoJSON" means what it was written of.
    """
    for tool, data in reversed(calls):
        made = ((kind, data.get(kind)) for kind in _MADE)
        found = next(
            ((kind, str(ref)) for kind, ref in made if isinstance(ref, str) and ref in artifacts), None
        )
        if found is not None:
            return Antecedent(*found)
        if tool.startswith(_SELECTING) or tool.endswith("_plot"):
            return Antecedent(SELECTION, SELECTION)
    return None
