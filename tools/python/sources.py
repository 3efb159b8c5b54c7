"""The user's own text files as they came in, beside the layers and tables that they became.

What is read of them is kept with the session, so that a session that is replayed or copied reads the same.
"""

from __future__ import annotations

import codecs
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from state.model import Artifact, State
from tools.artifacts import FEATURES, about, newest_named
from tools.base import Step, ToolError, World
from tools.kept import source_id
from tools.map.picked import with_pick
from tools.phrases import listed, number_of, one_line
from tools.python.documents import Document, document_of
from tools.rows import load_table
from tools.tables import plain_rows, rows_in_words, without_outlines
from tools.vectors import kept_vector_of

if TYPE_CHECKING:
    import pandas as pd

MOST_KEPT_BYTES = 50_000_000
"""As many as `data.documents.text` reads."""
_LOOK_BYTES = 65_536
_KINDS = ("table", *FEATURES)
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def keep_source(world: World, artifact_id: str, path: Path, *, ours: bool) -> None:
    """Keep a text file as it came in beside the features or the table that it became.

    One that nobody writes to again (`ours`) is kept by a link. What is no text, or larger than
    `MOST_KEPT_BYTES`, is not kept.
    """
    kept = source_id(artifact_id)
    if path.stat().st_size > MOST_KEPT_BYTES or not _is_text(path) or world.artifacts.find(kept) is not None:
        return
    from data.uploads.rasters import link_or_copy

    target = world.artifacts.named(kept, path.name)
    part = target.with_name(f".{target.name}.writing")
    part.unlink(missing_ok=True)
    try:
        (link_or_copy if ours else shutil.copyfile)(path, part)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def opened_as(state: State, world: World, handle: str) -> Artifact | None:
    """The features or the table that a file became, by its id, name, layer or file name.

    None where a document is meant.
    """
    known = state.artifact(handle)
    if known is None:
        layer = state.layer(handle)
        known = state.artifact(layer.artifact) if layer is not None and layer.artifact else None
    if known is None:
        wanted = handle.strip().casefold()
        documents = [each for each in state.artifacts if each.kind == "document"]
        others = [each for each in state.artifacts if each.kind in _KINDS]
        files = [each for each in others if wanted in (name.casefold() for name in _files(world, each))]
        known = (
            next((each for each in reversed(documents) if each.name.casefold() == wanted), None)
            or (files[-1] if files else None)
            or newest_named([each for each in others if _source(world, each) is not None], handle)
            or newest_named(others, handle)
        )
    return known if known is not None and known.kind in _KINDS else None


def source_or_document(state: State, world: World, handle: str, *suffixes: str) -> Document:
    """The file as it came in of the features or the table that are meant, else the document.

    Raises ToolError where that file is not kept, and where there is no document.
    """
    artifact = opened_as(state, world, handle)
    if artifact is None:
        return document_of(state, world, handle, *suffixes)
    path = _source(world, artifact)
    if path is None:
        raise ToolError(
            f"{one_line(artifact.name)} ({artifact.id}) is {_what(artifact)}, and no text that it came from "
            f"is kept: of the files that are added, texts of up to {MOST_KEPT_BYTES:,} bytes are. "
            "inspect tells its columns and sample_rows its rows."
        )
    return Document(artifact.id, path, _files(world, artifact)[0], artifact.id)


def opened_step(state: State, world: World, artifact: Artifact) -> Step:
    """What a file is open as, shown in the results panel: no second table is made of it."""
    if artifact.kind in FEATURES:
        frame: pd.DataFrame = kept_vector_of(state, world, artifact.id).frame
        after = with_pick(state, artifact.id, None).with_ui(table=artifact.id).with_panel("results")
    else:
        frame = load_table(state, world, artifact.id)
        after = state.with_ui(table=artifact.id).with_panel("results")
    rows = without_outlines(frame)
    names = [one_line(str(each)) for each in rows.columns]
    name, files = one_line(artifact.name), _files(world, artifact)
    said = (
        f"{one_line(files[0]) if files else name} is open already as {_what(artifact)}, {name} "
        f"({artifact.id}), which is taken: {number_of(len(rows), 'row')} with the columns "
        f"{listed(names, 12)}."
    )
    first = rows_in_words(rows)
    facts = {
        "table": artifact.id, "rows": len(rows), "columns": names, "first": plain_rows(rows.head(5)),
        "source": artifact.id,
    }  # fmt: skip
    return Step(after, f"{said}{f' First rows, as data:{first}' if first else ''}", facts)


def _files(world: World, artifact: Artifact) -> list[str]:
    """The names of the file that came in, or none."""
    path = _source(world, artifact)
    known = about(world, artifact.id)
    came = [str(each["name"]) for each in known.get("inputs", ())] if "upload" in known else []
    return list(dict.fromkeys([*came, *([] if path is None else [path.name])]))


def _source(world: World, artifact: Artifact) -> Path | None:
    return world.artifacts.find(source_id(artifact.id))


def _what(artifact: Artifact) -> str:
    return "a table" if artifact.kind == "table" else "a layer"


def _is_text(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_LOOK_BYTES)
    return b"\0" not in head or head.startswith(_WIDE)
