"""What an ingest did: counts, and what was left out and why."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from data.readers.base import Noted, Rejected
from data.schema import DatasetInfo

LISTED = 1000
"""How many rejected and noted rows are listed one by one; all are counted."""
_DISTINCT_REASONS = 200
_PARTICULAR = re.compile(r"'[^']*'|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class IngestReport:
    """What came of one ingest."""

    dataset: DatasetInfo
    format: str
    images: int
    """Rows read from this source."""
    detections: int
    rejected: tuple[Rejected, ...]
    """The first `LISTED` of them."""
    rejected_count: int
    reasons: tuple[tuple[str, int], ...]
    """(reason, count), most frequent first."""
    noted: tuple[Noted, ...]
    """Rows that were kept although something is missing ("no place"); the first `LISTED`."""
    noted_count: int
    notes: tuple[tuple[str, int], ...]
    seconds: float


@dataclass
class Tally:
    """Counts reasons as they come, in bounded memory."""

    listed: list[Rejected | Noted] = field(default_factory=list)
    count: int = 0
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, item: Rejected | Noted) -> None:
        """Count one more."""
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(item)
        reason = item.reason
        if reason not in self._reasons and len(self._reasons) >= _DISTINCT_REASONS:
            # A reason that quotes the row's value is different for every row: count its kind.
            reason = _PARTICULAR.sub("…", reason)
        self._reasons[reason] += 1

    def reasons(self) -> tuple[tuple[str, int], ...]:
        """(reason, count), most frequent first, ties by reason."""
        return tuple(sorted(self._reasons.items(), key=lambda pair: (-pair[1], pair[0])))
