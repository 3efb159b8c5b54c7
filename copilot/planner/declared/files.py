"""The files of a session, and which of them a text means: by its name, by its format, or by a path of the disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from copilot.planner.declared.signature import Parameter
from copilot.planner.declared.things import Thing
from copilot.planner.situation import Call, Situation

FORMATS = {
    "pdf": r"pdf",
    "docx": r"word|docx",
    "html": r"html?|web ?page|saved page",
    "txt": r"txt|text file|log|readme",
    "csv": r"csv|comma[- ]separated",
    "json": r"json",
    "xml": r"xml",
    "zip": r"zip|archive|bundle|tar",
    "jpg": r"jpe?g|photo(?:graph)?",
}
"""What people call the formats."""
_SAME = {"htm": "html", "log": "txt", "md": "txt", "text": "txt", "jpeg": "jpg", "tgz": "zip", "gz": "zip", "tar": "zip", "tsv": "csv"}  # fmt: skip
_ENDINGS = "pdf|docx|html?|txt|log|md|csv|tsv|json|xml|zip|tar(?:\\.gz)?|tgz|tiff?|jpe?g|png|geojson|gpkg|shp|xlsx|parquet"
_PATH = re.compile(
    rf"(?<![\w/:.@-])(?:[~.]{{0,2}}/)?(?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS})\b", re.I
)
_MADE = re.compile(r"^(?:add_file|download_file|extract_archive)\((?:.*?)(?:file|url)=(?P<path>[^,)]+)")
STORES = "vectorstore_"
"""How the tools begin whose documents are stores of texts, which are no files."""


@dataclass(frozen=True)
class File:
    """A file that was brought in."""

    ref: str
    """The artifact that was made of it, or a path that is read as it stands."""
    name: str
    """Without its ending, in lower case."""
    format: str
    """One of FORMATS; another ending as it is; nothing where it is not known."""


def files_at_hand(situation: Situation) -> list[File]:
    """The session's files, the newest last."""
    found = []
    for each in situation.state["artifacts"]:
        if each["made_by"].startswith(STORES):
            continue
        match = _MADE.match(each["made_by"])
        inside = (
            re.findall(r'"([^"]+)"', each["made_by"]) if each["made_by"].startswith("extract_archive") else []
        )
        path = match["path"] if match else each["name"]
        path = next((one for one in inside if PurePosixPath(one).stem.lower() == each["name"].lower()), path)
        written = each["kind"] == "document" and each["made_by"].startswith("read_")
        found.append(File(each["id"], each["name"].lower(), "txt" if written else format_of(path)))
    return found


def files_of(call: Call, number: int) -> list[File]:
    """The files that a planned call will bring in."""
    if call.tool in ("split_text", "load_document"):
        return [File(f"@{number}.table", "passages", "")]
    said = call.args.get("members") or [call.args.get("file") or call.args.get("url") or ""]
    if call.tool not in ("add_file", "download_file", "extract_archive") or len(said) != 1:
        return []
    ending = format_of(str(said[0]))
    return [File(f"@{number}.{kind_of(ending)}", PurePosixPath(str(said[0])).stem.lower(), ending)]


def kind_of(ending: str) -> str:
    """What kind of artifact a file of a format becomes."""
    kinds = {
        "csv": "table",
        "xlsx": "table",
        "tif": "raster",
        "tiff": "raster",
        "jpg": "raster",
        "png": "raster",
    }
    return kinds.get(ending, "vector" if ending in ("geojson", "gpkg", "shp", "parquet") else "document")


def narrowed(made: Sequence[Thing], files: Sequence[File]) -> list[Thing]:
    """What a planned call makes, when the file that it brings in tells the kind."""
    kinds = {each.ref.rpartition(".")[2] for each in files if each.ref.startswith("@")}
    return [each for each in made if not kinds or each.kind in kinds]


def format_of(path: str) -> str:
    """The format that a path's ending tells."""
    ending = PurePosixPath(path.strip().lower()).suffix.lstrip(".")
    return _SAME.get(ending, ending)


def stores_at_hand(situation: Situation) -> list[str]:
    """The names of the session's stores of texts."""
    return [
        each["name"]
        for each in situation.state["artifacts"]
        if each["made_by"].startswith("vectorstore_create")
    ]


def paths_in(text: str) -> list[str]:
    """The names of files that a text says, with their folders."""
    plain = re.sub(r"https?://\S+", lambda match: " " * len(match[0]), text)
    return [match[0] for match in _PATH.finditer(plain)]


def file_meant(text: str, files: Sequence[File]) -> File | None:
    """The file that a text names: one at hand, or a path that is not; None where it names none."""
    lowered = text.lower()
    said = paths_in(text)
    by_path = [
        each
        for path in said
        for each in reversed(files)
        if each.name == PurePosixPath(path).stem.lower() and each.format == format_of(path)
    ]
    packed = [path for path in said if format_of(path) == "zip"]
    if by_path and (not packed or by_path[0].format == "zip"):
        return by_path[0]
    outside = packed or [path for path in said if "/" in path]
    if outside:
        path = max(outside, key=lambda each: format_of(each) == "zip")
        return File(path, PurePosixPath(path).stem.lower(), format_of(path))
    for each in reversed(files):
        if len(each.name) > 2 and re.search(rf"\b{re.escape(each.name)}\b", lowered):
            return each
    return next(
        (
            each
            for each in reversed(files)
            if each.format in FORMATS and re.search(rf"\b(?:{FORMATS[each.format]})\b", lowered)
        ),
        None,
    )


_OF_FORMAT = {
    "read_pdf": "pdf", "read_docx": "docx", "read_html": "html", "read_text": "txt", "read_csv": "csv", "read_json": "json",
    "read_xml": "xml", "list_archive": "zip", "extract_archive": "zip",
    "token_count": "txt",
}  # fmt: skip
"""What kind of file a tool works on."""


def from_files(
    tool: str,
    wanted: Sequence[Parameter],
    text: str,
    files: Sequence[File],
    stores: Sequence[str],
    known: Collection[str],
) -> dict[str, Any]:
    """The arguments of a tool that mean files and stores. `known`: which are said already."""
    found: dict[str, Any] = {}
    file = file_meant(text, files)
    ending = _OF_FORMAT.get(tool, "")
    for each in wanted:
        if each.name == "artifact" and each.kind == "text":
            meant = file or (files[-1] if files else None)
            found |= {"artifact": meant.ref} if meant else {}
        elif each.handle == "document" and each.kind == "handle":
            fitting = [one for one in files if not ending or one.format == ending]
            if (
                file is not None
                and (not ending or file.format == ending)
                and not file.ref.startswith(("raster", "@0"))
            ):
                found[each.name] = file.ref
            elif fitting and (each.required or _is_pointed_at(text, known)):
                documents = [one for one in fitting if ending or one.ref.startswith(("document", "@"))]
                found |= {each.name: documents[-1].ref} if documents else {}
        elif each.name == "store" and stores:
            said = [one for one in stores if re.search(rf"\b{re.escape(one)}\b", text, re.I)]
            found["store"] = (said or stores)[-1]
    return found


def _is_pointed_at(text: str, known: Collection[str]) -> bool:
    """Whether a text speaks of a document that it does not name, and says nothing of its own."""
    if re.search(r"\b(?:tables?|them|these|those|pieces|chunks|passages)\b", text, re.I):
        return False
    return not {"text", "texts", "table"} & set(known) and bool(
        re.search(r"\b(?:documents?|reports?|files?|notes?|text|it|this|that)\b", text, re.I)
    )


__all__ = [
    "FORMATS",
    "STORES",
    "File",
    "file_meant",
    "files_at_hand",
    "files_of",
    "format_of",
    "paths_in",
    "stores_at_hand",
]
