"""Room for files: what folders take, what a disk keeps free, and how a full one shows."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from data.room import QUOTA_VARIABLE, quota_bytes, ran_out, taken_bytes


def test_a_folder_takes_what_its_files_and_those_of_its_folders_do(tmp_path: Path) -> None:
    (tmp_path / "about").mkdir()
    (tmp_path / "a.tif").write_bytes(b"x" * 700)
    (tmp_path / "about" / ".a.part").write_bytes(b"x" * 30)
    (tmp_path / "link").symlink_to("/usr")
    assert taken_bytes(tmp_path) == 730 + (tmp_path / "link").lstat().st_size
    assert taken_bytes(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(
    ("said", "gb"), [("", 20), ("0.5", 0.5), ("300", 300), ("lots", 20), ("-1", 20), ("nan", 20), ("inf", 20)]
)
def test_the_quota_is_the_settings_or_else_20_gb(
    monkeypatch: pytest.MonkeyPatch, said: str, gb: float
) -> None:
    monkeypatch.setenv(QUOTA_VARIABLE, said)
    assert quota_bytes() == gb * 1e9


def test_a_full_disk_is_told_from_other_errors_however_deep_it_lies() -> None:
    # What is written to this device never fits: the kernel's own answer.
    with pytest.raises(OSError) as full, open("/dev/full", "wb", buffering=0) as file:
        file.write(b"x")
    assert ran_out(full.value)
    wrapped = RuntimeError("cannot write")
    wrapped.__cause__ = full.value
    assert ran_out(wrapped)
    assert ran_out(RuntimeError("TIFFAppendToStrip:Write error at scanline 3: No space left on device"))
    assert not ran_out(OSError(errno.EACCES, "Permission denied")) and not ran_out(ValueError("x"))


class Wordless(Exception):
    """An error that cannot be put into words."""

    def __str__(self) -> str:
        raise TypeError("unsupported format string")


def test_an_error_without_words_says_nothing_of_a_disk_and_what_it_comes_of_is_still_heard() -> None:
    assert not ran_out(Wordless())
    full = Wordless()
    full.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert ran_out(full)


def test_errors_that_come_of_each_other_are_looked_at_once() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert not ran_out(first)
    second.__context__ = second.__cause__ = second
    assert not ran_out(second)
