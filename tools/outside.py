"""The one door to files that are not the session's own: which of them a caller may read, and by what name.

    found = file_named(world, "scene.tif")        # one file: an upload, or what the world's reach allows
    found = source_named(world, "surveys/2024")   # a file or a folder

On one's own machine (the command line, scripts) any path is a name. Over the web a name is that of an
upload, or `folder/relative/path` below a folder that the operator has named in $AZIMUTH_DATA_FOLDERS; a
path of the server is none, whether there is such a file or not. Links are followed before it is judged
where a file lies, and what is Azimuth's own (the home, the store, other people's uploads and data) is
opened for nobody. What is given back has no links left in it, so that it is what was judged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from tools.base import ToolError, World
from tools.phrases import listed

FOLDERS_VARIABLE = "AZIMUTH_DATA_FOLDERS"
_SHOWN_CHARS = 200
_PLAIN = re.compile(r"[^\w.()-]+")


@dataclass(frozen=True)
class Outside:
    """A file, or a folder, that may be read."""

    path: Path
    """Where it lies, links followed."""
    name: str
    """What a caller calls it: an upload's name, `folder/relative/path`, or a path of one's own machine."""
    ours: bool = False
    """One of the owner's uploads, which nobody else writes to."""


def file_named(world: World, name: str) -> Outside:
    """The one file of that name. Raises ToolError with what may be named."""
    found = source_named(world, name)
    if found.path.is_dir():
        raise ToolError(
            f"{_shown(name)} is a folder; give one file, or ingest the folder as a data set (db_ingest)."
        )
    return found


def source_named(world: World, name: str) -> Outside:
    """The file or folder of that name. Raises ToolError with what may be named."""
    from data.uploads.identify import is_connection

    if is_connection(name):
        where = "give its path on this machine" if world.reach.free else _what_else(world)
        raise ToolError(f"{name[:80]!r} is an address and no file; upload the file, or {where}.")
    uploaded = _upload(world, name)
    if uploaded is not None:
        return uploaded
    found = _on_this_machine(world, name) if world.reach.free else _in_a_folder(world, name)
    if not found.path.is_file() and not found.path.is_dir():
        raise ToolError(f"{_shown(name)} is no file that holds data; give a file or a folder.")
    if not os.access(found.path, os.R_OK | (os.X_OK if found.path.is_dir() else 0)):
        raise ToolError(f"{_shown(name)} may not be read by this user; change its permissions or copy it.")
    return found


def uploaded_names(world: World) -> list[str]:
    """The names of the owner's uploads, sorted."""
    if world.uploads is None or not world.uploads.is_dir():
        return []
    return sorted(
        each.name
        for each in os.scandir(world.uploads)
        if each.is_file(follow_symlinks=False) and each.name[0] != "."
    )


def may_open(world: World, path: Path, owner: str | None = None) -> bool:
    """Whether a file that a record names (an image's pixels) may be opened: it is there, and not Azimuth's.

    Of what is Azimuth's, the session's own uploads may, and those of the `owner` of a data set that the
    session sees, since the record is of it.
    """
    try:
        real = path.resolve()
        if not real.is_file():
            return False
    except (OSError, ValueError, RuntimeError):
        return False
    if world.uploads is not None:
        mine = world.uploads.resolve()
        if any(real.is_relative_to(each) for each in (mine, *([mine.parent / owner] if owner else ()))):
            return True
    return not is_closed(real, world.reach.closed)


def is_closed(real: Path, closed: Iterable[Path]) -> bool:
    """Whether a file or folder, links followed, is Azimuth's own, lies in what is, or holds some of it.

    A hard link to one of its files counts as the file.
    """
    for each in closed:
        own = each.resolve()
        if real.is_relative_to(own) or own.is_relative_to(real):
            return True
        if own.is_file() and real.is_file() and own.samefile(real):
            return True
    return False


def named_folders(value: str) -> dict[str, Path]:
    """The folders of $AZIMUTH_DATA_FOLDERS (parted by `:`) by their names; a second of a name gets `-2`."""
    found: dict[str, Path] = {}
    for each in value.split(os.pathsep):
        if not each.strip():
            continue
        folder = Path(each.strip()).expanduser().resolve()
        plain = _PLAIN.sub("-", folder.name).strip("-.") or "data"
        name, number = plain, 2
        while name in found:
            name, number = f"{plain}-{number}", number + 1
        found[name] = folder
    return found


def _upload(world: World, name: str) -> Outside | None:
    """The upload of that name; a link among the uploads is none."""
    if world.uploads is None or "/" in name or "\\" in name or "\0" in name or name.startswith("."):
        return None
    try:
        path = world.uploads / name
        if path.is_file() and not path.is_symlink():
            return Outside(path, name, ours=True)
    except (OSError, ValueError):
        pass
    return None


def _on_this_machine(world: World, name: str) -> Outside:
    """Any path but Azimuth's own; where there is none, one in the operator's folders by its name there."""
    try:
        real = Path(name).expanduser().resolve()
        there = real.exists()
    except (OSError, ValueError, RuntimeError):
        raise ToolError(f"{_shown(name)} is no path; give a file or a folder on this machine.") from None
    if not there and (inside := _inside_folders(world.reach.folders, name)) is not None:
        real, there = inside, True
    if there and is_closed(real, world.reach.closed):
        raise ToolError(
            f"{_shown(name)} is Azimuth's own, or holds what is: the home folder is not opened as data. "
            "Give a file or a folder elsewhere."
        )
    if not there:
        raise ToolError(f"There is no file or folder {_shown(name)}{_near(world, name)}")
    return Outside(real, name)


def _in_a_folder(world: World, name: str) -> Outside:
    """What lies in one of the operator's folders, by its name there. All else is answered alike."""
    real = _inside_folders(world.reach.folders, name)
    if real is None or is_closed(real, world.reach.closed):
        raise ToolError(f"There is no file {_shown(name)} that can be read from here{_near(world, name)}")
    return Outside(real, name)


def _inside_folders(folders: Mapping[str, Path], name: str) -> Path | None:
    """The file or folder `name/relative/path`, links followed; None where it is none, or lies outside."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] not in folders or ".." in parts or "\0" in name:
        return None
    folder = folders[parts[0]].resolve()
    try:
        real = folder.joinpath(*parts[1:]).resolve()
        return real if real.is_relative_to(folder) and real.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _near(world: World, name: str) -> str:
    """The end of a sentence about a name that is none: the nearest upload, or what may be named."""
    uploaded = uploaded_names(world)
    near = get_close_matches(name, uploaded, n=1)
    if near:
        return f". Did you mean {near[0]!r}?"
    if world.reach.free:
        return f". Uploaded are {listed(uploaded)}." if uploaded and "/" not in name else "; check the path."
    return f"; {_what_else(world)}."


def _what_else(world: World) -> str:
    """What may be named over the web."""
    uploaded = uploaded_names(world)
    said = f"upload it first (uploaded are {listed(uploaded)})" if uploaded else "upload it first"
    if world.reach.folders:
        names = listed([f"{each}/…" for each in world.reach.folders])
        return f"{said}, or name what lies in a folder that is open to all: {names}"
    return f"{said}; whoever runs Azimuth can open folders to all (${FOLDERS_VARIABLE})"


def _shown(name: str) -> str:
    return repr(name[:_SHOWN_CHARS])
