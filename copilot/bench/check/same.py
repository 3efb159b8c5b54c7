"""When two values count as the same: words folded, whole numbers exactly, others within ε."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar

A = TypeVar("A")
B = TypeVar("B")

DEGREES = frozenset({"lon", "lat", "bbox", "center", "points", "start_lon", "start_lat", "coordinates"})
"""Fields in degrees: there ε is degrees, since a share of a longitude means nothing."""
SETS = frozenset({"names", "classes", "fields", "choices"})
"""Lists whose order means nothing."""

Nature = Literal["string", "number"]


@dataclass(frozen=True)
class Difference:
    """One value that is not the wanted one."""

    nature: Nature
    where: str
    wanted: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.where} is {self.got!r}, not {self.wanted!r}"


@lru_cache(maxsize=50_000)
def folded(text: str) -> str:
    """Words without case, accents, doubled spaces and the stop at the end."""
    plain = unicodedata.normalize("NFKD", text)
    bare = "".join(each for each in plain if not unicodedata.combining(each))
    return re.sub(r"[\s_]+", " ", bare.casefold()).strip(" .")


def near(wanted: float, got: float, epsilon: float, degrees: bool = False) -> bool:
    """Two numbers within ε: of their size, or in degrees. Two whole numbers must be equal.

    Counts, ranks and years are whole: there is no nearly right one.
    """
    if degrees:
        apart = abs(wanted - got)
        return apart <= epsilon or abs(apart - 360) <= epsilon
    if isinstance(wanted, int) and isinstance(got, int):
        return wanted == got
    return abs(wanted - got) <= epsilon * max(abs(wanted), abs(got))


def differences(wanted: Any, got: Any, epsilon: float, where: str = "") -> Iterator[Difference]:
    """Where two plain values differ; `where` is the name of the field, which says what unit it is in."""
    field = where.rpartition(".")[2].partition("[")[0]
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in dict.fromkeys((*wanted, *got)):
            inner = f"{where}.{key}" if where else key
            yield from differences(wanted.get(key), got.get(key), epsilon, inner)
    elif isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        yield from _lists(wanted, got, epsilon, where, field)
    elif is_number(wanted) and is_number(got):
        if not near(wanted, got, epsilon, field in DEGREES):
            yield Difference("number", where, wanted, got)
    elif isinstance(wanted, str) and isinstance(got, str):
        if folded(wanted) != folded(got):
            yield Difference("string", where, wanted, got)
    elif wanted != got or isinstance(wanted, bool) != isinstance(got, bool):
        yield Difference(_nature(wanted, got), where, wanted, got)


def _lists(
    wanted: Sequence[Any], got: Sequence[Any], epsilon: float, where: str, field: str
) -> Iterator[Difference]:
    if field in SETS:
        if {folded(str(each)) for each in wanted} != {folded(str(each)) for each in got}:
            yield Difference("string", where, list(wanted), list(got))
    elif len(wanted) != len(got):
        yield Difference(_nature(wanted, got), where, list(wanted), list(got))
    else:
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from differences(one, other, epsilon, f"{where}[{index}]")


def same(wanted: Any, got: Any, epsilon: float, where: str = "") -> bool:
    """Whether two plain values count as the same."""
    return next(differences(wanted, got, epsilon, where), None) is None


def is_number(value: Any) -> bool:
    """A number, which True is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _nature(wanted: Any, got: Any) -> Nature:
    """Whether the difference is one of numbers: what is wanted decides, else what came."""
    value = got if wanted is None else wanted
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return "number" if is_number(value) else "string"


def matching(wanted: Sequence[A], got: Sequence[B], fits: Callable[[A, B], bool]) -> dict[int, int]:
    """The most pairs of wanted and got that fit, each used once: index of wanted -> index of got.

    The most, and not the first that come: so a larger ε never loses a pair.
    """
    options = [[j for j, other in enumerate(got) if fits(one, other)] for one in wanted]
    taken: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in options[i]:
            if j not in tried:
                tried.add(j)
                if j not in taken or place(taken[j], tried):
                    taken[j] = i
                    return True
        return False

    for i in range(len(wanted)):
        place(i, set())
    return {i: j for j, i in sorted(taken.items(), key=lambda pair: pair[1])}
