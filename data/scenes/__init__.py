"""The scene renderer: made-up scenes with exact ground truth, for tests and training; no imagery."""
