"""Computing on raster files: paths in, a path out; knows nothing of states and tools."""
