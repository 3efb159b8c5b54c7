"""Real scenes in the public domain that come with Azimuth: Landsat and NAIP, a data set each.

They are ingested as anybody's files are, from this folder, by `data.public.ingesting`; their records say
where they are from.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
SCENES = {"landsat": "public_landsat", "naip": "public_naip"}
"""The data sets, and the folder of each."""
