"""Bring a user's own data into a catalogue.

    report = ingest(root, Path("harbours/"), name=None, format=None)

Rows stream from a reader (`data.readers`) to a staging area on disk and from there into a finished data set,
so memory does not grow with the source. All that happens in a process of its own (`data.apart`), which may
write in that staging area only; what it made is then moved into the catalogue here, in one step. A row that
cannot be used is reported with its file, its number and the reason, and the others go in. The same source
gives the same data set.
"""

from __future__ import annotations

import time
from dataclasses import replace as changed
from functools import partial
from pathlib import Path

from data.apart.reader import NOBODYS
from data.apart.reader import Reader as Apart
from data.catalogue.whole import MANIFEST
from data.catalogue.write import move_in, owners_root
from data.ingest.making import MADE, Progress, make
from data.ingest.names import slug, target_name
from data.ingest.report import IngestReport
from data.ingest.work import work_folder
from data.readers.base import UnreadableSource

__all__ = ["IngestReport", "Progress", "UnreadableSource", "ingest", "slug"]


def ingest(
    root: Path,
    source: Path,
    *,
    name: str | None = None,
    format: str | None = None,
    append: bool = False,
    replace: bool = False,
    owner: str | None = None,
    progress: Progress = lambda rows, doing: None,
    apart: Apart = NOBODYS,
) -> IngestReport:
    """Read `source` (a file or a folder) into the catalogue at `root`.

    `format` is a reader's name; without it the source is looked at. A data set made from the same
    source is replaced; `append` adds to it instead (of two rows with one id the newer stays), and
    `replace` allows to put it in the place of any other. `apart` says for whom it is read. With an `owner`
    it is theirs: nobody else sees it, and it takes no name of somebody else's.

    Raises UnreadableSource, in one sentence, when the source, its format or the name cannot be
    used, or none of its rows can; the catalogue is then as it was.
    """
    started = time.monotonic()
    if not source.exists():
        raise UnreadableSource(f"There is no file or folder {source.name!r}; check the path.")
    everybodys, root = root, owners_root(root, owner)
    dataset = target_name(root, source, name, append=append, replace=replace, mine=owner is not None)
    if owner is not None and (everybodys / dataset / MANIFEST).is_file():
        raise UnreadableSource(f"There is a data set {dataset!r} for everybody; give another name.")
    existing = root.absolute() / dataset if append else None
    place = source.resolve()
    with work_folder(root.absolute(), dataset) as folder:
        report = apart.read(
            partial(make, source.absolute(), dataset, folder, format=format, existing=existing, owner=owner),
            about=repr(source.name),
            error=UnreadableSource,
            # What annotations speak of lies beside them.
            reads=[place, *([existing] if existing else [])],
            also=[] if place.is_dir() else [source.absolute().parent, place.parent],
            folder=folder,
            heard=progress,
        )
        move_in(folder / MADE / dataset, root / dataset)
    return changed(report, seconds=time.monotonic() - started)
