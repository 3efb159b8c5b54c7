"""Pictures: how large, which part, how far turned, what is written on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom, quotes

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


def _crop(text: str, today: date) -> Arguments:
    found: Arguments = {}
    if both := re.search(r"\b(\d+) ?(?:px|pixels?)? ?(?:x|×|by) ?(\d+)\b", text, re.I):
        found = {"width": int(both[1]), "height": int(both[2])}
    for name, words in (("width", "wide"), ("height", "high|tall")):
        match = re.search(rf"\b(\d+) ?(?:px|pixels?)? (?:{words})\b|\b{name}\W+(?:of |to )?(\d+)", text, re.I)
        if match:
            found[name] = int(match[1] or match[2])
    if start := re.search(r"\bfrom (?:pixel )?\(?(\d+)\s*,\s*(\d+)\)?", text, re.I):
        found |= {"left": int(start[1]), "top": int(start[2])}
    return found


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
