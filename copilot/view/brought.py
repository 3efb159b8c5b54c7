"""What was said of a file when it came in, for whoever looks at its layer later."""

from __future__ import annotations

from state.model import Artifact
from tools.artifacts import about
from tools.base import World


def brought_as(world: World, artifact: Artifact) -> str | None:
    """Its format, coordinate system and columns, and what was converted or left out; None of a result."""
    known = about(world, artifact.id).get("upload")
    if not isinstance(known, dict) or not artifact.made_by.startswith("add_file"):
        return None
    what = str(known.get("what", ""))
    return " ".join([f"{what[:1].upper()}{what[1:]}.", *map(str, known.get("notes", ()))])
