"""Archives as they come in: the one file in them that is meant, with what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from data.uploads.archive import Member, extract, listing
from data.uploads.brought import MOST_AT_ONCE, Brought, Incoming
from data.uploads.errors import UploadError, all_shown, shown
from data.uploads.identify import PARTS_BESIDE, identify
from data.uploads.placing import BESIDE_SUFFIXES
from data.uploads.safe import bring_product, product_in

_PICTURES = (".png", ".jpg", ".jpeg")
_RASTERS = (
    ".tif", ".tiff", ".jp2", ".j2k", ".nc", ".nc4", ".h5", ".hdf5", ".he5", ".grib", ".grib2", ".grb",
    ".grb2", ".asc", ".mbtiles", *_PICTURES,
)  # fmt: skip
_VECTORS = (
    ".shp", ".gpkg", ".geojson", ".kml", ".geoparquet", ".parquet", ".gpx", ".gml", ".fgb", ".topojson",
    ".geojsonl", ".geojsonseq", ".ndjson", ".tab", ".mif", ".dxf",
)  # fmt: skip
_TABLES = (".csv", ".tsv", ".xlsx", ".json")
_DOCUMENTS = (".pdf", ".docx", ".txt", ".md", ".html", ".htm", ".xml")
_ARCHIVES = (".zip", ".kmz", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_SHAPEFILE = (".shp", ".shx", ".dbf", ".prj", ".cpg", ".qpj")
_TOGETHER = {**PARTS_BESIDE, ".shp": (*PARTS_BESIDE[".shp"], ".qpj")}
_SIDECARS = (
    *_SHAPEFILE[1:],
    *_TOGETHER[".tab"],
    *_TOGETHER[".mif"],
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
    if geodatabase := _geodatabase(members):
        return _bring_geodatabase(incoming, members, geodatabase)
    if (product := product_in(members)) is not None:
        found = bring_product(incoming, product, reader_of)
        if found is not None:
            return found
    if pieces := _pieces(members):
        return _bring_pieces(incoming, pieces, reader_of)
    chosen, parts, inner = _chosen(incoming, members)
    with_it = _belonging(chosen, members)
    folder = incoming.folder / "unpacked"
    files = extract(incoming.path, folder, only={chosen.name, *(each.name for each in with_it)})
    by_name = {file.relative_to(folder).as_posix(): file for file in files}
    file = by_name[chosen.name]
    if identify(file) == "archive":
        raise UploadError(
            f"{incoming.shown} holds another archive, {shown(chosen.name)}; unpack it and send its files."
        )
    file, beside = _side_by_side(file, [by_name[each.name] for each in with_it], incoming.folder / "alone")
    brought = reader_of(incoming.inner(file, beside, inner))
    notes = [f"It is {shown(chosen.name)} of the archive {incoming.shown}."]
    if beside_it := _pictures_of(chosen, members):
        notes.append(f"Its pictures and icons ({beside_it:,}) were left out.")
    if (
        not parts
        and inner is None
        and (rest := [each for each in _of(_VECTORS, members) if each is not chosen])
    ):
        named = ", ".join(shown(each.name) for each in rest[:6])
        notes.append(f"It also holds {named}: add_file with part={shown(rest[0].name)} adds that one.")
    if brought.parts:
        # A layer of a file in an archive is named by both.
        within = [f"{chosen.name}/{each}" for each in brought.parts]
        more = [each for each in parts if each != chosen.name]
        brought = replace(brought, part=f"{chosen.name}/{brought.part}", parts=(*within, *more))
    elif len(parts) > 1:
        brought = brought.of_several(chosen.name, parts, title=PurePosixPath(chosen.name).stem)
    return brought.noted(*notes)


def _chosen(incoming: Incoming, members: Sequence[Member]) -> tuple[Member, tuple[str, ...], str | None]:
    """(the member that is meant, all that can be layers of their own, the layer in it that was asked for).

    Raises UploadError where it is not clear which is meant.
    """
    wanted = incoming.asked.part
    if wanted is not None:
        for member in members:
            if wanted.startswith(f"{member.name}/"):
                return member, (), wanted.removeprefix(f"{member.name}/")
        named = [each for each in members if wanted in (each.name, PurePosixPath(each.name).name)]
        if len(named) == 1:
            layers = _of(_VECTORS, members)
            return named[0], tuple(each.name for each in layers) if named[0] in layers else (), None
        known = ", ".join(shown(each.name) for each in members[:8])
        raise UploadError(f"The archive {incoming.shown} has no single file {shown(wanted)}; it has {known}.")
    if (document := _kml_document(incoming, members)) is not None:
        return document, (), None
    for suffixes in ((*_RASTERS, *_VECTORS), _TABLES, _DOCUMENTS, _ARCHIVES):
        found = _of(suffixes, members)
        if len(found) == 1:
            return found[0], (), None
        if 1 < len(found) <= MOST_AT_ONCE and found == _of(_VECTORS, members):
            return found[0], tuple(each.name for each in found), None
        if found:
            raise UploadError(
                f"{incoming.shown} holds {len(found)} files that could be meant; "
                f"name one with part: {all_shown([each.name for each in found])}."
            )
    if any(_suffix(each.name) in (".shx", ".dbf") for each in members):
        raise UploadError(f"{incoming.shown} holds parts of a shapefile but no .shp; pack all of its parts.")
    if len(members) == 1:
        return members[0], (), None
    raise UploadError(
        f"{incoming.shown} holds {len(members)} files, none of a kind that is read; send one that is."
    )


def _of(suffixes: Sequence[str], members: Sequence[Member]) -> list[Member]:
    return [each for each in members if _suffix(each.name) in suffixes and not _is_sidecar(each, members)]


def _kml_document(incoming: Incoming, members: Sequence[Member]) -> Member | None:
    """The KML of a KMZ (OGC 12-007r2: the first one, doc.kml by custom), whose pictures only belong to it."""
    found = [each for each in members if _suffix(each.name) == ".kml"]
    if not found or any(each not in found for each in _of((*_RASTERS, *_VECTORS), members)
                        if _suffix(each.name) not in _PICTURES):  # fmt: skip
        return None
    by_custom = [each for each in found if each.name.lower() == "doc.kml"]
    if len(found) > 1 and not by_custom and _suffix(incoming.name) != ".kmz":
        return None
    return (by_custom or found)[0]


def _pictures_of(chosen: Member, members: Sequence[Member]) -> int:
    """How many pictures lie beside a KML."""
    return 0 if _suffix(chosen.name) != ".kml" else len(_of(_PICTURES, members))


def _geodatabase(members: Sequence[Member]) -> str | None:
    """The folder of the one file geodatabase in an archive; "" for one whose folder was left out."""
    folders = {each.name[: each.name.lower().index(".gdb/") + 4] for each in members
               if ".gdb/" in each.name.lower()}  # fmt: skip
    if len(folders) == 1:
        return folders.pop()
    lone = any(PurePosixPath(each.name).name.lower() == "a00000001.gdbtable" for each in members)
    return "" if lone and not folders else None


def _bring_geodatabase(incoming: Incoming, members: Sequence[Member], folder: str) -> Brought:
    """The layers of a file geodatabase, whose folder is unpacked as a whole."""
    from data.uploads.layers import bring_layers

    names = {each.name for each in members if each.name.startswith(f"{folder}/" if folder else "")}
    unpacked = incoming.folder / "unpacked"
    extract(incoming.path, unpacked, only=names)
    found = bring_layers(replace(incoming, path=unpacked / folder, beside={}), "gdb")
    named = shown(PurePosixPath(folder).name) if folder else incoming.shown
    return found.noted(f"It is the file geodatabase {named} of the archive {incoming.shown}.")


def _pieces(members: Sequence[Member]) -> list[Member] | None:
    """The files of one partitioned Parquet data set: in folders such as year=2020, or part-0, part-1."""
    found = [each for each in members if _suffix(each.name) in (".parquet", ".pq")]
    others = [
        each for each in members if each not in found and not PurePosixPath(each.name).name.startswith("_")
    ]
    if len(found) < 2 or any(_suffix(each.name) != ".crc" for each in others):
        return None
    in_folders = all("=" in PurePosixPath(each.name).parent.name for each in found)
    numbered = all(PurePosixPath(each.name).name.startswith("part-") for each in found)
    return found if in_folders or numbered else None


def _bring_pieces(
    incoming: Incoming, pieces: Sequence[Member], reader_of: Callable[[Incoming], Brought]
) -> Brought:
    """A partitioned Parquet data set as one table, with a column for each of the folders' names."""
    from data.uploads.tables import joined_pieces

    if incoming.asked.part is not None:
        raise UploadError(
            f"{incoming.shown} is one data set in {len(pieces)} pieces and has no part "
            f"{shown(incoming.asked.part)}; leave the part out."
        )
    unpacked = incoming.folder / "unpacked"
    extract(incoming.path, unpacked, only={each.name for each in pieces})
    whole = joined_pieces(incoming, unpacked, incoming.folder / "whole.parquet")
    found = reader_of(incoming.inner(whole, {}, None))
    return found.noted(f"It is a data set of {len(pieces):,} pieces of Parquet, put together.")


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
    wanted = _TOGETHER.get(_suffix(chosen.name), BESIDE_SUFFIXES)
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
