"""Running agents over the benchmark: tasks, workers, limits, results on disk."""
