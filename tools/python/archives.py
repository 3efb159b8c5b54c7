"""List archives, and tell files by their hashes."""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.outside import file_named
from tools.phrases import listed, number_of, one_line
from tools.python.documents import Document, document_of
from tools.tables import table_of_inputs

if TYPE_CHECKING:
    from data.uploads.archive import Member

ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz")
ArchiveHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4096,
        description="An archive: a document's id or name, an uploaded file's name, or a file's path.",
        json_schema_extra={"format": "document"},
    ),
]
_PIECE_BYTES = 1 << 20


@tool("python", changes_state=True, gives=("table",), reads_files=True)
def list_archive(state: State, world: World, *, document: ArchiveHandle) -> Step:
    """List the files in a ZIP or TAR archive as a table, without unpacking it.

    The archive is a document of the session, an uploaded file, or a file on this machine. Those that are
    bombs, hold links or names that climb out are refused.

    Example: copilot call list_archive document=document-21b000

    Asked as: what is in the zip | list the archive | which files does bundle.zip hold | contents of the tar
    file | show me what is packed in there | how many files are in the archive
    """
    import pandas as pd

    from data.uploads.errors import UploadError

    found = archive_of(state, world, document)
    try:
        members = [each for each in listed_apart(world, found) if not each.is_folder]
    except UploadError as error:
        raise ToolError(str(error)) from None
    names = [one_line(each.name) for each in members]
    frame = pd.DataFrame(
        {
            "name": pd.Series(names, dtype="string"),
            "size_bytes": pd.Series([each.size_bytes for each in members], dtype="int64"),
            "modified": pd.Series([each.modified for each in members], dtype="string"),
        }
    )
    total = sum(each.size_bytes for each in members)
    files = [f"{name} ({each.size_bytes:,} bytes)" for name, each in zip(names[:8], members, strict=False)]
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    shown = f": {', '.join(files)}{more}" if files else ""
    said = f"{one_line(found.name)} holds {number_of(len(members), 'file')}, {total:,} bytes unpacked{shown}."
    call = Call.of(list_archive, document=found.handle)
    name = f"Files in {one_line(found.name)}"[:100]
    facts = {"files": len(members), "total_bytes": total, "source": found.handle}
    return table_of_inputs(state, world, [found], frame, call, name, said, **facts)


@tool("python")
def file_hash(
    state: State,
    world: World,
    *,
    artifact: Annotated[
        str,
        Field(min_length=1, max_length=200, description="Any artifact: its id, or its name."),
    ],
) -> Step:
    """Tell the SHA-256, the MD5 and the size of an artifact's file as it is kept here.

    A raster or a table that was brought in may have been rewritten (as a GeoTIFF, as Parquet); documents
    are kept byte for byte.

    Example: copilot call file_hash artifact=document-d0c0d0

    Asked as: checksum of the file | SHA-256 of the report | md5 of the raster | how big is the file | hash of
    that artifact | is it the same file
    """
    wanted = artifact.strip().casefold()
    found = state.artifact(artifact) or next(
        (each for each in reversed(state.artifacts) if each.name.casefold() == wanted), None
    )
    if found is None:
        raise ToolError(_none(state, artifact))
    path = world.artifacts.find(found.id)
    if path is None:
        raise ToolError(f"The file of {found.id} is gone; {found.made_by} makes it again.")
    sha256, md5, size = _digests(path)
    said = (
        f"{found.id} ({one_line(found.name)}, {path.suffix.lstrip('.')}) has {size:,} bytes, "
        f"SHA-256 {sha256} and MD5 {md5}."
    )
    return Step(state, said, {"artifact": found.id, "sha256": sha256, "md5": md5, "size_bytes": size})


def listed_apart(world: World, found: Document) -> tuple[Member, ...]:
    """What an archive holds, looked at in a process of its own. Raises UploadError."""
    from data.uploads.archive import listing
    from data.uploads.errors import UploadError

    return world.reader.read(
        partial(listing, found.path), about=one_line(found.name), error=UploadError, reads=[found.path]
    )


def archive_of(state: State, world: World, handle: str) -> Document:
    """The archive of that handle: a document of the session, else an uploaded file, else a file's path.

    Raises ToolError with the nearest names.
    """
    try:
        return document_of(state, world, handle, *ARCHIVES)
    except ToolError as error:
        path = _file_of(world, handle)
        if path is None:
            raise error from None
    from data.uploads.bring import file_sha256

    return Document(handle, path, path.stem, file_sha256(path))


def _file_of(world: World, handle: str) -> Path | None:
    """An uploaded file of that name, else the file of that path where files may be read; None for none."""
    if not handle.casefold().endswith(ARCHIVES):
        return None
    try:
        return file_named(world, handle).path
    except ToolError:
        return None


def _digests(path: Path) -> tuple[str, str, int]:
    """SHA-256 and MD5 in hexadecimal digits, and the size in bytes."""
    secure, short, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            secure.update(piece)
            short.update(piece)
            size += len(piece)
    return secure.hexdigest(), short.hexdigest(), size


def _none(state: State, asked: str) -> str:
    known = {each.id: each.name for each in state.artifacts}
    if not known:
        return f"There is no artifact {asked!r}; there is none yet, and add_file brings one in from a file."
    near = get_close_matches(asked, [*known, *known.values()], n=1)
    if near:
        return f"There is no artifact {asked!r}. Did you mean {near[0]!r}?"
    names = [f"{key} ({one_line(name)})" for key, name in list(known.items())[-6:]]
    return f"There is no artifact {asked!r}. There are {listed(names)}."


TOOLS = (list_archive, file_hash)
