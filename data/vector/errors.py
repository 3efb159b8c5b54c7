"""What goes wrong with features, in a sentence that a user can act on."""

from __future__ import annotations


class VectorError(Exception):
    """Something in the features or the parameters that the caller can put right: one sentence."""
