"""Unpack archives: each file becomes an artifact, as one that is brought in alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Reach, Step, ToolError, World, tool
from tools.phrases import listed, number_of, one_line
from tools.python.archives import ArchiveHandle, archive_of, listed_apart
from tools.python.files_in import add_file
from tools.units import Words

MAX_EXTRACTED = 40


@tool(
    "python",
    changes_state=True,
    gives=("document", "raster", "vector", "table"),
    reads_files=True,
    long_running=True,
)
def extract_archive(
    state: State,
    world: World,
    *,
    document: ArchiveHandle,
    members: Annotated[
        Words | None,
        Field(description="Names of files in the archive, as list_archive tells them; all when left out."),
    ] = None,
) -> Step:
    """Unpack a ZIP or TAR archive, or some files of it; each becomes an artifact as add_file makes it.

    At most 40 files a call. Archives that are bombs, hold links or names that climb out are refused; a file
    that cannot be used is named, and the others are kept. An archive within is one file like any other.

    Example: copilot call extract_archive document=document-21b000 members=campaign/settings.json

    Asked as: unpack the zip | extract the archive | unzip bundle.zip | take stations.csv out of the zip |
    open the files in the archive | get the text file out of the bundle
    """
    from data.uploads.archive import extract
    from data.uploads.errors import UploadError

    found = archive_of(state, world, document)
    call = Call.of(extract_archive, document=found.handle, members=members)
    try:
        names = [each.name for each in listed_apart(world, found) if not each.is_folder]
        wanted = _wanted(names, members, one_line(found.name))
        inside = world.artifacts.about("document-000000").parent
        with TemporaryDirectory(prefix=".unpacked-", dir=inside) as folder:
            files = world.reader.read(
                partial(extract, found.path, Path(folder) / "out", only=wanted),
                about=one_line(found.name),
                error=UploadError,
                reads=[found.path],
                folder=Path(folder),
            )
            after, kept, refused = _added(state, world, call, files)
    except UploadError as error:
        raise ToolError(str(error)) from None
    if not kept:
        raise ToolError(f"No file of {one_line(found.name)} can be used: {refused[0]}")
    told = [f"{one_line(name)} ({artifact})" for name, artifact in kept]
    said = f"Unpacked {number_of(len(kept), 'file')} of {one_line(found.name)}: {listed(told, 12)}."
    if refused:
        said += f" {number_of(len(refused), 'file')} cannot be used: {refused[0]}"
    facts: dict[str, Any] = {
        "artifacts": [artifact for _, artifact in kept],
        "files": [name for name, _ in kept],
    }
    newest: dict[str, str] = {each.kind: each.id for each in after.artifacts if each.id in facts["artifacts"]}
    return Step(after, said, {**facts, **newest, "refused": refused[:40], "source": found.handle})


def _wanted(names: list[str], members: list[str] | None, archive: str) -> list[str]:
    """The archive's own names of the members that are asked for, by path or by file name."""
    if members is None:
        if len(names) > MAX_EXTRACTED:
            raise ToolError(
                f"{archive} holds {number_of(len(names), 'file')}; name at most {MAX_EXTRACTED} of "
                "them as members."
            )
        if not names:
            raise ToolError(f"{archive} holds no files.")
        return names
    if len(members) > MAX_EXTRACTED:
        raise ToolError(f"At most {MAX_EXTRACTED} files are unpacked at once, not {len(members)}.")
    chosen = []
    for each in members:
        same = [name for name in names if each.strip() in (name, name.rpartition("/")[2])]
        if not same:
            near = get_close_matches(each, names, n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]!r}?" if near else f"It holds {listed(names, 6)}."
            raise ToolError(f"{archive} holds no file {each[:200]!r}. {hint}")
        chosen.append(same[0])
    return chosen


def _added(
    state: State, world: World, call: Call, files: Sequence[Path]
) -> tuple[State, list[tuple[str, str]], list[str]]:
    """The state with each file as add_file brings it in, what those became, and why the others did not."""
    kept, refused = [], []
    for path in files:
        there = replace(world, uploads=path.parent, reach=Reach(free=False))
        try:
            step = add_file.function(state, there, file=path.name)
        except ToolError as error:
            refused.append(str(error))
            continue
        artifact = replace(step.state.artifacts[-1], made_by=str(call))
        state = step.state.with_artifact(artifact)
        kept.append((path.name, artifact.id))
    return state, kept, refused


TOOLS = (extract_archive,)
