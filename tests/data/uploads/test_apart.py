"""An upload is brought in by a process of its own, and is what bringing it in here makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.apart.pool import Pool
from data.apart.reader import Reader
from data.uploads.apart import answer_of, bring_apart
from data.uploads.bring import bring, staged
from data.uploads.brought import Asked
from data.uploads.errors import UploadError
from tests.data.uploads.samples import SAMPLES


@pytest.fixture
def reader() -> Iterator[Reader]:
    found = Reader(pool=Pool())
    yield found
    found.pool.close()


def test_what_comes_back_is_what_reading_it_here_gives(reader: Reader, tmp_path: Path) -> None:
    for name in ("field.tif", "points.csv", "photo.jpg", "report.pdf", "fields.zip"):
        path = SAMPLES[name][0](tmp_path / name)
        with staged(path, tmp_path) as incoming:
            here = bring(incoming)
            for made in ("unpacked", "alone", "shape"):
                if (incoming.folder / made).exists():
                    (incoming.folder / made).rename(incoming.folder / f"{made}-here")
            there = bring_apart(incoming, reader)
            assert json.dumps(answer_of(there)) == json.dumps(answer_of(here))
            assert there.path.is_file()


def test_a_file_that_is_refused_there_is_refused_here_in_the_same_words(
    reader: Reader, tmp_path: Path
) -> None:
    (path := tmp_path / "a.tif").write_bytes(b"")
    with (
        pytest.raises(UploadError, match=r"^'a.tif' is empty \(0 bytes\); send it again\.$"),
        staged(path, tmp_path, asked=Asked(crs="EPSG:4326")) as incoming,
    ):
        bring_apart(incoming, reader)


def test_a_file_that_needs_too_much_memory_is_refused(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZIMUTH_READ_MEMORY_GB", "0.1")
    (path := tmp_path / "a.csv").write_text("name,value\n" + "x,1\n" * 4_000_000)
    with pytest.raises(UploadError, match="memory"), staged(path, tmp_path) as incoming:
        bring_apart(incoming, reader)


def test_what_a_killed_process_left_of_an_upload_goes_with_the_next_one(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from data.uploads.bring import staged\n"
        "with staged(Path(sys.argv[1]), Path(sys.argv[2])):\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    path = SAMPLES["points.csv"][0](tmp_path / "points.csv")
    (folder := tmp_path / "about").mkdir()
    subprocess.run([sys.executable, "-c", script, str(path), str(folder)], check=False)
    assert len(list(folder.iterdir())) == 1
    with staged(path, folder) as one, staged(path, folder) as other:
        assert sorted(folder.iterdir()) == sorted([one.folder, other.folder])
    assert list(folder.iterdir()) == []
