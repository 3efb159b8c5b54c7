"""Requests that nobody who builds the reader has read: only their totals are looked at."""
