"""Rasters as pictures: cut, turned, brightened and drawn on. A path in, a GeoTIFF out; places are kept."""
