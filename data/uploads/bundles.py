"""Archives as they come in: the one file in them that is meant, with what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from data.uploads.archive import Member, extract, listing
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import UploadError, shown
from data.uploads.identify import identify
from data.uploads.placing import BESIDE_SUFFIXES

_RASTERS = (".tif", ".tiff", ".jp2", ".j2k", ".nc", ".nc4", ".h5", ".hdf5", ".he5", ".png", ".jpg", ".jpeg")
_VECTORS = (".shp", ".gpkg", ".geojson", ".kml", ".geoparquet", ".parquet")
_TABLES = (".csv", ".tsv", ".xlsx", ".json")
_DOCUMENTS = (".pdf", ".docx", ".txt", ".md", ".html", ".htm", ".xml")
_ARCHIVES = (".zip", ".kmz", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_SHAPEFILE = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".qpj")
_SIDECARS = (
    *_SHAPEFILE[1:],
    *BESIDE_SUFFIXES,
    ".sbn",
    ".sbx",
    ".qix",
    ".aux.xml",
    ".ovr",
    ".msk",
    ".fix",
    ".idx",
)


def bring_archive(incoming: Incoming, reader_of: Callable[[Incoming], Brought]) -> Brought:
    """What the archive is about, brought in by `reader_of`. Raises UploadError when that is not clear."""
    members = [each for each in listing(incoming.path) if not each.is_folder and not _is_litter(each.name)]
    if not members:
        raise UploadError(f"The archive {incoming.shown} is empty; pack the files into it.")
    chosen = _chosen(incoming, members)
    with_it = _belonging(chosen, members)
    folder = incoming.folder / "unpacked"
    files = extract(incoming.path, folder, only={chosen.name, *(each.name for each in with_it)})
    by_name = {file.relative_to(folder).as_posix(): file for file in files}
    found = by_name[chosen.name]
    if identify(found) == "archive":
        raise UploadError(
            f"{incoming.shown} holds another archive, {shown(chosen.name)}; unpack it and send its files."
        )
    found, beside = _side_by_side(found, [by_name[each.name] for each in with_it], incoming.folder / "alone")
    brought = reader_of(incoming.inner(found, beside, None))
    note = f"It is {shown(chosen.name)} of the archive {incoming.shown}."
    return brought.noted(note)


def _chosen(incoming: Incoming, members: Sequence[Member]) -> Member:
    wanted = incoming.asked.part
    if wanted is not None:
        named = [each for each in members if wanted in (each.name, PurePosixPath(each.name).name)]
        if len(named) == 1:
            return named[0]
        known = ", ".join(shown(each.name) for each in members[:8])
        raise UploadError(f"The archive {incoming.shown} has no single file {shown(wanted)}; it has {known}.")
    if any(".gdb/" in each.name.lower() for each in members):
        raise UploadError(f"{incoming.shown} holds a file geodatabase, which is not read; send a GeoPackage.")
    for suffixes in ((*_RASTERS, *_VECTORS), _TABLES, _DOCUMENTS, _ARCHIVES):
        found = [
            each for each in members if _suffix(each.name) in suffixes and not _is_sidecar(each, members)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            known = ", ".join(shown(each.name) for each in found[:8])
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            raise UploadError(
                f"{incoming.shown} holds {len(found)} files that could be meant; "
                f"name one with part: {known}{more}."
            )
    if any(_suffix(each.name) in (".shx", ".dbf") for each in members):
        raise UploadError(f"{incoming.shown} holds parts of a shapefile but no .shp; pack all of its parts.")
    if len(members) == 1:
        return members[0]
    raise UploadError(
        f"{incoming.shown} holds {len(members)} files, none of a kind that is read; send one that is."
    )


def _is_sidecar(member: Member, members: Sequence[Member]) -> bool:
    """Whether a file only says something about another one: `a.tif.aux.xml`, `a.xml` beside `a.tif`."""
    lower = member.name.lower()
    if lower.endswith(_SIDECARS):
        return True
    if _suffix(lower) not in (".xml", ".txt", ".html", ".htm", ".json", ".md"):
        return False
    stem = lower.rpartition(".")[0]
    others = {each.name.lower() for each in members} - {lower}
    return stem in others or any(other.rpartition(".")[0] == stem for other in others)


def _belonging(chosen: Member, members: Sequence[Member]) -> list[Member]:
    wanted = _SHAPEFILE if _suffix(chosen.name) == ".shp" else BESIDE_SUFFIXES
    stem = _stem(chosen.name)
    found: dict[str, Member] = {}
    for each in members:
        if each is not chosen and _stem(each.name) == stem and _suffix(each.name) in wanted:
            found.setdefault(_suffix(each.name), each)
    return list(found.values())


def _side_by_side(found: Path, others: Sequence[Path], folder: Path) -> tuple[Path, dict[str, Path]]:
    """The files under one stem with small suffixes, as GDAL looks for them, and nothing else beside them."""
    folder.mkdir()
    stem = found.stem[:100].lstrip(".") or "file"
    main = found.rename(folder / f"{stem}{found.suffix.lower()}")
    beside = {each.suffix.lower(): each.rename(folder / f"{stem}{each.suffix.lower()}") for each in others}
    return main, beside


def _is_litter(name: str) -> bool:
    parts = name.split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db", "desktop.ini")


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _stem(name: str) -> str:
    return name[: len(name) - len(PurePosixPath(name).suffix)].lower()
