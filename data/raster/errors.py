"""What goes wrong with rasters, in a sentence that a user can act on."""

from __future__ import annotations


class RasterError(Exception):
    """Something in the rasters or the parameters that the caller can put right: one sentence."""
