"""The phrases that task inference learns from: a file a task, a phrase a line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("phrases")
CUES = Path(__file__).with_name("cues.toml")
"""Words of the field in groups: see cues.py."""
ASIDES = Path(__file__).with_name("asides.toml")
"""What is said beside a wish: see vary.py."""


class PhraseError(Exception):
    """A line of the phrases is wrong; the sentence names the file and the line."""


@dataclass(frozen=True)
class Phrase:
    """What somebody may say who wants a task done."""

    task: str
    text: str


def read_phrases(folder: Path = FOLDER) -> tuple[Phrase, ...]:
    """Every phrase, file by file. Raises PhraseError."""
    return tuple(
        _phrase(line, file, number)
        for file in sorted(folder.glob("*.jsonl"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    )


def _phrase(line: str, file: Path, number: int) -> Phrase:
    try:
        phrase = Phrase(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise PhraseError(
            f"{file.name} line {number} is {line[:60]!r}; it needs a task and a text."
        ) from error
    if phrase.task != file.stem:
        raise PhraseError(f"{file.name} line {number} has the task {phrase.task!r}, not {file.stem!r}.")
    return phrase


def digest_of(folder: Path = FOLDER) -> str:
    """SHA-256 over the names and bytes of the files, of the cues that are read in them and of the asides."""
    digest = hashlib.sha256(CUES.read_bytes() + ASIDES.read_bytes())
    for file in sorted(folder.glob("*.jsonl")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
