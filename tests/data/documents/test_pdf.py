"""PDF files, whole and hostile."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject

from copilot.bench.build.example_files import FOLDER
from data.documents.errors import DocumentError
from data.documents.pdf import read_pdf

REPORT = FOLDER / "report.pdf"


def test_a_report_is_read_page_by_page() -> None:
    pdf = read_pdf(REPORT)
    assert (pdf.pages, pdf.title, pdf.author) == (3, "Turbidity of the lower Merwe", "R. de Vaart")
    assert pdf.texts[1] == (
        "Method\nEach bottle was shaken, left for ten seconds and measured three times.\n"
        "A Sentinel-2 scene of the same morning, 7 % cloudy, was set beside the samples."
    )


def test_some_pages_can_be_read_alone() -> None:
    pdf = read_pdf(REPORT, 2, 9)
    assert (pdf.pages, pdf.first, [text.split("\n")[0] for text in pdf.texts]) == (3, 2, ["Method", "Result"])
    with pytest.raises(DocumentError, match=r"The PDF has 3 pages; there is none from 4 to 3."):
        read_pdf(REPORT, 4)


def encrypted(path: Path, user: str, owner: str) -> Path:
    writer = PdfWriter(clone_from=PdfReader(REPORT))
    writer.encrypt(user, owner, algorithm="RC4-128")
    writer.write(path)
    return path


def test_a_pdf_that_needs_a_password_is_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="encrypted and needs a password"):
        read_pdf(encrypted(tmp_path / "locked.pdf", "secret", "owner"))


def test_a_pdf_that_is_locked_against_changes_only_is_read(tmp_path: Path) -> None:
    assert read_pdf(encrypted(tmp_path / "open.pdf", "", "owner")).texts[0].startswith("Turbidity")


@pytest.mark.parametrize("cut", [0, 9, 400, 1000])
def test_a_pdf_that_is_cut_off_is_told_or_read_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.pdf"
    path.write_bytes(REPORT.read_bytes()[:cut])
    with pytest.raises(DocumentError, match="broken or cut off"):
        read_pdf(path)


def test_a_pdf_whose_pages_are_their_own_parents_is_told(tmp_path: Path) -> None:
    content = REPORT.read_bytes().replace(b"/Kids [4 0 R 6 0 R 8 0 R]", b"/Kids [2 0 R 2 0 R 8 0 R]")
    path = tmp_path / "loop.pdf"
    path.write_bytes(content)
    with pytest.raises(DocumentError):
        read_pdf(path)


def test_a_stream_that_unpacks_without_end_is_not_unpacked(tmp_path: Path) -> None:
    writer = PdfWriter()
    page = writer.add_blank_page(100, 100)
    stream = StreamObject()
    stream.set_data(zlib.compress(b" " * 80_000_000, 9))
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page[NameObject("/Contents")] = writer._add_object(stream)
    writer.write(tmp_path / "bomb.pdf")
    assert (tmp_path / "bomb.pdf").stat().st_size < 100_000
    with pytest.raises(DocumentError, match="unpacks to far more"):
        read_pdf(tmp_path / "bomb.pdf")
