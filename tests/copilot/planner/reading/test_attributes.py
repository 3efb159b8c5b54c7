"""What the attribute reader makes of comparisons on fields."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.planner.reading.attributes import comparisons
from tests.suite.walking import walks

# sentence -> (phrase, field, op, value) of each comparison
FIELDS = (
    "kind name sensor modality gsd_m cloud_pct split country place event width_px height_px detections confidence length_m population severity_index"
).split()
READ = {
    "cloud cover under 10 %": [("cloud cover under 10 %", "cloud_pct", "<", 10.0)],
    "less than 5% clouds": [("less than 5% clouds", "cloud_pct", "<", 5.0)],
    "clouds below 20": [("clouds below 20", "cloud_pct", "<", 20.0)],
    "10 % clouds": [("10 % clouds", "cloud_pct", "<=", 10.0)],
    "with at most 10% cloud cover": [("at most 10% cloud cover", "cloud_pct", "<=", 10.0)],
    "cloud_pct <= 5": [("cloud_pct <= 5", "cloud_pct", "<=", 5.0)],
    "cloud-free images": [("cloud-free", "cloud_pct", "<=", 1.0)],
    "no clouds": [("no clouds", "cloud_pct", "<=", 1.0)],
    "without clouds": [("without clouds", "cloud_pct", "<=", 1.0)],
    "clear skies": [("clear skies", "cloud_pct", "<=", 1.0)],
    "mostly clear": [("mostly clear", "cloud_pct", "<=", 10.0)],
    "cloudy images": [("cloudy", "cloud_pct", ">=", 50.0)],
    "not cloudy": [("not cloudy", "cloud_pct", "<", 50.0)],
    "clouds between 10 and 20 %": [
        ("clouds between 10", "cloud_pct", ">=", 10.0),
        ("and 20 %", "cloud_pct", "<=", 20.0),
    ],
    "gsd below 0.5 m": [("gsd below 0.5 m", "gsd_m", "<", 0.5)],
    "resolution better than 1 m": [("resolution better than 1 m", "gsd_m", "<", 1.0)],
    "better than 50 cm": [("better than 50 cm", "gsd_m", "<", 0.5)],
    "sub-meter imagery": [("sub-meter", "gsd_m", "<", 1.0)],
    "submetre": [("submetre", "gsd_m", "<", 1.0)],
    "images at 30 cm": [("at 30 cm", "gsd_m", "=", 0.3)],
    "30 cm imagery": [("30 cm", "gsd_m", "=", 0.3)],
    "high resolution images": [("high resolution", "gsd_m", "<=", 1.0)],
    "very high resolution": [("very high resolution", "gsd_m", "<=", 0.5)],
    "coarser than 5 metres": [("coarser than 5 metres", "gsd_m", ">", 5.0)],
    "between 0.3 and 0.5 m resolution": [
        ("between 0.3", "gsd_m", ">=", 0.3),
        ("and 0.5 m resolution", "gsd_m", "<=", 0.5),
    ],
    "resolution between 30 and 50 cm": [
        ("resolution between 30", "gsd_m", ">=", 0.3),
        ("and 50 cm", "gsd_m", "<=", 0.5),
    ],
    "0.5 m resolution": [("0.5 m resolution", "gsd_m", "=", 0.5)],
    "resolution of 30cm": [("resolution of 30cm", "gsd_m", "=", 0.3)],
    "resolution higher than 1 m": [("resolution higher than 1 m", "gsd_m", "<", 1.0)],
    "resolution under 1 m": [("resolution under 1 m", "gsd_m", "<", 1.0)],
    "WorldView-3": [("WorldView-3", "sensor", "=", "WorldView-3")],
    "worldview 2 or worldview 3 images": [
        ("worldview 2 or worldview 3", "sensor", "in", ("WorldView-2", "WorldView-3"))
    ],
    "from Sentinel-1, Sentinel-2 and GeoEye-1": [
        ("Sentinel-1, Sentinel-2 and GeoEye-1", "sensor", "in", ("Sentinel-1", "Sentinel-2", "GeoEye-1"))
    ],
    "not from WorldView-3": [("not from WorldView-3", "sensor", "!=", "WorldView-3")],
    "excluding GeoEye-1 and QuickBird": [
        ("excluding GeoEye-1 and", "sensor", "!=", "GeoEye-1"),
        ("QuickBird", "sensor", "!=", "QuickBird-02"),
    ],
    "gaofen-2": [("gaofen-2", "sensor", "=", "Gaofen-2")],
    "SAR images": [("SAR", "modality", "=", "sar")],
    "radar": [("radar", "modality", "=", "sar")],
    "not SAR": [("not SAR", "modality", "!=", "sar")],
    "optical": [("optical", "modality", "=", "optical")],
    "multispectral or panchromatic": [
        ("multispectral", "modality", "=", "multispectral"),
        ("panchromatic", "modality", "=", "panchromatic"),
    ],
    "training images": [("training images", "split", "=", "train")],
    "validation set": [("validation set", "split", "=", "val")],
    "test split": [("test split", "split", "=", "test")],
    "not the test set": [("not the test set", "split", "!=", "test")],
    "trains at the station": [],
    "population over 1 million": [("population over 1 million", "population", ">", 1000000.0)],
    "cities over a million people": [("over a million people", "population", ">", 1000000.0)],
    "with more than 10 detections": [("more than 10 detections", "detections", ">", 10.0)],
    "confidence above 0.8": [("confidence above 0.8", "confidence", ">", 0.8)],
    "confidence over 80 %": [("confidence over 80 %", "confidence", ">", 0.8)],
    "confidence between 0.5 and 0.9": [
        ("confidence between 0.5", "confidence", ">=", 0.5),
        ("and 0.9", "confidence", "<=", 0.9),
    ],
    "width over 1000 px": [("width over 1000", "width_px", ">", 1000.0)],
    "country = FR": [("country = FR", "country", "=", "FR")],
    'place = "Paris"': [('place = "Paris"', "place", "=", "Paris")],
    "event != hurricane-harvey": [("event != hurricane-harvey", "event", "!=", "hurricane-harvey")],
    "severity index at least 3": [("severity index at least 3", "severity_index", ">=", 3.0)],
    "severity_index>3": [("severity_index>3", "severity_index", ">", 3.0)],
    "ships longer than 100 m": [("longer than 100 m", "length_m", ">", 100.0)],
    "length over 100 m": [("length over 100 m", "length_m", ">", 100.0)],
    "within 40 km of Pittsburgh": [],
    "more than 10 ships": [],
    "images with at least 5 detections, less than 10% clouds and gsd < 1 m from WorldView-2": [
        ("at least 5 detections", "detections", ">=", 5.0),
        ("less than 10% clouds", "cloud_pct", "<", 10.0),
        ("gsd < 1 m", "gsd_m", "<", 1.0),
        ("WorldView-2", "sensor", "=", "WorldView-2"),
    ],
    "length_m > -3": [("length_m > -3", "length_m", ">", -3.0)],
    "sentinel-2": [("sentinel-2", "sensor", "=", "Sentinel-2")],
    "images from Landsat 8": [("Landsat 8", "sensor", "=", "Landsat-8")],
}


@walks("sentence", READ)
def test_a_phrase_reads_as_its_comparison(sentence: str) -> None:
    found = [(span.text, span.field, span.op, span.value) for span in comparisons(sentence, FIELDS)]
    assert found == READ[sentence]


@walks("sentence", READ)
def test_fields_that_are_not_there_are_not_compared(sentence: str) -> None:
    assert comparisons(sentence, ["sun_azimuth"]) == []


OPS = st.sampled_from([("=", "="), ("<", "<"), ("at most", "<="), ("over", ">"), (">=", ">="), ("!=", "!=")])


@settings(deadline=None)
@given(
    st.from_regex(r"[a-z]{4,8}_[a-z]{4,8}", fullmatch=True), OPS, st.integers(-(10**6), 10**6), st.booleans()
)
def test_any_field_compares_by_its_name(field: str, op: tuple[str, str], value: int, spaced: bool) -> None:
    name = field.replace("_", " ") if spaced else field
    (span,) = comparisons(f"rows with {name} {op[0]} {value}", [field])
    assert (span.field, span.op, span.value) == (field, op[1], value)


WORDS = st.sampled_from(" ".join(READ).split())


@settings(deadline=None)
@given(
    st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=9).map(" ".join)),
    st.lists(st.text(max_size=5), max_size=2),
)
def test_any_text_gives_ordered_spans_that_quote_it(text: str, more: list[str]) -> None:
    end = 0
    for span in comparisons(text, [*FIELDS, *more]):
        assert end <= span.start < span.end
        assert text[span.start : span.end] == span.text
        end = span.end
