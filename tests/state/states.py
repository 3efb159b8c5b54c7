"""Any state that the model can hold, for laws that hold of all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from state.model import (
    UI,
    Artifact,
    Attribute,
    Database,
    Filters,
    Geometry,
    Layer,
    MapState,
    Query,
    Question,
    State,
    Tab,
)

texts = st.text(max_size=12)
some_text = st.none() | texts
longitudes = st.floats(-180, 180)
latitudes = st.floats(-90, 90)
lon_lats = st.tuples(longitudes, latitudes)
bboxes = st.tuples(longitudes, latitudes, longitudes, latitudes)
geometries = st.builds(
    Geometry,
    type=st.just("Polygon"),
    coordinates=st.lists(lon_lats, max_size=4).map(lambda ring: (tuple(ring),)),
)
values = (
    texts
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.lists(texts, min_size=1, max_size=3).map(tuple)
)
attributes = st.builds(Attribute, field=texts, op=st.sampled_from(["=", "<", "in"]), value=values)
filters = st.builds(
    Filters,
    start=st.none() | st.dates().map(str),
    end=st.none() | st.dates().map(str),
    place=some_text,
    country=st.sampled_from([None, "FR", "US"]),
    bbox=st.none() | bboxes,
    center=st.none() | lon_lats,
    radius_km=st.none() | st.floats(0.1, 20_000),
    geometry=st.none() | geometries,
    classes=st.lists(texts, max_size=3).map(tuple),
    match=st.sampled_from([None, "any", "all"]),
    attributes=st.lists(attributes, max_size=2).map(tuple),
)
names = st.lists(st.sampled_from(["fair1m", "fmow", "xview1"]), unique=True).map(
    lambda each: tuple(sorted(each))
)
queries = st.builds(Query, datasets=names, filters=filters)
options = st.dictionaries(texts, texts | st.booleans() | st.floats(-1e6, 1e6), max_size=3).map(
    lambda each: tuple(sorted(each.items()))
)
layers = st.builds(
    Layer,
    id=texts,
    name=texts,
    kind=st.sampled_from(["points", "clusters", "drawing"]),
    visible=st.booleans(),
    opacity=st.floats(0, 1),
    query=st.none() | queries,
    artifact=some_text,
    geometry=st.none() | geometries,
    live=st.booleans(),
    options=options,
    count=st.integers(0, 2_000_000),
)
maps = st.builds(
    MapState,
    center=lon_lats,
    zoom=st.floats(0, 22) | st.integers(0, 22),
    basemap=texts,
    layers=st.lists(layers, max_size=2).map(tuple),
    swipe=st.none() | st.tuples(texts, texts),
    controls=st.lists(texts, max_size=2).map(tuple),
)
uis = st.builds(
    UI,
    page=texts,
    tabs=st.lists(st.builds(Tab, url=texts, title=texts), max_size=2).map(tuple),
    active_tab=st.none() | st.integers(0, 5),
    panels=st.lists(texts, max_size=2).map(tuple),
    selected_image=some_text,
    compared=st.none() | st.tuples(texts, texts),
    table=some_text,
    notice=some_text,
    question=st.none() | st.builds(Question, text=texts, choices=st.lists(texts, max_size=2).map(tuple)),
)
artifacts = st.builds(
    Artifact, id=texts, kind=st.sampled_from(["table", "figure"]), name=texts, summary=texts, made_by=texts
)
states = st.builds(
    State,
    map=maps,
    database=st.builds(Database, loaded=names, filters=filters, count=st.integers(0, 2_000_000)),
    ui=uis,
    artifacts=st.lists(artifacts, max_size=2).map(tuple),
)
