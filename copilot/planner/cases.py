"""Worked cases: known ways to say known things, and the calls that did them.

A request that says what a case says, with other places, dates and classes in it, is planned as the case was.
That is what sample utterances are to a voice assistant: the nearest cases are found by the encoder
(Reimers & Gurevych 2019, arXiv:1908.10084), and a case fits when each of its slots is filled and nothing that
names something is left over. Whatever no case fits goes to the rules. `copilot.planner.learn` makes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder

FILE = Path(__file__).with_name("cases.npz")
NEAREST = 24
"""How many cases are tried on a request."""


@dataclass(frozen=True)
class CaseSlot:
    """One slot of a case."""

    kind: str
    """As in the intents: city, class, year …; "literal" for one of some choices."""
    choices: tuple[tuple[str, Any], ...] = ()
    """What is said, and what the argument is then."""
    span: tuple[str, int] | None = None
    """The kind of phrase that it is read as, and which of that kind in the wording; None where none is read."""


@dataclass(frozen=True)
class Case:
    """One wording of one intent."""

    intent: str
    wording: str
    """With a `{slot}` where a value stands."""
    slots: Mapping[str, CaseSlot]
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    """Tool and arguments, with slots and with `{n.data.name}` for a value out of the n-th call's result."""
    starts: bool
    """It begins with nothing selected; otherwise it goes on with what is there."""
    kinds: tuple[str, ...] = ()
    """The kinds of all phrases that are read in it, sorted: a request with others says something else."""
    fixed: tuple[str, ...] = ()
    """What is named in it that is no slot's."""

    def to_json(self) -> dict[str, Any]:
        """The case as plain JSON values."""
        slots = {name: [slot.kind, slot.choices, slot.span] for name, slot in self.slots.items()}
        return {
            "intent": self.intent,
            "wording": self.wording,
            "slots": slots,
            "calls": self.calls,
            "starts": self.starts,
            "kinds": self.kinds,
            "fixed": self.fixed,
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Case:
        """The case that `to_json` wrote."""
        slots = {
            name: CaseSlot(
                kind,
                tuple((str(say), arg) for say, arg in choices),
                None if span is None else (span[0], span[1]),
            )
            for name, (kind, choices, span) in plain["slots"].items()
        }
        calls = tuple((tool, args) for tool, args in plain["calls"])
        kinds, fixed = tuple(plain["kinds"]), tuple(plain["fixed"])
        return cls(plain["intent"], plain["wording"], slots, calls, plain["starts"], kinds, fixed)

    @property
    def declines(self) -> bool:
        """Whether it asks back or refuses."""
        return any(tool in ("ask_user", "reject_task") for tool, _ in self.calls)


@dataclass(frozen=True)
class Cases:
    """Cases with their vectors."""

    cases: tuple[Case, ...]
    vectors: Floats
    """(cases, 384), each of length one: the encoder's, of the masked wording."""
    source: str = ""
    """Digest of what they were learnt from."""

    def nearest(self, masked: str, count: int = NEAREST) -> list[tuple[Case, float]]:
        """The cases whose wordings mean the most alike, with their cosine, the best first."""
        if not self.cases:
            return []
        likeness = shared_encoder().cosines(self.vectors, masked)
        best = np.argsort(-likeness, kind="stable")[:count]
        return [(self.cases[index], float(likeness[index])) for index in best]

    def without(self, intents: Iterable[str] = (), wordings: Iterable[str] = ()) -> Cases:
        """The cases but for those of some intents or wordings: to measure what is not known yet."""
        gone, said = set(intents), set(wordings)
        kept = [
            n for n, case in enumerate(self.cases) if case.intent not in gone and case.wording not in said
        ]
        return Cases(tuple(self.cases[n] for n in kept), self.vectors[kept])

    @cached_property
    def intents(self) -> frozenset[str]:
        """The intents that there are cases of."""
        return frozenset(case.intent for case in self.cases)

    def save(self, path: Path = FILE) -> None:
        """Write them; the same cases give the same bytes."""
        text = json.dumps([case.to_json() for case in self.cases], ensure_ascii=False)
        np.savez_compressed(
            path,
            cases=np.frombuffer(text.encode(), np.uint8),
            vectors=self.vectors.astype(np.float16),
            source=np.array(self.source),
        )


@lru_cache(maxsize=1)
def known_cases(path: Path = FILE) -> Cases:
    """The cases of the file; none where there is no file."""
    if not path.is_file():
        return Cases((), np.zeros((0, 384), dtype=np.float32))
    with np.load(path) as kept:
        plain: Sequence[Mapping[str, Any]] = json.loads(kept["cases"].tobytes())
        vectors, source = kept["vectors"].astype(np.float32), str(kept["source"])
        return Cases(tuple(Case.from_json(each) for each in plain), vectors, source)
