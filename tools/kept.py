"""Files that keep a name of their own among a session's artifacts: what somebody else's program takes."""

from __future__ import annotations

import unicodedata
from pathlib import Path

BESIDE = ".provenance.json"
"""What the name of the file ends with that says where a delivered one came from."""
_FOLDER = ".d"
_SOURCE = "-came"
"""What the id of a file ends with that is kept as it came in, beside what it became."""
_NAME_BYTES = 120
_ENDING_CHARS = 20
_SIGNS = "._-"


def safe_file_name(text: str, otherwise: str = "file") -> str:
    """A name as a file may bear it anywhere: letters of any script, digits, `.`, `_` and `-`; no path.

    Anything else between them becomes one `-`. A long one is cut before its ending.
    """
    plain = unicodedata.normalize("NFC", text.encode("utf-8", "ignore").decode())
    letters = [each if _is_letter(each) or each in _SIGNS else " " for each in plain]
    name = "-".join("".join(letters).split()).strip(_SIGNS)
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > _ENDING_CHARS or not ending.isascii():
        stem, dot, ending = name, "", ""
    most = _NAME_BYTES - len(dot + ending)
    stem = stem.encode()[:most].decode("utf-8", "ignore").strip(_SIGNS)
    return f"{stem or otherwise}{dot}{ending}"


def kept_folder(folder: Path, artifact_id: str) -> Path:
    """The folder of the one file that an artifact is, under the name that it was given."""
    return folder / f"{artifact_id}{_FOLDER}"


def has_own_name(path: Path) -> bool:
    """Whether an artifact's file bears the name that it was given, and not its id."""
    return path.parent.name.endswith(_FOLDER)


def found_file(found: Path) -> Path | None:
    """An artifact's file: what was found itself, or what lies in its folder; None for an empty one.

    What lies beside it is called after it, and so has a longer name.
    """
    if not found.name.endswith(_FOLDER) or not found.is_dir():
        return found
    files = [each for each in found.iterdir() if each.is_file() and not each.name.startswith(".")]
    return min(files, key=lambda each: (len(each.name), each.name), default=None)


def source_id(artifact_id: str) -> str:
    """What the file is kept as that came in and became an artifact."""
    return f"{artifact_id}{_SOURCE}"


def owner_of(inside: Path) -> str:
    """The id of the artifact that a file, by its path inside a session's folder, belongs to."""
    first = inside.parts[0]
    return (first if first.endswith(_FOLDER) else inside.name).split(".", 1)[0].removesuffix(_SOURCE)


def _is_letter(sign: str) -> bool:
    """Whether it is a letter, a digit, or a mark that belongs to a letter, as Thai and Hindi have them."""
    return unicodedata.category(sign)[0] in "LNM"
