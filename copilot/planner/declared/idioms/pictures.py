"""Pictures: how large, which part, how far turned, what is written on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from copilot.planner.asking import ASKS_FOR, Ask
from copilot.planner.declared.idioms.base import Arguments, Idiom, quotes
from copilot.planner.declared.things import Thing

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"


def _resize(text: str, today: date) -> Arguments:
    found: Arguments = {}
    for name, words in (
        ("width", r"wide|across|in width|of width"),
        ("height", r"high|tall|in height|of height"),
    ):
        match = re.search(
            rf"\b(\d+) ?(?:px|pixels?)? (?:{words})\b|\b{name}\W+(?:of |to |is |at )?(\d+)", text, re.I
        )
        if match:
            found[name] = int(match[1] or match[2])
    if both := re.search(r"\b(\d+) ?(?:px|pixels?)? ?(?:x|×|by) ?(\d+)\b", text, re.I):
        found |= {"width": int(both[1]), "height": int(both[2])}
    if found:
        return found
    for pattern, scale in ((r"\bhalf\b", 0.5), (r"\b(?:a |one )?quarter\b", 0.25), (r"\b(?:twice|double)\b", 2), (r"\bthird\b", 1 / 3)):  # fmt: skip
        if re.search(pattern, text, re.I):
            return {"scale": scale}
    match = re.search(
        rf"\b(?:factor|scale|by)\W+(?:of |to |a factor of )?{_NUMBER}|\b{_NUMBER} times\b", text, re.I
    )
    if match:
        value = float(match[1] or match[2])
        return {"scale": int(value) if value.is_integer() else value}
    return {}


_OF_PICTURE = r"(?:it|this|that|(?:the |this |that |my )?(?:picture|image|photo|scene|raster|frame)\b)"
_PIECE = r"(?:half|quarter|corner|side|part|edge|third|end)"
_NO_GROUND = r"(?! ?(?:k?m|met(?:re|er)s?|kilomet(?:re|er)s?|miles?|feet|ft|degrees?|°)\b)"
_SIZE = rf"\b(\d+) ?(?:px|pixels?)? ?(?:x|×|by) ?(\d+)\b{_NO_GROUND}"
_PART = re.compile(
    rf"\b(?:top|upper|bottom|lower)[- ]?(?:left|right)\b|\b(?:left|right|top|upper|bottom|lower)(?:[- ]hand)? {_PIECE}\b"
    rf"|\b(?:left|right|top|bottom) of {_OF_PICTURE}|\b(?:at|from|on|along) (?:the |its )?(?:(?:top|upper|bottom|lower)[- ]?(?:left|right)|left|right|top|bottom)\b"
    rf"|\b(?:middle|cent(?:re|er))\b(?= of {_OF_PICTURE}| (?:{_PIECE}|\d|out|and|then|with|please)|\W*$|[,;.])|\b(?:by|in|to) half\b",
    re.I,
)
_PIXELS = re.compile(rf"{_SIZE}|\b\d+ ?(?:px|pixels?)\b", re.I)
_CUTS = re.compile(r"\b(?:crop(?:s|ped|ping)?|trim(?:s|med|ming)?|cut(?:s|ting)?)\b", re.I)
_PIXEL = r"(?:pixel )?\(?(\d+)\s*,\s*(\d+)\)?"
_TILES = re.compile(r"\binto\b|\b(?:tiles?|patch(?:es)?|chips?)\b", re.I)
_OFF = re.compile(r"\boff\b|\baway\b|\bremov\w+", re.I)


def crops(text: str) -> bool:
    """Whether a text cuts pixels out of a picture: it says how many, or which part."""
    if _CUTS.search(text) is None or _TILES.search(text):
        return False
    return bool(_PIXELS.search(text) or _PART.search(text))


_KEEPS = re.compile(r"^.*\b(?:keep|leave)\b", re.I | re.S)


def _crop(text: str, today: date) -> Arguments:
    # Each argument stands, that nothing else of the text is taken for it: the half of "the left half" is no column.
    found: Arguments = dict.fromkeys(("left", "top", "width", "height", "part"))
    kept = _KEEPS.sub("", text)
    if both := re.search(_SIZE, kept, re.I):
        found |= {"width": int(both[1]), "height": int(both[2])}
    for name, words in (("width", "wide"), ("height", "high|tall")):
        match = re.search(rf"\b(\d+) ?(?:px|pixels?)? (?:{words})\b|\b{name}\W+(?:of |to )?(\d+)", kept, re.I)
        if match:
            found[name] = int(match[1] or match[2])
    gone = _OFF.search(kept) is not None  # what goes is not what stays
    sized = found["width"] is not None or found["height"] is not None
    if not sized and not gone and (side := re.search(r"\b(\d+) ?(?:px|pixels?)\b", kept, re.I)):
        found |= {"width": int(side[1]), "height": int(side[1])}
        sized = True
    if start := re.search(rf"\bfrom {_PIXEL}(?: to {_PIXEL})?", kept, re.I):
        left, top, right, bottom = (int(each) if each else 0 for each in start.groups())
        if right > left and bottom > top:
            found |= {"width": right - left, "height": bottom - top}
        return found | {"left": left, "top": top}
    part = None if gone else _part(kept) or ("middle" if sized else None)
    # A window of a size that lies at the upper left is what the tool cuts without a word of where.
    return found | {"part": None if sized and part == "top-left" else part}


def _part(text: str) -> str | None:
    """The part of a picture that is named."""
    match = _PART.search(text)
    if match is None:
        return None
    words = re.findall(r"top|upper|bottom|lower|left|right", match[0].lower())
    down = [
        {"upper": "top", "lower": "bottom"}.get(each, each) for each in words if each not in ("left", "right")
    ]
    across = [each for each in words if each in ("left", "right")]
    return "-".join([*down[:1], *across[:1]]) or "middle"


def _what_to_keep(args: Arguments, things: Sequence[Thing]) -> None:
    """Ask for it where nothing is said of it."""
    if all(args.get(name) is None for name in ("left", "top", "width", "height", "part")):
        raise Ask(
            f"To crop a picture, {ASKS_FOR} what to keep: a size, such as 100 by 80 pixels out of the middle, or a "
            "part, such as the left half or the top right corner. One piece is cut at a time, so a square is a size "
            "such as 256 by 256 pixels, and tiles are cut one after the other.",
            (),
        )


def _rotate(text: str, today: date) -> Arguments:
    match = re.search(rf"\b{_NUMBER} ?(?:°|deg(?:rees?)?)", text, re.I)
    degrees = float(match[1]) if match else None
    if degrees is None and re.search(r"\bquarter turn\b", text, re.I):
        degrees = 90.0
    if degrees is None and re.search(r"\b(?:half turn|upside down|on its head)\b", text, re.I):
        degrees = 180.0
    if degrees is None and re.search(r"\b(?:left|right|clockwise)\b", text, re.I):
        degrees = 90.0
    if degrees is None:
        return {}
    if re.search(r"\b(?:anti-?|counter-?)clockwise\b|\bto the left\b|\bleft\b(?! corner)", text, re.I):
        degrees = -degrees
    return {"degrees": int(degrees) if degrees.is_integer() else degrees}


def _enhance(text: str, today: date) -> Arguments:
    found: Arguments = {}
    for name in ("contrast", "brightness", "sharpness", "gamma"):
        match = re.search(rf"\b{name}\W+(?:of |to |by |is |at )*{_NUMBER}", text, re.I)
        if match:
            value = float(match[1])
            found[name] = int(value) if value.is_integer() else value
    if re.search(r"\bequali[sz]\w*\b|\bspread the tones\b", text, re.I):
        found["equalise"] = True
    if found:
        return found
    for pattern, name, value in (
        (r"\bless contrast\b|\bsofter\b", "contrast", 0.7), (r"\bcontrast\b", "contrast", 1.5), (r"\bdarke(?:r|n)\b", "brightness", 0.7),
        (r"\bbright\w*\b|\blighter\b", "brightness", 1.3), (r"\b(?:sharp\w*|crisp\w*)\b", "sharpness", 2),
    ):  # fmt: skip
        if re.search(pattern, text, re.I):
            found[name] = value
            break
    return found


def _lettering(text: str, today: date) -> Arguments:
    found: Arguments = {}
    if quoted := quotes(text):
        found["text"] = quoted[0]
    if re.search(r"\bscale ?bar\b", text, re.I):
        found["scale_bar"] = True
    return found


IDIOMS: Mapping[str, Idiom] = {
    "image_resize": _resize,
    "image_crop": _crop,
    "image_rotate": _rotate,
    "image_enhance": _enhance,
    "image_annotate": _lettering,
}
SETTLE: Mapping[str, Callable[[Arguments, Sequence[Thing]], None]] = {"image_crop": _what_to_keep}
