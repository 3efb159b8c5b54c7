"""The encoding of texts that do not tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.readers.csv_points import batches, layout
from data.readers.encodings import encoding_of, known_encoding, of_letters
from data.uploads.errors import UploadError
from tests.data.uploads.test_kinds import brought

WORDS = {
    "cp1251": "Пшеница Слънчоглед Царевица",
    "cp866": "Пшеница Кукуруза Ячмень",
    "cp1253": "Σιτάρι Καλαμπόκι Ελιές",
    "cp1256": "قمح ذرة زيتون",
    "shift_jis": "小麦 とうもろこし 東京",
    "euc_kr": "밀 옥수수 서울",
}


@pytest.mark.parametrize("encoding", WORDS)
def test_letters_of_other_scripts_tell_their_encoding(encoding: str) -> None:
    assert (
        WORDS[encoding].encode(encoding).decode(of_letters(WORDS[encoding].encode(encoding)))
        == WORDS[encoding]
    )


def test_latin_letters_are_taken_as_windows_writes_them_in_the_west() -> None:
    assert of_letters("Forêt Prairie Zone bâtie Élevage".encode("cp1252")) == "cp1252"
    assert of_letters(b"caf\xe9 \x81") == "latin-1"


def test_a_csv_is_read_in_the_encoding_of_its_letters_header_and_all(tmp_path: Path) -> None:
    path = tmp_path / "fields.csv"
    path.write_bytes("култура;lon;lat\nПшеница;25,5;43,25\nЦаревица;25,75;43,5\n".encode("cp1251"))
    table = layout(path)
    assert (table.encoding, table.columns) == ("cp1251", ("култура", "lon", "lat"))
    assert next(iter(batches(table, {})))["култура"].to_pylist() == ["Пшеница", "Царевица"]
    found, _ = brought(path)
    assert found.notes[0].startswith(
        "Its text was read as cp1251, as its letters tell; where they look wrong"
    )
    found, _ = brought(path, encoding="cp1252")
    assert found.notes[0] == "Its text was read as cp1252, as was asked." and "Ïøåíèöà" in str(found.facts)
    with pytest.raises(
        UploadError, match=r"^'runes' is no encoding that is known; utf-8 or cp1251 would work\.$"
    ):
        brought(path, encoding="runes")
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(
        UploadError, match=r"is a JSON file, which tells its encoding itself; leave encoding out"
    ):
        brought(tmp_path / "a.json", encoding="cp1251")


def test_unicode_tells_itself(tmp_path: Path) -> None:
    for encoding, named in (("utf-8", "utf8"), ("utf-8-sig", "utf8"), ("utf-16", "utf-16")):
        (tmp_path / "a.csv").write_text("naïve,lon,lat\n", encoding=encoding)
        assert encoding_of(tmp_path / "a.csv") == named
    assert [known_encoding(each) for each in ("UTF-8", "CP1251", "base64", "")] == [
        "utf8",
        "cp1251",
        None,
        None,
    ]


def test_a_byte_that_the_encoding_has_not_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(
        b"name,lon,lat\n" + f"{WORDS['shift_jis']},4,51\n".encode("shift_jis") * 20 + b"\xff\xfe,4,51\n"
    )
    with pytest.raises(UploadError, match=r"cannot be read as a table: .*shift_jis"):
        brought(path, encoding="shift_jis")
