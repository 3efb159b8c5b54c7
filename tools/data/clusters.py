"""Groups of rows that lie close together: k-means over numbers or places, DBSCAN over places."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import (
    Floats,
    at_most,
    complete,
    matrix,
    measured,
    need_rows,
    rounded,
    rounded_all,
    rows_of,
    spread_of,
)  # fmt: skip
from tools.data.points import EARTH_M, centre_of, pairs_within, places_in, unit_vectors
from tools.data.summaries import TableOrSelection
from tools.phrases import listed, number, number_of
from tools.tables import table_step
from tools.units import Names

MAX_KMEANS = 500_000
MAX_DBSCAN = 200_000
MAX_PAIRS = 20_000_000
SEED = 0
NOISE = 0
"""The cluster of rows that are in none."""

Labels = NDArray[np.int64]


@tool("data", changes_state=True, gives=("table",))
def kmeans(
    state: State,
    world: World,
    *,
    k: Annotated[int, Field(ge=2, le=50, description="How many clusters.")],
    columns: Annotated[
        Names | None, Field(description="Columns of numbers; the rows' places on the globe when left out.")
    ] = None,
    scale: Annotated[bool, Field(description="Bring every column to the same spread first.")] = True,
    table: TableOrSelection = None,
) -> Step:
    """Sort rows into k clusters by their places or by columns of numbers (k-means), numbered by size.

    Lloyd's algorithm from ten k-means++ starts with a fixed seed (scikit-learn). Places are clustered on the
    sphere, so the antimeridian and the poles are no edges. Rows without a value are in cluster 0. Cluster 1
    is the largest; of equal ones the more western, then southern (or the smaller in the first column) comes
    first.

    Example: copilot call kmeans k=3

    Asked as: group the images into five clusters | k-means by location | split the sites into 4 groups |
    cluster the rows by gsd and cloud cover | find three typical kinds of scenes | partition the points into
    regions
    """
    from sklearn.cluster import KMeans

    values, inside, names, frame = _to_cluster(state, world, table, columns, scale)
    at_most(len(frame), MAX_KMEANS, "k-means", "narrow the selection")
    different = len(np.unique(values, axis=0))
    need_rows(len(values), 1, "to cluster")
    if different < k:
        raise ToolError(
            f"There are only {different:,} different rows, too few for {k} clusters; ask for fewer."
        )
    fitted = KMeans(n_clusters=k, n_init=10, random_state=SEED).fit(values)
    found = _numbered(frame, inside, np.asarray(fitted.labels_, dtype=np.int64), names)
    said = (
        f"{number_of(k, 'cluster')} of {number_of(len(values), 'row')} by "
        f"{listed(names) if columns is not None else 'place'}: {_in_words(found.clusters)}."
    )
    call = Call.of(kmeans, k=k, columns=columns, scale=scale, table=table)
    facts: dict[str, Any] = {
        "clusters": found.clusters,
        "clustered": len(values),
        "inertia": rounded(float(fitted.inertia_)),
    }
    return table_step(state, world, found.rows, call, f"{k} clusters", said, **facts)


@tool("data", changes_state=True, gives=("table",))
def dbscan(
    state: State,
    world: World,
    *,
    distance_m: Annotated[
        float, Field(gt=0, le=5_000_000, description="How near neighbours are, great-circle metres.")
    ] = 10_000,
    min_points: Annotated[
        int,
        Field(ge=2, le=1000, description="Rows within that distance, the row itself too, that make a core."),
    ] = 5,
    table: TableOrSelection = None,
) -> Step:
    """Find dense groups of places and what lies apart from all of them (DBSCAN), by distance in metres.

    Ester et al. 1996 with great-circle distances on the mean sphere (scikit-learn, haversine). Cluster 1 is
    the largest; of equal ones the more western, then southern comes first. Rows of no cluster have 0.

    Example: copilot call dbscan distance_m=50000 min_points=2

    Asked as: density based clusters | which images lie close together | group what is within 10 km of each
    other | DBSCAN with 500 metres | find the dense spots and the isolated scenes | spatial clusters of the
    ships
    """
    from sklearn.cluster import DBSCAN

    frame = rows_of(state, world, table)
    places = places_in(frame)
    at_most(len(frame), MAX_DBSCAN, "DBSCAN", "narrow the selection")
    need_rows(len(places), 1, "to cluster")
    if (pairs := pairs_within(places, distance_m)) > MAX_PAIRS:
        raise ToolError(
            f"Within {number(distance_m)} m there are {pairs:,} pairs of rows, more than {MAX_PAIRS:,}; "
            "take a smaller distance or narrow the selection."
        )
    radians = np.radians(np.column_stack([places.lat, places.lon]))
    fitted = DBSCAN(
        eps=distance_m / EARTH_M, min_samples=min_points, metric="haversine", algorithm="ball_tree"
    ).fit(radians)
    labels = np.asarray(fitted.labels_, dtype=np.int64)
    found = _numbered(frame, places.row, labels, ["lon", "lat"])
    noise = int((labels < 0).sum())
    said = (
        f"{number_of(len(found.clusters), 'cluster')} of {number_of(len(places), 'row')}, where "
        f"{min_points} lie within {number(distance_m)} m; {noise:,} are in none"
    )
    said += f": {_in_words(found.clusters)}." if found.clusters else "."
    call = Call.of(dbscan, distance_m=distance_m, min_points=min_points, table=table)
    facts: dict[str, Any] = {"clusters": found.clusters[:100], "found": len(found.clusters), "noise": noise}
    return table_step(
        state, world, found.rows, call, f"Clusters within {number(distance_m)} m", said, **facts
    )


class _Found:
    """Rows with their cluster, and the clusters by number."""

    def __init__(self, rows: pd.DataFrame, clusters: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.clusters = clusters


def _to_cluster(
    state: State, world: World, table: str | None, columns: list[str] | None, scale: bool
) -> tuple[Floats, NDArray[np.intp], list[str], pd.DataFrame]:
    """(the values, which rows have them, the columns' names, the frame)."""
    if columns is None:
        frame = rows_of(state, world, table)
        places = places_in(frame)
        return unit_vectors(places.lon, places.lat), places.row, ["lon", "lat"], frame
    frame, names = measured(state, world, table, columns, 1)
    values = matrix(frame, names)
    inside = np.flatnonzero(complete(values))
    need_rows(len(inside), 1, "with all these numbers to cluster")
    values = values[inside]
    spread = spread_of(values, names)
    if np.abs(values).max() > 1e100:
        raise ToolError("The columns hold numbers too large to cluster, beyond 1e100; scale them first.")
    return (values - values.mean(axis=0)) / spread if scale else values, inside, names, frame


def _numbered(frame: pd.DataFrame, inside: NDArray[np.intp], labels: Labels, names: list[str]) -> _Found:
    """Clusters numbered from 1 by falling size, then by where their middle is."""
    clusters: list[tuple[int, tuple[float, ...], Labels]] = []
    for label in sorted(set(labels.tolist()) - {-1}):
        rows = inside[labels == label]
        clusters.append((len(rows), _middle(frame, rows, names), np.asarray(rows, dtype=np.int64)))
    clusters.sort(key=lambda each: (-each[0], each[1]))
    column = np.full(len(frame), NOISE, dtype=np.int64)
    facts: list[dict[str, Any]] = []
    for position, (size, middle, rows) in enumerate(clusters, 1):
        column[rows] = position
        facts.append({"cluster": position, "size": size, "centre": dict(zip(names, middle, strict=True))})
    result = frame.drop(columns="cluster", errors="ignore").assign(cluster=column)
    return _Found(result, facts)


def _middle(frame: pd.DataFrame, rows: NDArray[np.intp], names: list[str]) -> tuple[float, ...]:
    part = frame.iloc[rows]
    if names == ["lon", "lat"]:
        places = places_in(part)
        # Nine digits are 0.1 mm; the last ones of a mean depend on the order of the sum.
        return tuple(round(each, 9) + 0.0 for each in centre_of(unit_vectors(places.lon, places.lat)))
    return tuple(rounded_all(matrix(part, names).mean(axis=0)))


def _in_words(clusters: list[dict[str, Any]]) -> str:
    return listed([
        f"{each['cluster']} has {each['size']:,} around "
        + ", ".join(f"{name} {number(value)}" for name, value in each["centre"].items())
        for each in clusters
    ], 5)  # fmt: skip


TOOLS = (kmeans, dbscan)
