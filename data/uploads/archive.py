"""Archives that strangers packed: listed and unpacked within limits, whatever they claim.

    for member in listing(path):            # nothing is unpacked to list a ZIP
        print(member.name, member.size_bytes)
    extract(path, folder)                   # every file below `folder`, which must be new or empty
    extract(path, folder, only={"a/b.tif"}) # some of them
    read_member(path, "a/b.prj", 65_536)    # a small one, as bytes

ZIP (stored or deflated) and TAR (plain, gzip, bzip2, xz) are told by their content, never by their
name. Every function raises `UploadError`, one sentence, and leaves nothing behind, for: names that
climb out of the folder, are absolute, twice the same, too long or too deep; links and devices; more
members or bytes than `Limits` allows; a size far above what was packed (a bomb), also where members
of a ZIP lie over each other; passwords; and content that is cut off or broken. Sizes that an archive
states are only believed downwards: what is written is counted as it comes. Nothing is unpacked
recursively, so an archive in an archive is one file like any other.
"""

from __future__ import annotations

import shutil
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal

from data.uploads.errors import UploadError, shown
from data.uploads.unpacking import Unpacked, UnpackError, open_unpacked

Kind = Literal["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"]

_PIECE_BYTES = 1 << 20
_FREE_BYTES = 500_000_000
"""What stays free on the disk."""
_TAR_MAGIC = (257, b"ustar")
_PACKED: tuple[tuple[bytes, Kind], ...] = (
    (b"\x1f\x8b\x08", "tar.gz"),
    (b"BZh", "tar.bz2"),
    (b"\xfd7zXZ\0", "tar.xz"),
)
_END_RECORD = b"PK\5\6"
_END_BYTES = 22
_MAX_COMMENT_BYTES = 65_535


@dataclass(frozen=True)
class Limits:
    """What an archive may be. A bomb is what breaks `ratio` and is over `small_bytes`."""

    members: int = 10_000
    total_bytes: int = 20_000_000_000
    ratio: float = 150.0
    """Unpacked bytes for each byte of the archive; deflate can reach 1032."""
    small_bytes: int = 200_000_000
    """An archive that unpacks to less may have any ratio: empty rasters pack very well."""
    directory_bytes: int = 32_000_000
    """A ZIP's table of contents, which is read into memory."""
    name_chars: int = 400
    depth: int = 20


LIMITS = Limits()


@dataclass(frozen=True)
class Member:
    """One file or folder of an archive."""

    name: str
    """Its path in the archive, with `/` between the parts; it never climbs out."""
    size_bytes: int
    is_folder: bool = False
    packed_bytes: int | None = None
    """None in a TAR, which packs the archive as a whole."""
    modified: str | None = None
    """`YYYY-MM-DDTHH:MM:SS` as the archive states it; a ZIP states no zone, a TAR is in UTC."""


def kind_of(path: Path) -> Kind | None:
    """The kind of archive that the content is, None when it is none (a packed single file is none)."""
    try:
        with path.open("rb") as file:
            start = file.read(512)
        if start.startswith((b"PK\3\4", _END_RECORD)):
            return "zip"
        if _is_tar(start):
            return "tar"
        for magic, kind in _PACKED:
            if start.startswith(magic):
                with open_unpacked(path, kind.removeprefix("tar."), 1 << 20) as stream:
                    return kind if _is_tar(stream.read(512)) else None
    except (OSError, UnpackError):
        return None
    return None


def listing(path: Path, limits: Limits = LIMITS) -> tuple[Member, ...]:
    """What an archive holds, in its own order. Raises UploadError for one that `extract` would refuse."""
    if _kind(path) == "zip":
        with _zip(path, limits) as (_, members):
            return tuple(member for _, member in members)
    with _tar(path, limits) as (_, pairs):
        return tuple(member for _, member in pairs)


def extract(
    path: Path, folder: Path, *, only: Collection[str] | None = None, limits: Limits = LIMITS
) -> tuple[Path, ...]:
    """Unpack into `folder`, which must be new or empty; the files written, in the archive's order.

    `only` are names out of `listing`; a name that is not there raises UploadError.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UploadError(f"The folder {shown(folder.name)} is not empty; unpack into a new one.")
    there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with _broken_as_sentence(path):
            written = tuple(_extracted(path, folder, only, limits))
        if only is not None and (missing := sorted(set(only) - {name for name, _ in written})):
            raise UploadError(f"The archive {shown(path.name)} holds no file {shown(missing[0])}.")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if there:
            folder.mkdir(exist_ok=True)
        raise
    return tuple(file for _, file in written)


def read_member(path: Path, name: str, max_bytes: int, limits: Limits = LIMITS) -> bytes:
    """The content of one small file. Raises UploadError when it is not there or is larger than that."""
    with _broken_as_sentence(path):
        for member, source in _contents(path, {name}, limits):
            if member.size_bytes > max_bytes:
                raise UploadError(
                    f"{shown(name)} in {shown(path.name)} has {member.size_bytes:,} bytes; "
                    f"at most {max_bytes:,} can be read."
                )
            content = source.read(member.size_bytes)
            if len(content) != member.size_bytes:
                raise UploadError(f"{shown(name)} in {shown(path.name)} is cut off or broken; pack it again.")
            return content
    raise UploadError(f"The archive {shown(path.name)} holds no file {shown(name)}.")


def _kind(path: Path) -> Kind:
    kind = kind_of(path)
    if kind is None:
        raise UploadError(f"{shown(path.name)} is no ZIP or TAR archive; pack the files as a ZIP.")
    return kind


def _extracted(
    path: Path, folder: Path, only: Collection[str] | None, limits: Limits
) -> Iterator[tuple[str, Path]]:
    for member, source in _contents(path, only, limits):
        target = folder.joinpath(*member.name.split("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < member.size_bytes + _FREE_BYTES:
            raise UploadError(f"There is not enough free disk space to unpack {shown(path.name)}.")
        left = member.size_bytes
        with target.open("xb") as file:
            while left > 0 and (piece := source.read(min(left, _PIECE_BYTES))):
                left -= len(piece)
                file.write(piece)
        if left:
            raise UploadError(
                f"{shown(member.name)} in {shown(path.name)} is cut off or broken; pack it again."
            )
        yield member.name, target


def _contents(path: Path, only: Collection[str] | None, limits: Limits) -> Iterator[tuple[Member, IO[bytes]]]:
    """The files that are wanted, each with a stream that is good until the next one is asked for."""
    if _kind(path) == "zip":
        with _zip(path, limits) as (archive, members):
            for info, member in members:
                if not member.is_folder and (only is None or member.name in only):
                    with archive.open(info) as packed:
                        yield member, packed
        return
    with _tar(path, limits) as (tar, pairs):
        for entry, member in pairs:
            if not member.is_folder and (only is None or member.name in only):
                source = tar.extractfile(entry)
                if source is not None:
                    yield member, source


# ── ZIP ──────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _zip(
    path: Path, limits: Limits
) -> Iterator[tuple[zipfile.ZipFile, list[tuple[zipfile.ZipInfo, Member]]]]:
    _check_directory(path, limits)
    with _broken_as_sentence(path), zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        if len(infos) > limits.members:
            raise UploadError(_too_many(path, limits))
        names = _Names(path, limits)
        members = [(info, _zip_member(path, info, names)) for info in infos]
        _check_overlap(path, infos)
        _check_size(path, sum(info.file_size for info in infos), limits)
        yield archive, members


def _zip_member(path: Path, info: zipfile.ZipInfo, names: _Names) -> Member:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UploadError(_no_link(path, info.filename))
    if info.flag_bits & 0x1:
        raise UploadError(f"{shown(path.name)} needs a password; pack it again without one.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UploadError(
            f"{shown(info.filename)} in {shown(path.name)} is packed by method {info.compress_type}; "
            "only stored and deflated files are read, so pack it again as an ordinary ZIP."
        )
    folder = info.is_dir()
    year, month, day, hour, minute, second = info.date_time
    return Member(
        name=names.checked(info.filename, folder),
        size_bytes=0 if folder else info.file_size,
        is_folder=folder,
        packed_bytes=info.compress_size,
        modified=f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{min(second, 59):02}",
    )


def _check_directory(path: Path, limits: Limits) -> None:
    """Refuse a table of contents too large to be read before it is read."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _END_BYTES - _MAX_COMMENT_BYTES))
        end = file.read()
    at = end.rfind(_END_RECORD)
    if at < 0 or len(end) - at < _END_BYTES:
        raise UploadError(f"{shown(path.name)} is a ZIP that is cut off or broken; send it again.")
    count, directory_bytes = struct.unpack_from("<HI", end, at + 10)
    # A ZIP64 puts the true numbers elsewhere; its own count is taken by `zipfile` and checked after.
    if directory_bytes != 0xFFFFFFFF and directory_bytes > limits.directory_bytes:
        raise UploadError(_too_many(path, limits))
    if count != 0xFFFF and count > limits.members:
        raise UploadError(_too_many(path, limits))
    locator = end.rfind(b"PK\6\7", 0, at)
    if directory_bytes == 0xFFFFFFFF or locator >= 0:
        _check_directory_64(path, end, locator, limits)


def _check_directory_64(path: Path, end: bytes, locator: int, limits: Limits) -> None:
    if locator < 0 or locator + 20 > len(end):
        raise UploadError(f"{shown(path.name)} is a ZIP that is cut off or broken; send it again.")
    (offset,) = struct.unpack_from("<Q", end, locator + 8)
    with path.open("rb") as file:
        file.seek(min(offset, path.stat().st_size))
        record = file.read(56)
    if len(record) < 56 or not record.startswith(b"PK\6\6"):
        raise UploadError(f"{shown(path.name)} is a ZIP that is cut off or broken; send it again.")
    count, directory_bytes = struct.unpack_from("<QQ", record, 32)
    if count > limits.members or directory_bytes > limits.directory_bytes:
        raise UploadError(_too_many(path, limits))


def _check_overlap(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    """Members share no bytes: a bomb of overlapping ones unpacks the same content again and again."""
    reached = 0
    for info in sorted(infos, key=lambda each: each.header_offset):
        if info.header_offset < reached:
            raise UploadError(
                f"{shown(path.name)} holds members that lie over each other, as an archive bomb does; "
                "pack the files again."
            )
        reached = info.header_offset + 30 + info.compress_size


# ── TAR ──────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _tar(
    path: Path, limits: Limits
) -> Iterator[tuple[tarfile.TarFile, Iterator[tuple[tarfile.TarInfo, Member]]]]:
    kind = _kind(path)
    allowed = _allowed_bytes(path, limits)
    packing = "none" if kind == "tar" else kind.removeprefix("tar.")
    too_large = _too_large(path, allowed, limits)
    with (
        _broken_as_sentence(path),
        open_unpacked(path, packing, allowed, too_large) as stream,
        tarfile.TarFile(fileobj=stream, mode="r") as archive,
    ):
        yield archive, _tar_members(path, archive, stream, limits)


def _tar_members(
    path: Path, archive: tarfile.TarFile, stream: Unpacked, limits: Limits
) -> Iterator[tuple[tarfile.TarInfo, Member]]:
    names, total, count = _Names(path, limits), 0, 0
    while (info := archive.next()) is not None:
        count += 1
        if count > limits.members:
            raise UploadError(_too_many(path, limits))
        if not (info.isreg() or info.isdir()) or info.issparse():
            raise UploadError(_no_link(path, info.name))
        total += info.size
        _check_size(path, total, limits)
        member = Member(
            name=names.checked(info.name, info.isdir()),
            size_bytes=info.size if info.isreg() else 0,
            is_folder=info.isdir(),
            modified=_when(info.mtime),
        )
        yield info, member
    # What follows the last member is padding; reading it checks the packing to its end.
    while stream.read(_PIECE_BYTES):
        pass


def _when(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _is_tar(start: bytes) -> bool:
    at, magic = _TAR_MAGIC
    return start[at : at + len(magic)] == magic


# ── what both are held to ────────────────────────────────────────────────────────────────────────


class _Names:
    """The names of an archive so far: each is checked against the folder and against the others."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._archive = shown(path.name)
        self._limits = limits
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def checked(self, name: str, is_folder: bool) -> str:
        """The name with `/` between its parts. Raises UploadError for one that is not safe to write."""
        plain = name.replace("\\", "/")
        if plain.startswith("/") or (len(plain) > 1 and plain[1] == ":"):
            raise UploadError(
                f"{self._archive} holds the absolute path {shown(name)}; pack it with relative names."
            )
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise UploadError(
                f"{self._archive} holds {shown(name)}, which climbs out of the folder; pack it without '..'."
            )
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in plain):
            raise UploadError(f"{self._archive} holds the name {shown(name)}, which has control characters.")
        too_long = len(plain) > self._limits.name_chars or any(len(each.encode()) > 200 for each in parts)
        if too_long or len(parts) > self._limits.depth:
            raise UploadError(f"{self._archive} holds {shown(name)}, a name that is too long or too deep.")
        if not parts and not is_folder:
            raise UploadError(f"{self._archive} holds a file without a name.")
        self._claim(name, parts, is_folder)
        return "/".join(parts)

    def _claim(self, name: str, parts: list[str], is_folder: bool) -> None:
        """One thing for each name, also on a disk that does not tell upper from lower case."""
        low = [part.casefold() for part in parts]
        own = "/".join(low)
        above = {"/".join(low[:count]) for count in range(1, len(low))}
        if is_folder:
            clash = own in self._files
            self._folders.add(own)
        else:
            clash = own in self._files or own in self._folders
            self._files.add(own)
        if clash or above & self._files:
            raise UploadError(
                f"{self._archive} holds {shown(name)} twice; pack it again with each name once."
            )
        self._folders |= above


@contextmanager
def _broken_as_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except UploadError:
        raise
    except UnpackError as error:
        raise UploadError(str(error) or f"{shown(path.name)} is cut off or broken; send it again.") from None
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, struct.error) as error:
        raise UploadError(f"{shown(path.name)} is cut off or broken; pack it again.") from error
    except (UnicodeDecodeError, NotImplementedError, RuntimeError, ValueError, OverflowError) as error:
        raise UploadError(
            f"{shown(path.name)} is an archive that cannot be read; pack it as a ZIP."
        ) from error


def _allowed_bytes(path: Path, limits: Limits) -> int:
    """The most an archive of this size may unpack to."""
    return min(limits.total_bytes, max(limits.small_bytes, int(path.stat().st_size * limits.ratio)))


def _check_size(path: Path, total: int, limits: Limits) -> None:
    allowed = _allowed_bytes(path, limits)
    if total > allowed:
        raise UploadError(_too_large(path, allowed, limits))


def _too_large(path: Path, allowed: int, limits: Limits) -> str:
    packed = path.stat().st_size
    if allowed == limits.total_bytes:
        return f"{shown(path.name)} unpacks to more than {allowed / 1e9:g} GB, the most; send fewer files."
    return (
        f"{shown(path.name)} has {packed:,} bytes and unpacks to over {allowed:,}, as an archive bomb does; "
        "send the files unpacked."
    )


def _too_many(path: Path, limits: Limits) -> str:
    return (
        f"{shown(path.name)} holds more than {limits.members:,} members, which is the most; send fewer files."
    )


def _no_link(path: Path, name: str) -> str:
    return (
        f"{shown(path.name)} holds {shown(name)}, which is a link or a device; "
        "only ordinary files and folders are unpacked."
    )
