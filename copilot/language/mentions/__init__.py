"""Mentions: the one place where English is read by its letters: dates, quantities, coordinates and names."""

from copilot.language.mentions.request import Mentions, Number, names_in
from copilot.language.mentions.words import stems

__all__ = ["Mentions", "Number", "names_in", "stems"]
