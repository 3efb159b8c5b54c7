"""Whose job is next: sessions are served in turn, and so many jobs run at once."""

from __future__ import annotations

import threading
from collections import deque


class FairQueue:
    """Tickets by session. The session that was served longest ago is next, its oldest ticket first.

    With `most_each`, so many of one session's tickets run at once, whatever is free. Safe to use from several
    threads.
    """

    def __init__(self, most_each: int | None = None) -> None:
        self._most_each = most_each
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[str]] = {}
        self._served: dict[str, int] = {}
        """When each session was served last, as a number that grows."""
        self._running: dict[str, str] = {}
        """Whose ticket each of those is that run."""
        self._aside: set[str] = set()
        """Those that run without a place."""

    def enter(self, session_id: str, ticket: str) -> None:
        """Queue up."""
        with self._changed:
            self._waiting.setdefault(session_id, deque()).append(ticket)
            self._changed.notify_all()

    def leave(self, session_id: str, ticket: str) -> None:
        """Go, from the queue or from what runs."""
        with self._changed:
            self._running.pop(ticket, None)
            self._aside.discard(ticket)
            mine = self._waiting.get(session_id)
            if mine is not None and ticket in mine:
                mine.remove(ticket)
            self._forget_idle()
            self._changed.notify_all()

    def turn(self, session_id: str, ticket: str, slots: int, wait_s: float) -> bool:
        """Whether the ticket's turn has come within that time; it then counts as running until it leaves."""
        with self._changed:
            if not self._is_next(ticket, slots):
                self._changed.wait(wait_s)
                if not self._is_next(ticket, slots):
                    return False
            self._waiting[session_id].popleft()
            self._served[session_id] = max(self._served.values(), default=0) + 1
            self._running[ticket] = session_id
            self._forget_idle()
            self._changed.notify_all()
            return True

    def step_aside(self, ticket: str, most: int) -> bool:
        """Give a running ticket's place to another, which it runs on without; False where `most` do so."""
        with self._changed:
            if ticket not in self._running or len(self._aside) >= most:
                return False
            self._aside.add(ticket)
            self._changed.notify_all()
            return True

    def place(self, ticket: str) -> int:
        """How many are served before it; 0 when it is next, or not there."""
        with self._changed:
            order = self._order()
            return order.index(ticket) if ticket in order else 0

    def _is_next(self, ticket: str, slots: int) -> bool:
        if len(self._running) - len(self._aside) >= slots:
            return False
        return next((each for each in self._order() if self._may_run(each)), None) == ticket

    def _may_run(self, ticket: str) -> bool:
        """Whether its session has fewer than `most_each` that run."""
        if self._most_each is None:
            return True
        whose = next(session for session, queue in self._waiting.items() if ticket in queue)
        return sum(each == whose for each in self._running.values()) < self._most_each

    def _order(self) -> list[str]:
        """The tickets as they will be served while nothing changes."""
        sessions = sorted(self._waiting, key=lambda each: self._served.get(each, 0))
        queues = [list(self._waiting[each]) for each in sessions]
        rounds = max((len(each) for each in queues), default=0)
        return [queue[number] for number in range(rounds) for queue in queues if number < len(queue)]

    def _forget_idle(self) -> None:
        """Who was served when counts for as long as anybody waits or runs."""
        self._waiting = {session: queue for session, queue in self._waiting.items() if queue}
        if not self._waiting and not self._running:
            self._served.clear()
