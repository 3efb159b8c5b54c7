"""What goes wrong with documents, in a sentence that a user can act on."""

from __future__ import annotations


class DocumentError(Exception):
    """A document that cannot be read, or a part that it lacks: one sentence."""
