"""A program of test_store.py: appends its events to a session that others write to at the same time."""

from __future__ import annotations

import sys

from state.log import Event
from state.store import Conflict, Store, now


def main(url: str, session_id: str, writer: str, count: int) -> None:
    """Append `count` events of that writer, each under the next number that is free."""
    store = Store(url)
    for number in range(count):
        while True:
            seq = len(store.events(session_id)) + 1
            try:
                store.append(session_id, [Event(seq, seq, "call", now(), source=writer, text=str(number))])
                break
            except Conflict:
                continue
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
