"""What goes wrong with the knowledge base, in a sentence that a user can act on."""

from __future__ import annotations


class KnowledgeError(Exception):
    """An entry, a document or a question that cannot be used: one sentence."""
