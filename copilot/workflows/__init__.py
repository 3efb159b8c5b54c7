"""Workflows: a library of procedures, and what runs, checks, repairs and remembers them."""
