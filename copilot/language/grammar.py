"""The grammar of frames: which tokens may come next, so that nothing is decoded that no tool takes.

A frame is written as tokens: a tool, its arguments by name, the values of each; a pointer is two tokens, its
first and its last word. It ends with the token END.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from copilot.language.frame import Frame, Literal, Pointer, Result, Step, Value
from copilot.language.schema import Argument

MAX_RESULTS = 6
MAX_SPAN = 45
"""Words that a pointer may span."""
END = 0
Bools = NDArray[np.bool_]


class Vocabulary:
    """The tokens: END, tools, names of arguments, literals, results of steps; beyond them, words."""

    def __init__(
        self,
        schema: Mapping[str, Mapping[str, Argument]],
        literals: Mapping[str, Sequence[str]],
        hidden: Collection[str] = (),
    ) -> None:
        """`literals`: the values that nobody says in words of their own, by the arguments that take them.

        `hidden`: tools that cannot be taken.
        """
        self.schema, self._of_argument, self._hidden = schema, literals, hidden
        self.tools = tuple(schema)
        self.names = tuple(dict.fromkeys(name for each in schema.values() for name in each))
        said = (text for each in schema.values() for one in each.values() for text in one.spelled)
        known = (text for each in literals.values() for text in each)
        self.literals = tuple(dict.fromkeys((*said, *known)))
        self.first_name = 1 + len(self.tools)
        self.first_literal = self.first_name + len(self.names)
        self.first_result = self.first_literal + len(self.literals)
        self.size = self.first_result + MAX_RESULTS
        self._tool = {name: n for n, name in enumerate(self.tools, 1)}
        self._name = {name: n for n, name in enumerate(self.names, self.first_name)}
        self._literal = {text: n for n, text in enumerate(self.literals, self.first_literal)}

    def tool(self, token: int) -> str:
        """The tool that a token stands for."""
        return self.tools[token - 1]

    def name(self, token: int) -> str:
        """The argument that a token stands for."""
        return self.names[token - self.first_name]

    def token_of(self, name: str) -> int:
        """The token that stands for an argument."""
        return self._name[name]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What each token is called wherever it stands: a tool that is added moves those behind it."""
        return (
            "end",
            *(f"tool {name}" for name in self.tools),
            *(f"argument {name}" for name in self.names),
            *(f"literal {text}" for text in self.literals),
            *(f"result {n}" for n in range(MAX_RESULTS)),
        )

    def tokens(self, frame: Frame) -> list[int] | None:
        """A frame as tokens, END at last; None where a literal or a result is not in the vocabulary."""
        written: list[int] = []
        for step in frame:
            written.append(self._tool[step.tool])
            for name, values in step.arguments:
                written.append(self._name[name])
                for value in values:
                    tokens = self._value(value)
                    if tokens is None:
                        return None
                    written += tokens
        return [*written, END]

    def _value(self, value: Value) -> list[int] | None:
        match value:
            case Pointer(first, last):
                return [self.size + first, self.size + last]
            case Result(step):
                return [self.first_result + step] if step < MAX_RESULTS else None
            case Literal(text):
                return [self._literal[text]] if text in self._literal else None

    def frame(self, tokens: Sequence[int]) -> Frame:
        """The frame that tokens write; what comes after END, or is cut off, is left away."""
        steps: list[tuple[str, list[tuple[str, list[Value]]]]] = []
        first: int | None = None
        for token in tokens:
            if token == END:
                break
            if token >= self.size:
                if first is None:
                    first = token - self.size
                    continue
                steps[-1][1][-1][1].append(Pointer(first, token - self.size))
                first = None
            elif token < self.first_name:
                steps.append((self.tool(token), []))
            elif token < self.first_literal:
                steps[-1][1].append((self.name(token), []))
            elif token < self.first_result:
                steps[-1][1][-1][1].append(Literal(self.literals[token - self.first_literal]))
            else:
                steps[-1][1][-1][1].append(Result(token - self.first_result))
        return tuple(
            Step(tool, tuple((name, tuple(values)) for name, values in named if values))
            for tool, named in steps
        )

    @cached_property
    def beginnings(self) -> Bools:
        """What may begin a step, or end the frame."""
        mask = np.zeros(self.size, bool)
        mask[: self.first_name] = True
        mask[[self._tool[name] for name in self._hidden]] = False
        return mask

    @cached_property
    def names_of(self) -> dict[str, Bools]:
        """The arguments of each tool."""
        return {tool: self._mask(self._name[name] for name in names) for tool, names in self.schema.items()}

    @cached_property
    def values_of(self) -> dict[tuple[str, str], Bools]:
        """The values that are no words, of each argument of each tool."""
        return {
            (tool, name): self._mask(self._values(takes))
            for tool, names in self.schema.items()
            for name, takes in names.items()
        }

    def _values(self, takes: Argument) -> list[int]:
        spelled = [self._literal[text] for text in takes.spelled]
        if not takes.is_free:
            return spelled
        # What is no choice of it is taken only where it was meant before: no day, no place is made up.
        meant = [self._literal[text] for text in self._of_argument.get(takes.name, ())]
        return [*spelled, *meant, *range(self.first_result, self.size)]

    def _mask(self, tokens: object) -> Bools:
        mask = np.zeros(self.size, bool)
        mask[list(tokens)] = True  # type: ignore[call-overload]
        return mask


@dataclass(frozen=True)
class Allowed:
    """What may come next."""

    tokens: Bools
    """(size,) of the vocabulary."""
    words: tuple[int, int] = (0, 0)
    """Words from the first up to, not including, the second."""


@dataclass(frozen=True)
class Written:
    """How far a frame is written. `step` gives the next; nothing is changed in place."""

    vocabulary: Vocabulary
    count: int
    """How many words can be pointed at."""
    tool: str | None = None
    name: str | None = None
    named: frozenset[str] = frozenset()
    first: int | None = None
    awaits: OneOf["anything", "value"] = "anything"

    def allowed(self) -> Allowed:
        """What may come next."""
        known = self.vocabulary
        if self.first is not None:
            nothing = np.zeros(known.size, bool)
            return Allowed(nothing, (self.first, min(self.count, self.first + MAX_SPAN)))
        if self.tool is None:
            return Allowed(known.beginnings)
        if self.name is None:
            return Allowed(known.beginnings | known.names_of[self.tool])
        takes = known.schema[self.tool][self.name]
        values, words = known.values_of[self.tool, self.name], (0, self.count if takes.is_free else 0)
        if self.awaits == "value":
            return Allowed(values, words)
        mask = known.beginnings | known.names_of[self.tool]
        mask[[known.token_of(name) for name in self.named]] = False
        return Allowed(mask | values, words) if takes.is_list else Allowed(mask)

    def step(self, token: int) -> Written:
        """After one more token."""
        known = self.vocabulary
        if token >= known.size:
            if self.first is None:
                return replace(self, first=token - known.size)
            return replace(self, first=None, awaits="anything")
        if token < known.first_name:
            return Written(known, self.count, known.tool(token))
        if token < known.first_literal:
            name = known.name(token)
            return replace(self, name=name, named=self.named | {name}, awaits="value")
        return replace(self, awaits="anything")
