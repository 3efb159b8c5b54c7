"""Documents of one's own as parts: pages of a PDF, headings of Word and Markdown, cells of a notebook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from data.documents.errors import DocumentError
from data.knowledge.passages import Part
from data.knowledge.reading import read_parts


def test_a_pdf_has_a_part_a_page() -> None:
    parts = read_parts(FOLDER / "report.pdf", ".pdf")
    assert [each.page for each in parts] == list(range(1, len(parts) + 1))
    assert all("\n\n" not in each.text for each in parts)


def test_a_word_document_has_a_part_a_heading() -> None:
    parts = read_parts(FOLDER / "notes.docx", ".docx")
    assert all(each.heading and each.text.strip() for each in parts)


def test_a_page_is_read_without_its_markup() -> None:
    (part,) = read_parts(FOLDER / "page.html", ".html")
    assert "<" not in part.text


def test_markdown_is_read_by_its_headings_and_text_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Gain\nSet it to 3.\n")
    (tmp_path / "a.txt").write_text("# Gain\nSet it to 3.\n")
    assert read_parts(tmp_path / "a.md", ".md") == [Part("Set it to 3.", heading="Gain")]
    assert read_parts(tmp_path / "a.txt", ".txt") == [Part("# Gain\nSet it to 3.\n")]


def test_a_notebook_s_cells_are_parts_and_its_outputs_are_not(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Aim\n", "Find ships."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"text": "SECRET"}]},
        {"cell_type": "raw", "source": "left out"},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    assert read_parts(tmp_path / "n.ipynb", ".ipynb") == [
        Part("Find ships.", heading="Aim"),
        Part("print(1)", heading="cell 2"),
    ]


@pytest.mark.parametrize(("name", "text"), [("e.txt", " \n"), ("e.ipynb", "[]"), ("e.pdf", "no pdf")])
def test_what_says_nothing_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DocumentError, match=r"^The .*\.$"):
        read_parts(tmp_path / name, Path(name).suffix)
