"""Tables whose every value a test gives."""

from __future__ import annotations

from typing import Any

import pandas as pd

from state.model import Artifact, State
from tools.base import World

TABLE = "table-00000a"
OTHER = "table-00000b"


def having(world: World, frame: pd.DataFrame, table: str = TABLE, state: State | None = None) -> State:
    """A state that knows the frame as a table."""
    frame.to_parquet(world.artifacts.path(table, ".parquet"), index=False)
    return (state or State()).with_artifact(Artifact(table, "table", "Given", f"{len(frame)} rows", "test()"))


def columns(**values: Any) -> pd.DataFrame:
    """A frame of columns."""
    return pd.DataFrame(values)
