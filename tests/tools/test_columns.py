"""The columns of what calls made."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import pandas as pd
from shapely.geometry import Point

from state.model import Artifact
from tools.columns import columns_of


def test_tables_and_layers_have_the_columns_that_people_read(tmp_path: Path) -> None:
    pd.DataFrame({"depth_m": [1.0], "footprint": [b""]}).to_parquet(tmp_path / "t.parquet")
    gpd.GeoDataFrame({"name": ["a"]}, geometry=[Point(4, 52)], crs=4326).to_parquet(tmp_path / "v.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"no such thing")
    (tmp_path / "r.tif").write_bytes(b"")
    files = {"t": "t.parquet", "v": "v.parquet", "b": "broken.parquet", "r": "r.tif"}
    made = [
        Artifact(id_, kind, id_, "", "")
        for id_, kind in (("t", "table"), ("v", "vector"), ("b", "table"), ("r", "raster"), ("gone", "table"))
    ]
    found = columns_of(made, lambda id_: tmp_path / files[id_] if id_ in files else None)
    assert found == {"t": ("depth_m",), "v": ("name",), "b": ()}
