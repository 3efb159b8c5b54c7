"""Material: the lessons with what is known of the tools, in a file that needs neither tools nor catalogue."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copilot.language.grammar import Vocabulary
from copilot.language.learning.lessons import Lesson, literals_of
from copilot.language.network import Ids
from copilot.language.new_tools import Leaflets
from copilot.language.policy import Learned, descriptions, tokenizer
from copilot.language.schema import schema_of
from copilot.planner.encoder import Encoder, Floats
from tools.toolbox import Toolbox


@dataclass(frozen=True)
class Material:
    """All that learning needs."""

    lessons: tuple[Lesson, ...]
    held: tuple[Lesson, ...]
    """Kept out of learning, to see how well it goes."""
    vocabulary: Vocabulary
    literals: dict[str, list[str]]
    descriptions: Floats
    token_kinds: Ids
    leaflets: Leaflets
    fresh: int = 0
    """So many of the lessons, the first ones, no policy has learned yet."""

    def keep(self, path: Path) -> None:
        """Write it, to be read by `load`."""
        with path.open("wb") as file:
            pickle.dump(self, file, protocol=5)

    @staticmethod
    def load(path: Path) -> Material:
        """Read a file that `keep` wrote on a machine of one's own: reading runs what is in it."""
        with path.open("rb") as file:
            found = pickle.load(file)
        if not isinstance(found, Material):
            raise ValueError(f"{path} holds a {type(found).__name__} and no lessons.")
        return found


def material_of(
    lessons: Sequence[Lesson],
    held: Iterable[Lesson],
    toolbox: Toolbox,
    encoder: Encoder,
    fresh: int = 0,
    begun: Learned | None = None,
) -> Material:
    """Some lessons, so many fresh ones first, with what is known of the tools, and what `begun` knows."""
    schema = schema_of(toolbox)
    literals = literals_of(lessons, schema)
    wanted = {tool for each in lessons for tool in each.tools}
    if begun is not None:
        literals = _both(literals, begun.literals, schema)
        wanted |= begun.known.wanted
    # What no example wants is never learned to be wrong: it is to be found by its description one day.
    vocabulary = Vocabulary(schema, literals, schema.keys() - wanted)
    vectors, kinds = descriptions(vocabulary, toolbox, encoder)
    leaflets = Leaflets(toolbox, encoder, tokenizer())
    return Material(tuple(lessons), tuple(held), vocabulary, literals, vectors, kinds, leaflets, fresh)


def _both(
    some: Mapping[str, Sequence[str]],
    others: Mapping[str, Sequence[str]],
    schema: Mapping[str, Mapping[str, object]],
) -> dict[str, list[str]]:
    """The literals of both, of arguments that there still are."""
    names = {name for each in schema.values() for name in each}
    found = ((name, sorted({*some.get(name, ()), *others.get(name, ())})) for name in sorted(names))
    return {name: values for name, values in found if values}
