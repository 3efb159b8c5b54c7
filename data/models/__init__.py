"""Vision models as data: a card and weights each, and what loads and runs them."""
