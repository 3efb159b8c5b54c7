"""KnowFlow-Bench: 324 concrete gold workflows on real files and rendered scenes, and a bench of faults."""
