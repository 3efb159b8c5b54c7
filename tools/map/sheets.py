"""A sheet of paper to draw on, in millimetres from its upper left corner: as a picture, or as PDF."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from PIL import Image, ImageDraw

from data.basemap.lettering import letters

Align = Literal["left", "middle", "right"]
_MM_PER_INCH = 25.4
_POINTS_PER_MM = 72 / _MM_PER_INCH


class Sheet(Protocol):
    """What a page is drawn with."""

    width: float
    height: float
    dpi: int
    """Of pictures that are laid on it."""

    def box(self, x: float, y: float, w: float, h: float, fill: str | None, edge: str | None = None) -> None:
        """A rectangle."""

    def circle(self, x: float, y: float, radius: float, fill: str, edge: str | None = None) -> None:
        """A disc around a middle."""

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        """A polygon."""

    def line(self, x: float, y: float, to_x: float, to_y: float, ink: str, width: float = 0.3) -> None:
        """A straight line."""

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        ink: str,
        *,
        bold: bool = False,
        align: Align = "left",
    ) -> None:
        """A line of text of so many points; y is its base line."""

    def wide(self, text: str, size: float, *, bold: bool = False) -> float:
        """How wide a text is."""

    def picture(self, picture: Image.Image, x: float, y: float, w: float, h: float) -> None:
        """A picture that fills a rectangle."""

    def write(self, path: Path) -> None:
        """Write the sheet to a file."""


class PngSheet:
    """A sheet as a picture."""

    def __init__(self, width: float, height: float, dpi: int, title: str) -> None:
        self.width, self.height, self.dpi, self.title = width, height, dpi, title
        self._px = dpi / _MM_PER_INCH
        self._sheet = Image.new("RGB", (round(width * self._px), round(height * self._px)), "#ffffff")
        self._pen = ImageDraw.Draw(self._sheet)

    def box(self, x: float, y: float, w: float, h: float, fill: str | None, edge: str | None = None) -> None:
        corners = tuple(round(each * self._px) for each in (x, y, x + w, y + h))
        self._pen.rectangle(corners, fill=fill, outline=edge, width=max(1, round(0.2 * self._px)))

    def circle(self, x: float, y: float, radius: float, fill: str, edge: str | None = None) -> None:
        corners = tuple(each * self._px for each in (x - radius, y - radius, x + radius, y + radius))
        self._pen.ellipse(corners, fill=fill, outline=edge, width=max(1, round(0.2 * self._px)))

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        self._pen.polygon([(x * self._px, y * self._px) for x, y in points], fill=fill)

    def line(self, x: float, y: float, to_x: float, to_y: float, ink: str, width: float = 0.3) -> None:
        ends = tuple(each * self._px for each in (x, y, to_x, to_y))
        self._pen.line(ends, fill=ink, width=max(1, round(width * self._px)))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        ink: str,
        *,
        bold: bool = False,
        align: Align = "left",
    ) -> None:
        anchor = {"left": "ls", "middle": "ms", "right": "rs"}[align]
        font = letters(self._size(size), 650 if bold else 400, text=text)
        self._pen.text((x * self._px, y * self._px), text, fill=ink, font=font, anchor=anchor)

    def wide(self, text: str, size: float, *, bold: bool = False) -> float:
        font = letters(self._size(size), 650 if bold else 400, text=text)
        return self._pen.textlength(text, font=font) / self._px

    def picture(self, picture: Image.Image, x: float, y: float, w: float, h: float) -> None:
        size = (round(w * self._px), round(h * self._px))
        shown = picture if picture.size == size else picture.resize(size)
        self._sheet.paste(shown, (round(x * self._px), round(y * self._px)))

    def write(self, path: Path) -> None:
        self._sheet.save(path, "PNG", dpi=(self.dpi, self.dpi))

    def _size(self, points: float) -> int:
        return max(1, round(points / _POINTS_PER_MM * self._px))


class PdfSheet:
    """A sheet as PDF: letters and lines stay letters and lines."""

    def __init__(self, width: float, height: float, dpi: int, title: str) -> None:
        from reportlab.pdfgen.canvas import Canvas

        from tools.pdf_fonts import pdf_fonts

        self.width, self.height, self.dpi = width, height, dpi
        self._bytes, self._fonts = io.BytesIO(), pdf_fonts()
        # The same map is the same file: `invariant` leaves out the time at which it was written.
        size = (width * _POINTS_PER_MM, height * _POINTS_PER_MM)
        self._canvas = Canvas(self._bytes, pagesize=size, invariant=1)
        self._canvas.setTitle(title)
        self._canvas.setAuthor("Azimuth")
        self._canvas.scale(_POINTS_PER_MM, _POINTS_PER_MM)
        self._canvas.setLineWidth(0.2)

    def box(self, x: float, y: float, w: float, h: float, fill: str | None, edge: str | None = None) -> None:
        self._inks(fill, edge)
        self._canvas.rect(
            x, self.height - y - h, w, h, stroke=int(edge is not None), fill=int(fill is not None)
        )

    def circle(self, x: float, y: float, radius: float, fill: str, edge: str | None = None) -> None:
        self._inks(fill, edge)
        self._canvas.circle(x, self.height - y, radius, stroke=int(edge is not None), fill=1)

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        self._inks(fill, None)
        outline = self._canvas.beginPath()
        (x, y), *others = points
        outline.moveTo(x, self.height - y)
        for to_x, to_y in others:
            outline.lineTo(to_x, self.height - to_y)
        outline.close()
        self._canvas.drawPath(outline, stroke=0, fill=1)

    def line(self, x: float, y: float, to_x: float, to_y: float, ink: str, width: float = 0.3) -> None:
        self._inks(None, ink)
        self._canvas.setLineWidth(width)
        self._canvas.line(x, self.height - y, to_x, self.height - to_y)
        self._canvas.setLineWidth(0.2)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        ink: str,
        *,
        bold: bool = False,
        align: Align = "left",
    ) -> None:
        self._inks(ink, None)
        self._canvas.setFont(self._fonts[bold], size / _POINTS_PER_MM)
        draw = {
            "left": self._canvas.drawString,
            "middle": self._canvas.drawCentredString,
            "right": self._canvas.drawRightString,
        }[align]
        draw(x, self.height - y, text)

    def wide(self, text: str, size: float, *, bold: bool = False) -> float:
        return float(self._canvas.stringWidth(text, self._fonts[bold], size / _POINTS_PER_MM))

    def picture(self, picture: Image.Image, x: float, y: float, w: float, h: float) -> None:
        from reportlab.lib.utils import ImageReader

        self._canvas.drawImage(ImageReader(picture), x, self.height - y - h, w, h)

    def write(self, path: Path) -> None:
        self._canvas.showPage()
        self._canvas.save()
        path.write_bytes(self._bytes.getvalue())

    def _inks(self, fill: str | None, edge: str | None) -> None:
        from reportlab.lib.colors import HexColor

        if fill is not None:
            self._canvas.setFillColor(HexColor(fill))
        if edge is not None:
            self._canvas.setStrokeColor(HexColor(edge))
