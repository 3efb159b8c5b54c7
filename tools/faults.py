"""Failures that come from outside: of the disk, the memory, the network, a worker, a server that is away.

The same call may succeed another time, so a replay takes them from the record.
"""

from __future__ import annotations

from data.apart.pool import ReadFailed
from data.catalogue.base import CatalogueAway
from data.room import ran_out
from state.store import StoreUnavailable
from tools.base import OutsideError

_OUTSIDE = (OutsideError, CatalogueAway, StoreUnavailable, ReadFailed, MemoryError, OSError)
"""OSError is the parent of what networks, timeouts and files that are gone raise."""


def came_from_outside(error: BaseException | None) -> bool:
    """Whether an error, or one that it comes of, says that something outside of the call failed."""
    if ran_out(error):
        return True
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, _OUTSIDE):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
