"""Archives are listed and unpacked within limits, and what is unsafe in them gets one sentence."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from data.uploads.archive import Limits, Member, extract, kind_of, listing, read_member
from data.uploads.errors import UploadError

FILES = {"a/one.txt": b"one\n" * 10, "two.bin": bytes(range(256)) * 8}


def zipped(path: Path, files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 5, 6, 7, 8, 10)), content, method)
    return path


def tarred(path: Path, packing: str, files: dict[str, bytes] = FILES) -> Path:
    with tarfile.open(path, f"w:{packing}") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_715_000_000
            archive.addfile(info, io.BytesIO(content))
    return path


def sentence(call: object, *args: object, **more: object) -> str:
    with pytest.raises(UploadError) as caught:
        call(*args, **more)  # type: ignore[operator]
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text
    return text


def test_a_zip_is_listed_without_unpacking_and_unpacked_whole(tmp_path: Path) -> None:
    path = zipped(tmp_path / "some.bin")
    assert kind_of(path) == "zip"
    one, two = listing(path)
    assert (one.name, one.size_bytes, one.modified) == ("a/one.txt", 40, "2024-05-06T07:08:10")
    assert (two.name, two.size_bytes, two.is_folder) == ("two.bin", 2048, False)
    written = extract(path, tmp_path / "out")
    assert [file.relative_to(tmp_path / "out").as_posix() for file in written] == list(FILES)
    assert [file.read_bytes() for file in written] == list(FILES.values())


@pytest.mark.parametrize(
    ("packing", "kind"), [("", "tar"), ("gz", "tar.gz"), ("bz2", "tar.bz2"), ("xz", "tar.xz")]
)
def test_a_tar_of_every_packing_gives_back_what_went_in(tmp_path: Path, packing: str, kind: str) -> None:
    path = tarred(tmp_path / "some.bin", packing)
    assert kind_of(path) == kind
    assert listing(path)[1] == Member("two.bin", 2048, False, None, "2024-05-06T12:53:20")
    written = extract(path, tmp_path / "out")
    assert [file.read_bytes() for file in written] == list(FILES.values())
    assert read_member(path, "a/one.txt", 100) == FILES["a/one.txt"]


def test_only_the_wanted_members_are_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "some.zip")
    assert [file.name for file in extract(path, tmp_path / "out", only={"two.bin"})] == ["two.bin"]
    assert "holds no file 'three'" in sentence(extract, path, tmp_path / "new", only={"three"})
    assert not (tmp_path / "new").exists()
    assert "at most 5 can be read" in sentence(read_member, path, "two.bin", 5)


def test_a_folder_with_files_in_it_is_not_written_to(tmp_path: Path) -> None:
    path = zipped(tmp_path / "some.zip")
    assert "is not empty" in sentence(extract, path, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["some.zip"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../evil.txt", "climbs out of the folder"),
        ("a/../../evil.txt", "climbs out of the folder"),
        ("..\\evil.txt", "climbs out of the folder"),
        ("/etc/passwd", "absolute path"),
        ("C:\\evil.txt", "absolute path"),
        ("a\x1b[2Jb.txt", "control characters"),
        ("x" * 300, "too long or too deep"),
        ("/".join("abcdefghijklmnopqrstuvwxyz"), "too long or too deep"),
        ("TWO.bin", "twice"),
        ("two.bin/inside", "twice"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, lambda path, files: tarred(path, "gz", files)], ids=["zip", "tar"])
def test_a_name_that_is_unsafe_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, said: str, pack: object
) -> None:
    path = pack(tmp_path / "bad", {**FILES, name: b"x"})  # type: ignore[operator]
    assert said in sentence(listing, path)
    assert said in sentence(extract, path, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir()] == ["bad"]


def test_links_and_devices_are_not_unpacked(tmp_path: Path) -> None:
    linked = tmp_path / "link.zip"
    with zipfile.ZipFile(linked, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert "is a link or a device" in sentence(listing, linked)
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        with tarfile.open(tmp_path / "link.tar", "w") as archive:
            entry = tarfile.TarInfo("link")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        assert "is a link or a device" in sentence(extract, tmp_path / "link.tar", tmp_path / "out")


def test_a_bomb_is_told_by_its_ratio_before_it_is_unpacked(tmp_path: Path) -> None:
    limits = Limits(small_bytes=100_000, ratio=50)
    zeros = {"zeros": bytes(1_000_000)}
    assert "archive bomb" in sentence(listing, zipped(tmp_path / "bomb.zip", zeros), limits)
    for packing in ("gz", "bz2", "xz"):
        path = tarred(tmp_path / f"bomb.{packing}", packing, zeros)
        assert "archive bomb" in sentence(extract, path, tmp_path / "out", limits=limits)
    assert not (tmp_path / "out").exists()


def test_a_packed_stream_is_counted_as_it_comes_whatever_the_headers_say(tmp_path: Path) -> None:
    # Ten thousand empty members: the sizes add up to nothing, the headers to five megabytes.
    path = tarred(tmp_path / "many.gz", "gz", {str(number): b"" for number in range(10_000)})
    assert "archive bomb" in sentence(listing, path, Limits(small_bytes=1_000_000, ratio=5))


def test_more_members_or_bytes_than_allowed_are_refused(tmp_path: Path) -> None:
    for path in (zipped(tmp_path / "a"), tarred(tmp_path / "b", "gz")):
        assert "more than 1 members" in sentence(listing, path, Limits(members=1))
        assert "unpacks to more than 1e-06 GB" in sentence(listing, path, Limits(total_bytes=1000))


def test_members_that_lie_over_each_other_are_a_bomb(tmp_path: Path) -> None:
    path = zipped(tmp_path / "over.zip", {"a": bytes(500), "b": bytes(500)}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    second = content.rfind(b"PK\1\2")
    content[second + 42 : second + 46] = struct.pack("<I", 0)  # the second's header is the first's
    path.write_bytes(content)
    assert "lie over each other" in sentence(listing, path)


def test_a_zip_directory_too_large_to_read_is_refused_unread(tmp_path: Path) -> None:
    assert "more than 10,000 members" in sentence(
        listing, zipped(tmp_path / "a.zip"), Limits(directory_bytes=50)
    )


def test_a_password_or_an_odd_packing_is_said(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip")
    content = bytearray(path.read_bytes())
    at = content.find(b"PK\1\2")
    content[at + 8] |= 1
    path.write_bytes(content)
    assert "needs a password" in sentence(listing, path)
    assert "packed by method 14" in sentence(listing, zipped(tmp_path / "b.zip", method=zipfile.ZIP_LZMA))


@pytest.mark.parametrize("pack", [zipped, lambda path: tarred(path, "gz"), lambda path: tarred(path, "xz")])
def test_every_cut_gives_a_sentence_and_leaves_nothing(tmp_path: Path, pack: object) -> None:
    whole = pack(tmp_path / "whole").read_bytes()  # type: ignore[operator]
    cut = tmp_path / "cut"
    for length in range(8, len(whole) - 12, 41):
        cut.write_bytes(whole[:length])
        sentence(extract, cut, tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_a_changed_byte_in_a_member_is_found_out(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", method=zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    content[content.find(b"one\n")] ^= 1
    path.write_bytes(content)
    assert "is cut off or broken" in sentence(extract, path, tmp_path / "out")


def test_a_tar_header_that_claims_gigabytes_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "pax.tar"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 7 << 30
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + bytes(10_240))
    assert "is cut off or broken" in sentence(listing, path)


def test_what_is_no_archive_is_said(tmp_path: Path) -> None:
    path = tmp_path / "plain.zip"
    path.write_bytes(b"hello")
    assert kind_of(path) is None
    assert sentence(listing, path) == "'plain.zip' is no ZIP or TAR archive; pack the files as a ZIP."
