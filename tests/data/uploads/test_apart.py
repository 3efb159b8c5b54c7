"""A file is read in a process of its own, and what happens to that process does not matter to this one."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.uploads.apart import Apart, answer_of, clean_environment
from data.uploads.bring import bring, staged
from data.uploads.brought import Asked, Incoming
from data.uploads.errors import UploadError
from tests.data.uploads.samples import SAMPLES, raster


@pytest.fixture
def apart() -> Iterator[Apart]:
    found = Apart(file_s=60)
    yield found
    found.close()


def stuck(folder: Path) -> Incoming:
    """A file that never gives a byte: whoever reads it waits for ever."""
    os.mkfifo(folder / "stuck.tif")
    (scratch := folder / "scratch").mkdir()
    return Incoming(folder / "stuck.tif", "stuck.tif", scratch)


def test_what_comes_back_is_what_reading_it_here_gives(apart: Apart, tmp_path: Path) -> None:
    for name in ("field.tif", "points.csv", "photo.jpg", "report.pdf", "fields.zip"):
        path = SAMPLES[name][0](tmp_path / name)
        with staged(path, tmp_path) as incoming:
            here = bring(incoming)
            for made in ("unpacked", "alone", "shape"):
                if (incoming.folder / made).exists():
                    (incoming.folder / made).rename(incoming.folder / f"{made}-here")
            there = apart.bring(incoming)
            assert json.dumps(answer_of(there)) == json.dumps(answer_of(here))
            assert there.path.is_file()


def test_a_file_that_is_refused_there_is_refused_here_in_the_same_words(apart: Apart, tmp_path: Path) -> None:
    (path := tmp_path / "a.tif").write_bytes(b"")
    with (
        pytest.raises(UploadError, match=r"^'a.tif' is empty \(0 bytes\); send it again\.$"),
        staged(path, tmp_path, asked=Asked(crs="EPSG:4326")) as incoming,
    ):
        apart.bring(incoming)


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(tmp_path: Path) -> None:
    apart = Apart(file_s=0.5)
    try:
        with pytest.raises(UploadError, match=r"^'stuck.tif' could not be read in 0\.00833333 minutes"):
            apart.bring(stuck(tmp_path))
        apart._file_s = 60
        with staged(raster(tmp_path / "a.tif"), tmp_path) as incoming:
            assert apart.bring(incoming).kind == "raster"
    finally:
        apart.close()


def test_a_process_that_breaks_down_costs_one_file_and_no_more(apart: Apart, tmp_path: Path) -> None:
    def kill() -> None:
        time.sleep(0.5)
        assert apart._process is not None
        apart._process.kill()

    killing = threading.Thread(target=kill)
    killing.start()
    with pytest.raises(UploadError, match="broke down what reads it"):
        apart.bring(stuck(tmp_path))
    killing.join()
    with staged(raster(tmp_path / "a.tif"), tmp_path) as incoming:
        assert apart.bring(incoming).kind == "raster"


def test_the_process_is_told_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://10.0.0.1")
    assert not {"OPENAI_API_KEY", "HTTPS_PROXY"} & set(clean_environment())


def test_the_process_may_not_take_all_memory(tmp_path: Path) -> None:
    apart = Apart(memory_bytes=100_000_000)
    path = tmp_path / "a.csv"
    path.write_text("name,value\n" + "x,1\n" * 500_000)
    try:
        with pytest.raises(UploadError, match="memory"), staged(path, tmp_path) as incoming:
            apart.bring(incoming)
    finally:
        apart.close()
