"""Documents of one's own as parts with page or heading: PDF, Word, HTML, Markdown, text, notebooks.

`read_parts` is what runs in a process apart (`data.apart`): it opens strangers' files.
"""

from __future__ import annotations

from pathlib import Path

from data.documents.errors import DocumentError
from data.knowledge.passages import Part, markdown_parts

SUFFIXES = (".pdf", ".docx", ".html", ".htm", ".md", ".txt", ".ipynb")
MAX_CHARACTERS = 10_000_000
_PAGES_AT_ONCE = 500


def read_parts(path: Path, suffix: str) -> list[Part]:
    """The parts of a document of that kind. Raises DocumentError for one that says nothing."""
    parts = [each for each in _parts(path, suffix) if each.text.strip()]
    if not parts:
        raise DocumentError("The document holds no text that can be read; scanned pages are pictures.")
    if sum(len(each.text) for each in parts) > MAX_CHARACTERS:
        raise DocumentError(f"The document has more than {MAX_CHARACTERS:,} characters; split it first.")
    return parts


def _parts(path: Path, suffix: str) -> list[Part]:
    if suffix == ".pdf":
        return _pdf(path)
    if suffix == ".docx":
        from data.documents.docx import read_docx

        return markdown_parts(read_docx(path).text)
    if suffix in (".html", ".htm"):
        from data.documents.html import read_html

        page = read_html(path)
        return [Part(page.text, heading=page.title or "")]
    if suffix == ".ipynb":
        return _notebook(path)
    from data.documents.text import read_text, tidy

    text = tidy(read_text(path).text)
    return markdown_parts(text) if suffix == ".md" else [Part(text)]


def _pdf(path: Path) -> list[Part]:
    from data.documents.pdf import read_pdf

    parts: list[Part] = []
    first, pages = 1, 1
    while first <= pages:
        read = read_pdf(path, first, first + _PAGES_AT_ONCE - 1)
        pages = read.pages
        parts += [Part(_paragraphs(text), page=first + at) for at, text in enumerate(read.texts)]
        first += len(read.texts)
    return parts


def _paragraphs(text: str) -> str:
    """Lines of a page as running text: a line's end is no sentence's, and a hyphen there joins a word."""
    blocks = []
    for block in text.split("\n\n"):
        joined = ""
        for line in block.splitlines():
            if joined.endswith("-") and line[:1].islower():
                joined = joined[:-1] + line
            else:
                joined = f"{joined} {line}".strip()
        blocks.append(joined)
    return "\n".join(blocks)


def _notebook(path: Path) -> list[Part]:
    from data.documents.structured import read_json

    notebook = read_json(path)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise DocumentError("The file is no notebook: it has no list of cells.")
    parts: list[Part] = []
    for number, cell in enumerate(cells, start=1):
        kind, source = (cell.get("cell_type"), cell.get("source")) if isinstance(cell, dict) else (None, None)
        text = "".join(str(each) for each in source) if isinstance(source, list) else str(source or "")
        if kind == "markdown":
            parts += [
                Part(each.text, heading=each.heading or f"cell {number}") for each in markdown_parts(text)
            ]
        elif kind == "code":
            parts.append(Part(text, heading=f"cell {number}"))
    return parts
