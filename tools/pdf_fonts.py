"""The letters of what is written as PDF: embedded, with as many scripts as there are on this machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_SYSTEM = Path("/usr/share/fonts/truetype/dejavu")
"""Has more scripts than the fonts that reportlab brings, where it is installed."""


@cache
def pdf_fonts() -> tuple[str, str]:
    """The names of a regular and a bold font, registered with reportlab."""
    import reportlab
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    own = Path(reportlab.__file__).parent / "fonts"
    pairs = (
        (_SYSTEM / "DejaVuSans.ttf", _SYSTEM / "DejaVuSans-Bold.ttf"),
        (own / "Vera.ttf", own / "VeraBd.ttf"),
    )
    regular, bold = next(pair for pair in pairs if all(each.is_file() for each in pair))
    pdfmetrics.registerFont(TTFont("Report", str(regular)))
    pdfmetrics.registerFont(TTFont("Report-Bold", str(bold)))
    return "Report", "Report-Bold"
