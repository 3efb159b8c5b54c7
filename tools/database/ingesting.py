"""Bring the user's own files into the catalogue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.outside import source_named
from tools.phrases import listed, number_of
from tools.selection import reselected

if TYPE_CHECKING:
    from data.ingest import IngestReport

_SHOWN_REJECTED = 20


@tool("database", changes_state=True, gives=("loaded",), external=True, long_running=True)
def db_ingest(
    state: State,
    world: World,
    *,
    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4096,
            description="An uploaded file's name, or a file or a folder on this machine.",
        ),
    ],
    name: Annotated[
        str | None, Field(description="The data set's name; made from the path when left out.")
    ] = None,
    format: Annotated[
        str | None, Field(description="How to read it, such as coco or geojson; found out when left out.")
    ] = None,
) -> Step:
    """Add the user's own file or folder to the catalogue as a data set, and load it.

    Reads xView, xBD, xView3, SARFish, FAIR1M, fMoW, BigEarthNet, COCO, DOTA, GeoJSON, GeoParquet,
    CSV, STAC and folders of rasters. Rows that cannot be used are reported, the others go in; the
    same source twice gives the same data set. Over the web a source is an upload's name, or folder/path
    below a folder of $AZIMUTH_DATA_FOLDERS; paths work on one's own machine.

    Example: copilot call db_ingest path=harbours.geojson

    Asked as: import my own images | add this folder to the catalogue | ingest /data/annotations.json | bring
    in a COCO file | read my GeoJSON of points | load the file from disk | upload my csv | register a new data
    set from a path
    """
    from data.ingest import UnreadableSource, ingest  # the readers' libraries cost half a second

    if world.catalogue_root is None:
        raise ToolError(
            "This catalogue is on a server and cannot be written from here; its keeper can ingest."
        )
    source = source_named(world, path).path
    try:
        report = ingest(
            world.catalogue_root, source, name=name, format=format, owner=world.owner, apart=world.reader
        )
    except UnreadableSource as error:
        raise ToolError(str(error)) from error
    dataset = report.dataset.name
    loaded = tuple(sorted({*state.database.loaded, dataset}))
    step = reselected(state, world, replace(state.database, loaded=loaded), _said(report))
    rejected = [
        {"file": each.file, "row": each.row, "reason": each.reason}
        for each in report.rejected[:_SHOWN_REJECTED]
    ]
    facts = {
        "dataset": dataset,
        "format": report.format,
        "images": report.images,
        "detections": report.detections,
        "rejected": report.rejected_count,
        "reasons": [{"key": reason, "count": count} for reason, count in report.reasons],
        "notes": [{"key": reason, "count": count} for reason, count in report.notes],
        "rejected_rows": rejected,
        "version": report.dataset.version,
    }
    return replace(step, data={**step.data, **facts})


def _said(report: IngestReport) -> str:
    said = f"Read {number_of(report.images, 'row')}"
    if report.detections:
        said += f" with {number_of(report.detections, 'detection')}"
    said += f" as {report.format} into the data set {report.dataset.name}, which is now loaded."
    if report.rejected_count:
        reasons = listed([f"{reason} ({count:,})" for reason, count in report.reasons], 3)
        said += f" {number_of(report.rejected_count, 'row')} could not be used: {reasons}."
    if report.notes:
        notes = [reason if count == 1 else f"{reason} ({count:,})" for reason, count in report.notes]
        said += f" Of what was kept: {listed(notes, 3)}."
    return said


TOOLS = (db_ingest,)
