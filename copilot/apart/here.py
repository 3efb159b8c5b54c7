"""Reading in this very process: for a command line, which holds nobody else up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from copilot.bounds import READING_CPU_S, TooMuch, too_slow

if TYPE_CHECKING:
    from copilot.planner.plan import Plan
    from copilot.planner.situation import Situation
    from copilot.readers import Reads


class ReadsHere:
    """The planner of this process, ended like one that reads apart where it is asked in the main thread."""

    def __init__(self, planner: Reads) -> None:
        self._planner = planner

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation. Raises TooMuch where its reading had to be ended."""
        if threading.current_thread() is not threading.main_thread():
            return self._planner.plan(request, situation)
        with _limited():
            return self._planner.plan(request, situation)


class _TimeIsUp(BaseException):
    """Raised wherever the reading is: no `except Exception` on the way keeps it."""


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TooMuch where what is inside computes longer than a reading may. Patterns heed signals."""

    def end(number: int, frame: Any) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, READING_CPU_S)
    try:
        yield
    except _TimeIsUp:
        raise TooMuch(too_slow()) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
