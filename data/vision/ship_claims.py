"""Which patches that look like ships are claimed: not what is faint, or cut off along its side."""

from __future__ import annotations

from collections.abc import Sequence

from data.vision.ship_patches import FEATURES, Patch

FAINTEST_DB = 12.5
"""Over the darker side of what surrounds it. In real images breakwaters, shores, fields and wakes are 8 to 12
dB above the water, ships 14 to 24."""
AT_BORDER, HELD_AT_BORDER = 0.25, 0.3
"""The largest share of its own outline, and of that of the patch at the lowest threshold which holds it, that
may lie on the image's border: a ship that it cuts shows its end there, a shore or a quay its side."""
LEAST_SOLID = 0.61
"""The least share of its convex hull that what touches the border fills: hulls are convex, shores are not."""


def why_not(patch: Patch, nodes: Sequence[Patch]) -> str | None:
    """Why a patch of a tree is not claimed: "faint", "cut off" by the image's border, or None where it is."""
    if patch.contrast_db < FAINTEST_DB:
        return "faint"
    if patch.at_border == 0.0:
        return None
    holder = patch
    while holder.parent is not None:
        holder = nodes[holder.parent]
    solid = 1.0 if patch.features is None else float(patch.features[FEATURES.index("solid")])
    if patch.at_border > AT_BORDER or holder.at_border > HELD_AT_BORDER or solid < LEAST_SOLID:
        return "cut off"
    return None
