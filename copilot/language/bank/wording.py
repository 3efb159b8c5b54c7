"""Other wordings of turns of the bank: the same calls in the same session, as other people say it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from copilot.language.bank.example import BadExample, Example

WORDINGS = Path(__file__).with_name("wordings")


class Wording(BaseModel):
    """What one person says instead of one turn of an example."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    example: str = Field(min_length=1)
    turn: int = Field(ge=0)
    """Counted from 0."""
    voice: str = Field(min_length=1)
    say: str = Field(min_length=1)

    @property
    def record(self) -> str:
        """The id of the record that it is another wording of."""
        return f"{self.example}/{self.turn}"


def read_wordings(files: Iterable[Path]) -> Iterator[Wording]:
    """The wordings of those files, line by line. Raises BadExample."""
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                plain: Mapping[str, Any] = json.loads(line)
                yield Wording.model_validate(plain)
            except (json.JSONDecodeError, ValidationError) as error:
                raise BadExample(f"{path.name}, line {number}: {error}") from None


def problems_with(wordings: Sequence[Wording], examples: Iterable[Example]) -> list[str]:
    """Wordings of turns that are not there, and what is said twice for one turn."""
    turns = {f"{each.id}/{n}": turn.say for each in examples for n, turn in enumerate(each.turns)}
    said = {(record, _plain(text)) for record, text in turns.items()}
    found = []
    for each in wordings:
        if each.record not in turns:
            found.append(f"{each.record}: there is no such turn.")
        elif (each.record, _plain(each.say)) in said:
            found.append(f"{each.record}: {each.say!r} is said for it already.")
        said.add((each.record, _plain(each.say)))
    return found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
