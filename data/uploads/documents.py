"""PDF, DOCX, HTML, XML, JSON and plain text as they come in: looked through and kept as they are."""

from __future__ import annotations

import logging
import shutil
from typing import Any

from data.uploads.brought import Brought, Incoming
from data.uploads.errors import BROKEN, UploadError
from data.uploads.gdal import reason_of
from data.uploads.ogr import check_xml
from data.uploads.sheets import check_office
from data.uploads.vectors import no_part

MAX_DOCUMENT_BYTES = 500_000_000
MAX_PDF_PAGES = 20_000
MAX_JSON_DEPTH = 100


def bring_pdf(incoming: Incoming) -> Brought:
    """A PDF that opens without a password and has its pages."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PyPdfError

    _check_size(incoming)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(incoming.path, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UploadError(f"{incoming.shown} needs a password; save it without one.")
        pages = len(reader.pages)
    except UploadError:
        raise
    except DependencyError:
        raise UploadError(f"{incoming.shown} is encrypted; save it without a password.") from None
    except (PyPdfError, *BROKEN) as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken and is no PDF ({reason_of(error)}); save it again."
        ) from None
    if not 0 < pages <= MAX_PDF_PAGES:
        raise UploadError(f"{incoming.shown} has {pages:,} pages; from 1 to {MAX_PDF_PAGES:,} are read.")
    said = f"{pages:,} page{'' if pages == 1 else 's'}"
    return _kept(incoming, ".pdf", said, f"a PDF of {said}", pages=pages)


def bring_docx(incoming: Incoming) -> Brought:
    """A Word document: a ZIP of XML without entities."""
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    _check_size(incoming)
    check_office(incoming)
    try:
        document = docx.Document(str(incoming.path))
        paragraphs, tables = len(document.paragraphs), len(document.tables)
    except (PackageNotFoundError, *BROKEN) as error:
        raise UploadError(
            f"{incoming.shown} is broken and no Word document ({reason_of(error)}); save it again."
        ) from None
    said = f"{paragraphs:,} paragraph{'' if paragraphs == 1 else 's'}"
    return _kept(incoming, ".docx", said, f"a Word document of {said}", paragraphs=paragraphs, tables=tables)


def bring_xml(incoming: Incoming) -> Brought:
    """An XML that is well-formed and declares no entities."""
    _check_size(incoming)
    check_xml(incoming)
    return _kept(incoming, ".xml", _bytes(incoming), f"an XML document of {_bytes(incoming)}")


def bring_json(incoming: Incoming) -> Brought:
    """A JSON that is whole and not nested beyond reason, read as a stream."""
    import ijson

    _check_size(incoming)
    depth = 0
    try:
        with incoming.path.open("rb") as file:
            if file.read(3) != b"\xef\xbb\xbf":
                file.seek(0)
            for event, _ in ijson.basic_parse(file, use_float=True):
                depth += (event in ("start_map", "start_array")) - (event in ("end_map", "end_array"))
                if depth > MAX_JSON_DEPTH:
                    raise UploadError(
                        f"{incoming.shown} is nested over {MAX_JSON_DEPTH} levels deep; save it flatter."
                    )
    except (ijson.JSONError, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise UploadError(
            f"{incoming.shown} is cut off or broken and is no JSON ({reason_of(error)}); save it again."
        ) from None
    return _kept(incoming, ".json", _bytes(incoming), f"a JSON document of {_bytes(incoming)}")


def bring_html(incoming: Incoming) -> Brought:
    """A page, kept as text: nothing of it is run or fetched."""
    _check_size(incoming)
    return _kept(incoming, ".html", _bytes(incoming), f"an HTML page of {_bytes(incoming)}")


def bring_text(incoming: Incoming) -> Brought:
    """Plain text."""
    _check_size(incoming)
    with incoming.path.open("rb") as file:
        lines = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
    said = f"{max(1, lines):,} line{'' if lines <= 1 else 's'}"
    return _kept(incoming, ".txt", said, f"a text of {said}", lines=max(1, lines))


def _check_size(incoming: Incoming) -> None:
    no_part(incoming)
    size = incoming.path.stat().st_size
    if size > MAX_DOCUMENT_BYTES:
        raise UploadError(
            f"{incoming.shown} has {size / 1e6:,.0f} MB; at most {MAX_DOCUMENT_BYTES / 1e6:g} MB are read; "
            "send it in parts."
        )


def _bytes(incoming: Incoming) -> str:
    size = incoming.path.stat().st_size
    return f"{size:,} byte{'' if size == 1 else 's'}" if size < 10_000 else f"{size / 1000:,.0f} kB"


def _kept(incoming: Incoming, suffix: str, summary: str, what: str, **facts: Any) -> Brought:
    target = incoming.folder / f"document{suffix}"
    shutil.copyfile(incoming.path, target)
    return Brought(
        kind="document",
        path=target,
        suffix=suffix,
        summary=summary,
        what=what,
        facts={"bytes": target.stat().st_size, **facts},
        item={"asset": {"roles": ["data"]}},
    )
