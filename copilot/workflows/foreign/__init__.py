"""Plans over other people's tools: which of a foreign list a task needs, and in what order."""
