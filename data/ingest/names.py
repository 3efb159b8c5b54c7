"""What an ingested data set may be called."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from data.catalogue.base import CatalogueError
from data.catalogue.whole import Broken, look, set_aside, whole
from data.catalogue.write import check_name
from data.readers.base import UnreadableSource
from data.vocabulary.published import CLASS_NAMES

BUILT_IN = frozenset(CLASS_NAMES) | {"xview2"}


def slug(text: str) -> str:
    """Lower-case letters, digits and single underscores: "World Cities (2024).csv" is "world_cities_2024"."""
    stem = re.sub(r"\.[A-Za-z]{1,10}$", "", text)
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:63].rstrip("_") or "data"


def target_name(
    root: Path, source: Path, name: str | None, *, append: bool, replace: bool, mine: bool = False
) -> str:
    """The data set's name, checked; with `mine` all that is there is the same person's.

    Raises UnreadableSource when it cannot be a name, is a built-in sample's, or is already taken by
    another source, and neither `append` nor `replace` says that this is meant.
    """
    chosen = slug(source.resolve().name) if name is None else name
    try:
        check_name(chosen)
    except CatalogueError as error:
        raise UnreadableSource(str(error)) from None
    if chosen in BUILT_IN and not replace:
        raise UnreadableSource(
            f"{chosen!r} is the name of a built-in sample; "
            "give another name, or say explicitly that it shall be replaced."
        )
    folder = root / chosen
    if chosen not in look(root) or (replace and not append):
        return chosen
    try:
        existing = whole(folder, chosen)
    except Broken as error:
        broken = set_aside(folder, chosen, error)
        if not append and (mine or broken.source == source.resolve().name):
            return chosen  # which mends it
        raise UnreadableSource(f"{broken.sentence} Or give another name.") from None
    if not (
        append or replace or (existing.origin == "ingested" and existing.source == source.resolve().name)
    ):
        raise UnreadableSource(
            f"There is already a data set {chosen!r}, from {existing.source!r}; "
            "give another name, or append to it, or replace it."
        )
    return chosen
