"""How well a foundation model is chosen: `python -m benches.modelzoo` (README)."""
