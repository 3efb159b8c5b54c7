"""Ubuntu puts a script where Chromium was: it must not be taken for a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chromium import find_chromium, is_snap

UBUNTU = '#!/bin/sh\nif ! [ -x /snap/bin/chromium ]; then exit 1; fi\nexec /snap/bin/chromium "$@"\n'
DEBIAN = '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n'


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_script_that_starts_a_snap_is_told_from_the_one_that_starts_a_program(tmp_path: Path):
    snap, program = put(tmp_path, "chromium-browser", UBUNTU), put(tmp_path, "chromium", DEBIAN)
    assert (is_snap(snap), is_snap(program)) == (True, False)


def test_a_link_to_snap_itself_is_a_snap(tmp_path: Path):
    link = tmp_path / "chromium"
    link.symlink_to(put(tmp_path / "bin", "snap", "\x7fELF"))
    assert is_snap(link)


def test_a_program_further_along_is_taken_before_a_snap_that_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    put(tmp_path, "chromium", UBUNTU)
    chrome = put(tmp_path, "google-chrome", DEBIAN)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() == chrome
