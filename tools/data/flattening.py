"""What formats ask of names and files: names that differ enough and are short enough, files packed in one."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path

TEXT_BYTES = 254
"""What a text field of a shapefile holds."""
NAME_BYTES = 10
"""What a field's name of a shapefile holds."""


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that nobody has, by `_` at its end."""
    while name in taken:
        name += "_"
    return name


def names_apart(columns: Sequence[str], most: int | None = None) -> dict[str, str]:
    """Names that differ in more than their case, as SQL needs them (Name and name_1), of so many bytes."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        free, number = cut_bytes(column, most), 1
        while free.casefold() in taken:
            end = f"_{number}"
            shorter = cut_bytes(column, None if most is None else most - len(end))
            free, number = f"{shorter}{end}", number + 1
        names[column] = free
        taken.add(free.casefold())
    return names


def cut_bytes(text: str, most: int | None) -> str:
    """The text cut to so many bytes of UTF-8, between two letters."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def pack(folder: Path, target: Path) -> None:
    """A ZIP of the files in a folder."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for each in sorted(folder.iterdir()):
            packed.write(each, each.name)
