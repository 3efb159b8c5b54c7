"""How much one call may bring in and say: an event is read whole by every page, prompt and replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from state.codec import canonical_bytes
from tools.base import Step, ToolError

KIB = 1024
MAX_ARGS_BYTES = 256 * KIB
"""What the arguments of one call may take: an outline of 10,000 corners does."""
MAX_ARGS_DEPTH = 64
"""How deep lists and objects may stand in each other."""
MAX_DATA_BYTES = 256 * KIB
"""What the data of a call may take."""
MAX_SAID_CHARS = 16_000
"""How long an observation may be."""
MAX_ERROR_CHARS = 4_000
"""How much of an error's sentence is kept: it may repeat what came in."""
_CUT = "… (cut)"
MAX_NAME_CHARS = 100
"""How much of a tool's name is kept: one that there is not may be of any length."""


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Raise ToolError for arguments that are too much, before anything reads them."""
    size, depth = _weight(arguments)
    if depth > MAX_ARGS_DEPTH:
        raise ToolError(
            f"The arguments of {cut(name, MAX_NAME_CHARS)} have lists or objects more than {MAX_ARGS_DEPTH} "
            "deep in each other; send them flatter."
        )
    if size > MAX_ARGS_BYTES:
        raise ToolError(
            f"The arguments of {cut(name, MAX_NAME_CHARS)} take more than {MAX_ARGS_BYTES // KIB} KiB, which "
            "is the most for one call; send less at once, or upload it as a file."
        )


def are_too_much(arguments: Mapping[str, Any]) -> bool:
    """Whether `check_arguments` would refuse them."""
    size, depth = _weight(arguments)
    return size > MAX_ARGS_BYTES or depth > MAX_ARGS_DEPTH


def check_said(name: str, step: Step) -> None:
    """Raise ToolError for a result that says too much, ValueError for data that is no JSON."""
    size = len(canonical_bytes(dict(step.data)))
    if size > MAX_DATA_BYTES:
        raise ToolError(
            f"{name} gives {size / KIB:,.0f} KiB of data, and {MAX_DATA_BYTES // KIB} KiB are the most that "
            "is kept of one call; ask for less at once."
        )
    if len(step.observation) > MAX_SAID_CHARS:
        raise ToolError(
            f"{name} says {len(step.observation):,} characters, and {MAX_SAID_CHARS:,} are the most that is "
            "kept of one call; ask for less at once."
        )


def cut(text: str, most: int) -> str:
    """A text that is not longer than that, and says so where it was cut."""
    return text if len(text) <= most else f"{text[: most - len(_CUT)]}{_CUT}"


def cut_sentence(text: str, most: int) -> str:
    """As `cut`, and still a sentence."""
    return text if len(text) <= most else f"{cut(text, most - 1)}."


def _weight(value: Any) -> tuple[int, int]:
    """About how many bytes of JSON a value is, and how deep; no more of it is looked at than is allowed."""
    size = deepest = 0
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting and size <= MAX_ARGS_BYTES and deepest <= MAX_ARGS_DEPTH:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(each, Mapping):
            for key, held in each.items():
                size += _length(key) + 4
                waiting.append((held, depth + 1))
        elif isinstance(each, (list, tuple)):
            size += 2 * len(each)
            waiting += ((held, depth + 1) for held in each)
        else:
            size += _length(each)
    return size, deepest


def _length(value: Any) -> int:
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value.bit_length() // 3 + 1  # no more digits than that, and they need not be spelled out
    text = value if isinstance(value, str) else str(value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
