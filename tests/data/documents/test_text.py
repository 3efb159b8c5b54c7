"""Bytes as text, in the encodings that files come in."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from data.documents import text as texts
from data.documents.errors import DocumentError
from data.documents.text import decoded, read_text, tidy

GERMAN = "09:10 M1, Flut läuft aus, 16,5 °C\n11:45 M4, böiger Wind, Wasser sehr trüb\n"
RUSSIAN = "Вода в реке была мутной после дождя, и лодка вернулась в порт до вечера.\n" * 3


@pytest.mark.parametrize(
    ("content", "text", "encoding", "guessed"),
    [
        (GERMAN.encode(), GERMAN, "utf-8", False),
        (codecs.BOM_UTF8 + GERMAN.encode(), GERMAN, "utf-8", False),
        (GERMAN.encode("utf-16"), GERMAN, "utf-16", False),
        (GERMAN.encode("utf-32"), GERMAN, "utf-32", False),
        (GERMAN.encode("utf-16-le"), GERMAN, "utf-16-le", True),
        (GERMAN.encode("utf-16-be"), GERMAN, "utf-16-be", True),
        (GERMAN.encode("cp1252"), GERMAN, "cp1252", True),
        (b"caf\xe9", "café", "cp1252", True),
        (RUSSIAN.encode("cp1251"), RUSSIAN, "cp1251", True),
        (b"", "", "utf-8", False),
    ],
)
def test_a_text_is_read_in_its_encoding(content: bytes, text: str, encoding: str, guessed: bool) -> None:
    found = decoded(content)
    assert (found.text, found.encoding, found.guessed) == (text, encoding, guessed)


def test_binary_data_are_no_text() -> None:
    with pytest.raises(DocumentError, match="binary data"):
        decoded(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")


def test_a_file_that_is_cut_off_within_a_character_is_told() -> None:
    with pytest.raises(DocumentError, match="says that it is utf-16, but is cut off"):
        decoded(GERMAN.encode("utf-16")[:-1])


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "long.txt").write_text("too long")
    monkeypatch.setattr(texts.read_bytes, "__defaults__", (4,))
    with pytest.raises(DocumentError, match=r"The file has 8 bytes; at most 4 are read, so split it first."):
        read_text(tmp_path / "long.txt")


def test_control_characters_and_halves_of_characters_are_left_out() -> None:
    assert tidy("a\r\nb\rc\x00\x1b[31m\td\ud800") == "a\nb\nc[31m\td?"
