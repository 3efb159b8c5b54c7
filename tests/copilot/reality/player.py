"""A model that plays its part in every agent: it fills in forms, and makes its moves between them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.openai_server import Asked, Reply, Says, calls, says

FORMS: dict[str, dict[str, Any]] = {
    "submit_plan": {"thought": "Look first.", "calls": []},
    "submit_modules": {"thought": "The map.", "modules": [{"module": "map", "task": "Zoom in."}]},
    "submit_reflection": {"right": True, "again": False},
    "submit_task_types": {"thought": "", "tasks": []},
}


def form_asked(asked: Asked) -> str | None:
    """The form that this request wants to have filled in; None when the model is free to act."""
    wanted = asked.get("tool_choice")
    return str(wanted["function"]["name"]) if isinstance(wanted, dict) else None


def zooming() -> Iterator[Reply]:
    """Calls without end, each to another zoom level."""
    return (calls(("zoom_map", {"level": 3 + number % 15})) for number in count(1))


@dataclass
class Player:
    """Makes one move after another, then answers; after so many requests it does one thing for ever."""

    moves: Iterable[Reply] = ()
    answer: Reply = field(default_factory=lambda: says("Done."))
    after: int | None = None
    """From this request on (0 is the first), every request gets `fault`."""
    fault: Says | None = None
    _asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._moves = iter(self.moves)

    def __call__(self, asked: Asked) -> Reply:
        with self._lock:
            number, self._asked = self._asked, self._asked + 1
            if self.fault is not None and self.after is not None and number >= self.after:
                return self.fault if isinstance(self.fault, Reply) else self.fault(asked)
            form = form_asked(asked)
            if form is not None:
                return calls((form, FORMS[form]))
            return next(self._moves, self.answer)
