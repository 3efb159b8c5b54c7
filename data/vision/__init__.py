"""Computing on pixels: what the vision tools do, on files, knowing nothing of state or tools."""
