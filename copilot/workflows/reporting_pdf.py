"""The report of a run as a PDF, laid out by reportlab (BSD licence) with fonts that are embedded."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from copilot.workflows.told import Told, arguments_of, png_size
from tools.pdf_fonts import pdf_fonts


def pdf_of(report: Told) -> bytes:
    """A4 pages of what is told."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.units import mm
    from reportlab.platypus import SimpleDocTemplate

    target = io.BytesIO()
    document = SimpleDocTemplate(
        target, pagesize=A4, title=report.title, author="Azimuth", subject=report.id,
        leftMargin=18 * mm, rightMargin=18 * mm, topMargin=18 * mm, bottomMargin=18 * mm,
    )  # fmt: skip
    document.build(list(_story(report, document.width)), onFirstPage=_foot, onLaterPages=_foot)
    return target.getvalue()


def _foot(canvas: Any, document: Any) -> None:
    regular, _ = pdf_fonts()
    canvas.setFont(regular, 8)
    canvas.drawRightString(document.pagesize[0] - 50, 28, str(document.page))


def _story(report: Told, width: float) -> Iterator[Any]:
    yield _text(report.title, "title")
    yield _text(f"{report.id} · session {report.session} · {report.at}", "small")
    yield _text(f"{report.goal} {report.when}")
    yield _text("Result", "heading")
    yield _text(report.said + ("" if report.ok else " The run did not come to its end."))
    if report.map is not None:
        yield _picture(report.map, width)
    if report.numbers:
        rows = [(e.name, f"{e.value:.6g}", f"{e.step}: {e.tool}, call {e.seq}") for e in report.numbers]
        yield _table(("number", "value", "from"), rows, width, (0.4, 0.2, 0.4))
    for figure in report.figures:
        yield _picture(figure.png, width * 0.8)
        yield _text(f"{figure.title}. {figure.said}", "small")
    for table in report.tables:
        yield _text(table.title, "heading")
        yield _table(table.head, table.rows, width)
        if table.of > len(table.rows):
            yield _text(f"The first {len(table.rows)} of {table.of} rows.", "small")
    yield _text("Data and values", "heading")
    yield _table(("data", "what", "from"), report.data, width, (0.15, 0.5, 0.35))
    if report.values:
        yield _table(
            ("parameter", "value", "taken from", "why"), report.values, width, (0.2, 0.15, 0.2, 0.45)
        )
    yield from _method(report, width)
    for title, lines in (("What was changed on the way", report.repairs), ("Limits", report.limits)):
        yield from _lines(title, lines)
    yield from _lines("Sources", [f"{title}. {where}" for title, where in report.sources])


def _method(report: Told, width: float) -> Iterator[Any]:
    yield _text("Method", "heading")
    rows = []
    for node in report.nodes:
        checks = "; ".join(
            f"{each['measure']} {'—' if each['value'] is None else format(each['value'], '.6g')} "
            f"({'met' if each['met'] else 'not met'})"
            for each in node.checks
        )
        after = f" after {', '.join(node.before)}" if node.before else ""
        call = f"call {node.seq}" if node.seq is not None else "no call"
        rows.append(
            (
                f"{node.id}{after}: {node.status}, {call}, {node.seconds:.2f} s",
                f"{node.tool}({arguments_of(node)}) {node.why}",
                f"{node.said} {checks}".strip(),
            )
        )
    yield _table(("step", "call and why", "what came out, and its checks"), rows, width, (0.22, 0.4, 0.38))


def _lines(title: str, lines: Sequence[str]) -> Iterator[Any]:
    if lines:
        yield _text(title, "heading")
        for each in lines:
            yield _text(f"• {each}")


def _text(text: str, style: str = "body") -> Any:
    from reportlab.platypus import Paragraph

    return Paragraph(escape(" ".join(text.split())), _styles()[style])


def _picture(png: bytes, width: float) -> Any:
    from reportlab.platypus import Image

    across, down = png_size(png)
    height = width * down / across
    most = 480.0
    if height > most:
        width, height = width * most / height, most
    return Image(io.BytesIO(png), width=width, height=height)


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], width: float, shares: Sequence[float] = ()
) -> Any:
    from reportlab.lib import colors
    from reportlab.platypus import LongTable, TableStyle

    shares = shares or [1 / max(1, len(head))] * len(head)
    cells = [[_text(each, "head") for each in head]]
    # A cell that is higher than a page cannot be laid out, so its text is bounded.
    cells += [[_text(str(each)[:1500], "cell") for each in row] for row in rows]
    made = LongTable(cells, colWidths=[width * each for each in shares], repeatRows=1)
    grey = colors.HexColor("#d0d7de")
    made.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, grey),
                ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#f6f8fa")),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
        )
    )
    return made


@cache
def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle

    regular, bold = pdf_fonts()
    made = {
        "title": (bold, 18, 22, 2), "heading": (bold, 12, 16, 4), "body": (regular, 9.5, 13, 4),
        "small": (regular, 8, 11, 6), "cell": (regular, 7.5, 9.5, 0), "head": (bold, 7.5, 9.5, 0),
    }  # fmt: skip
    return {
        name: ParagraphStyle(
            name, fontName=font, fontSize=size, leading=leading, spaceAfter=after, splitLongWords=True,
            spaceBefore=10 if name == "heading" else 0,
        )
        for name, (font, size, leading, after) in made.items()
    }  # fmt: skip


__all__ = ["pdf_of"]
