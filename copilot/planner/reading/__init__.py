"""Readers: pure functions that find dates, places, quantities and comparisons in a sentence."""
