"""Word documents, whole and hostile."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from data.documents.docx import read_docx
from data.documents.errors import DocumentError

NOTES = FOLDER / "notes.docx"


def repacked(path: Path, name: str, content: bytes) -> Path:
    """The notes with one member in place of theirs."""
    with zipfile.ZipFile(NOTES) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for each in source.infolist():
            target.writestr(each.filename, content if each.filename == name else source.read(each))
    return path


def test_headings_paragraphs_and_tables_come_in_their_order() -> None:
    notes = read_docx(NOTES)
    assert notes.headings == (
        (0, "Field notes, July 2023"), (1, "Weather"), (1, "Stations"), (1, "To do"),
    )  # fmt: skip
    assert notes.tables == (
        (
            ("station", "depth_m", "turbidity_ntu"),
            ("M1", "4.2", "8.1"),
            ("M2", "5.0", "9.3"),
            ("M3", "3.1", "19.4"),
            ("M4", "6.4", "10.4"),
        ),
    )
    assert (notes.paragraphs, notes.title, notes.author) == (3, "Field notes", "R. de Vaart")
    lines = [line for line in notes.text.split("\n") if line]
    assert lines[4] == "All four stations were reached by boat from Gorinchem."
    assert lines[5:8] == [
        "| station | depth_m | turbidity_ntu |",
        "| --- | --- | --- |",
        "| M1 | 4.2 | 8.1 |",
    ]


def test_an_entity_that_reaches_for_a_file_stays_unread(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret")
    body = (
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "{(tmp_path / "secret.txt").as_uri()}">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
        "<w:t>before &x; after</w:t></w:r></w:p></w:body></w:document>"
    )
    path = repacked(tmp_path / "reach.docx", "word/document.xml", body.encode())
    with suppress(DocumentError):
        assert "the secret" not in read_docx(path).text


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = repacked(tmp_path / "bomb.docx", "word/document.xml", b" " * 60_000_000)
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        read_docx(path)


@pytest.mark.parametrize("content", [b"", b"<w:document", b"<a/>"])
def test_a_broken_document_is_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError, match="broken"):
        read_docx(repacked(tmp_path / "broken.docx", "word/document.xml", content))


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.docx").write_text("no document")
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        read_docx(tmp_path / "no.docx")
