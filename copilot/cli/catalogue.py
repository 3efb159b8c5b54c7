"""An engine whose catalogue has something in it: the sample is built when nothing is there yet."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copilot.engine import Engine


def ready_engine(today: date | None = None) -> Engine:
    """The engine of this process, after the sample catalogue was built where none was yet."""
    from copilot.engine import Engine

    engine = Engine(today=today)
    ensure_sample(engine)
    return engine


def ensure_sample(engine: Engine) -> None:
    """Build the sample catalogue with a progress bar, unless it is there or the catalogue is elsewhere."""
    root = engine.catalogue_root
    if root is None or (root.is_dir() and any(root.glob("*/dataset.json"))):
        return
    from copilot.cli.output import progress
    from data.sample import ensure

    with progress("Building the sample catalogue") as advance:
        ensure(root, advance)
