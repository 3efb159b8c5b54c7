"""PDF files: their pages as text, by pypdf. Scripts, forms and embedded files in them are left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from data.documents.errors import DocumentError
from data.documents.text import tidy

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PDF_BYTES = 200_000_000
MAX_PAGES = 500
"""Pages read by one call."""
MAX_CHARACTERS = 5_000_000


@dataclass(frozen=True)
class Pdf:
    """What was read of a PDF."""

    pages: int
    """How many it has in all."""
    first: int
    """The number of the first page that was read; the first of all is 1."""
    texts: tuple[str, ...]
    """A text a page, from `first` on; empty for a page of pictures."""
    title: str | None = None
    author: str | None = None


def read_pdf(path: Path, first: int = 1, last: int | None = None) -> Pdf:
    """The text of pages `first` to `last` (both included; None is the end).

    Raises DocumentError for an encrypted or broken file, and for pages that it lacks or that are too many.
    """
    if (size := path.stat().st_size) > MAX_PDF_BYTES:
        raise DocumentError(f"The PDF has {size:,} bytes; at most {MAX_PDF_BYTES:,} are read, so split it.")
    with _opened(path) as reader:
        count = len(reader.pages)
        end = count if last is None else min(last, count)
        if not 1 <= first <= end:
            raise DocumentError(
                f"The PDF has {_pages(count)}; there is none from {first} to {last or count}."
            )
        if end - first >= MAX_PAGES:
            raise DocumentError(f"At most {MAX_PAGES} pages are read at once; name a first and a last page.")
        texts, left = [], MAX_CHARACTERS
        for number in range(first - 1, end):
            page = reader.pages[number]
            page.get_contents()  # raises for a bomb, of which extract_text makes an empty page
            texts.append(tidy(page.extract_text()).strip()[:left])
            left -= len(texts[-1])
        about = reader.metadata
        title, author = (about.title, about.author) if about else (None, None)
        return Pdf(count, first, tuple(texts), _line(title), _line(author))


@contextmanager
def _opened(path: Path) -> Iterator[PdfReader]:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import LimitReachedError

    try:
        reader = PdfReader(path)
        # Many files are locked against changes only, and open with no password.
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise DocumentError("The PDF is encrypted and needs a password; save it without one first.")
        yield reader
    except (DocumentError, MemoryError):
        raise
    except LimitReachedError:
        raise DocumentError("A part of the PDF unpacks to far more than a page is, as a bomb does.") from None
    except Exception as error:
        # A broken file makes pypdf raise nearly anything: its own errors, KeyError, RecursionError …
        raise DocumentError("The PDF is broken or cut off and cannot be read; save it again.") from error


def _line(value: object) -> str | None:
    return " ".join(tidy(value).split())[:200] or None if isinstance(value, str) else None


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count:,} pages"
