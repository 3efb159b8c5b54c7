"""Questions of what things are, answered from what the catalogue and the page say of themselves; nothing changes.

"What does cloud_pct mean", "what's the difference between fmow and xview1", "which licence", "what CRS is this".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from copilot.planner.lexicon import FIELDS
from copilot.planner.situation import Situation
from data.schema import DatasetInfo
from data.vocabulary.datasets import dataset_mentions
from tools.phrases import listed

_FIELDS = {
    "image_id": "an image's id: its data set and its name",
    "dataset": "the data set that an image belongs to",
    "name": "the file name of an image, or a feature's own name",
    "sensor": "the satellite or camera that took an image",
    "modality": "how an image was taken: optical, multispectral, panchromatic or sar",
    "gsd_m": "the ground sampling distance, how many metres of ground one pixel covers: a smaller one is sharper",
    "cloud_pct": "the share of an image that lies under cloud, 0 to 100 %; radar images have none",
    "acquired": "when an image was taken, in UTC",
    "split": "the part of its data set that an image was published in: train, val or test",
    "country": "the country that an image shows, as a code of two letters; empty at sea",
    "place": "the site or the town that an image shows",
    "event": "the disaster that an image of xview2 belongs to",
    "detections": "how many objects an image holds",
    "confidence": "how sure the source is of an object, 0 to 1",
    "length_m": "how long an object is, in metres",
    "class": "what an object is, or what a whole image shows, as its data set names it",
    "group": "a word that stands for several classes, such as vehicles",
}
_WORDS_FOR = FIELDS | {name: name for name in _FIELDS}
_MEANS = (
    re.compile(r"\bwhat (?:does|do|did) (?:the )?(?P<what>.+?)(?: (?:class|field|column|label|value|attribute))? (?:mean|stand for|denote|signify)\b", re.I),
    re.compile(r"\bwhat(?:'s| is| are) meant (?:by|with) (?:the )?(?P<what>.+)$", re.I),
    re.compile(r"\b(?:meaning|definition|sense) of (?:the )?(?P<what>.+)$", re.I),
    re.compile(r"^\W*(?:please )?(?:define|explain) (?:the (?:class|field|column|label) )?(?P<what>[\w\s\"'“”-]+?)\W*$", re.I),
    re.compile(r"^\W*what(?:'s| is| are) (?:an? |the )?(?P<what>gsd(?:_m)?|cloud_pct|modality|confidence|acquired|image_id|length_m)(?: here)?\W*$", re.I),
)  # fmt: skip
_LICENCE = re.compile(
    r"\b(?:official|trustworthy|reliable|reputable) (?:source|data)\b|\bwho (?:made|published|created|owns|provides|labell?ed|annotated) (?:it|this|that|them|these|those|(?:the|this|these|that|your) (?:data(?: ?sets?)?|images?|imagery|labels?|annotations?|collections?|samples?)|(?:fmow|xbd|fair1m|sarfish|bigearthnet|xview\d?))\b|\blicen[cs]\w*\b(?! (?:plates?|numbers?))|\bcopyright\w*\b|\bterms of use\b|\b(?:may|can|allowed to|how (?:do|should|can)) (?:i|we) (?:quote|cite|publish|credit|reuse|share) (?:it|this|them|these|that|the (?:data|images?|data ?sets?))\b"
    r"|\bwhere (?:does|do|did|is|are) (?:this|the|these|your|all this|it|that) ?(?:data(?: ?sets?)?|images?|imagery)? ?(?:come |coming |taken |originate )?from\b",
    re.I,
)
_DIFFERENCE = re.compile(
    r"\bdifferences?\b|\bdiffers?\b|\bdifferent\b|\bdistinguish\w*\b|\bvs\.? what\b", re.I
)
_NO_COUNT = re.compile(r"\b(?:how many|number|count|more|fewer|images|boxes|detections|share)\b", re.I)
_CRS = re.compile(
    r"^(?=.*\b(?:what|which|tell)\b).*\b(?:crs|projection|coordinate (?:reference )?system|datum|epsg(?: code)?)\b"
    r"(?=.*\b(?:map|here|this|it|you|we|coordinates|used?)\b)(?!.*\b(?:raster|layer|file|image|tiff?)\b)",
    re.I,
)
_COPY = re.compile(
    r"\b(?:fork|branch|duplicate|clone)\b.*\b(?:session|conversation|this|it|here)\b|\b(?:make|create|get|give me|want|need|open|like|have) (?:me )?a copy of (?:this|it|the session|my session|the conversation)\b(?! (?:layer|map|image|file|table))"
    r"|\bcopy (?:this|the|my) (?:session|conversation)\b",
    re.I,
)
_COLUMNS = re.compile(
    r"\bhow many (?:features|rows|points|polygons|lines|shapes|records|objects)\b|\b(?:what|which|list|show|name)\b.*\b(?:attributes|columns|fields|properties)\b",
    re.I,
)
_OF_FEATURES = re.compile(
    r"\b(?:shape ?file|layer|geojson|gpkg|geopackage|kml|vector|upload(?:ed)?|file|features?|attached|attachment|it|its|they|them|in here)\b",
    re.I,
)


_SHORT = 6


def known(request: str, situation: Situation) -> list[str] | None:
    """The answer in sentences to a question of what something is; None for any other request."""
    text = request.strip()
    for answer in (_licences, _projection, _copy, _of_layer, _difference, _meaning):
        if (said := answer(text, situation)) is not None:
            return said
    return None


def _named(text: str, situation: Situation) -> list[DatasetInfo]:
    names = {name for span in dataset_mentions(text) for name in span.names}
    lowered = text.lower()
    names |= {name for name in situation.datasets if re.search(rf"\b{re.escape(name.lower())}\b", lowered)}
    return [info for name, info in sorted(situation.datasets.items()) if name in names]


def _licences(text: str, situation: Situation) -> list[str] | None:
    if not _LICENCE.search(text) or not situation.datasets:
        return None
    meant = _named(text, situation) or [
        info for name, info in sorted(situation.datasets.items()) if name in situation.loaded
    ]
    infos = meant or [info for _, info in sorted(situation.datasets.items())]
    alike: dict[tuple[str, str], list[str]] = {}
    for info in infos:
        key = (info.source or "an unknown source", info.licence or "not given")
        alike.setdefault(key, []).append(info.name)
    said = [
        f"{listed(names)}: from {source}; licence: {licence.rstrip('.')}."
        for (source, licence), names in alike.items()
    ]
    if any(info.origin == "sample" for info in infos):
        said.append(
            "Sample data is made up in the shape of the published data sets: quote no number of it as a finding."
        )
    return said


def _projection(text: str, situation: Situation) -> list[str] | None:
    if not _CRS.search(text):
        return None
    return [
        "The map is drawn in Web Mercator (EPSG:3857). Coordinates that you give, and all that is exported, are "
        "longitude and latitude in WGS 84 (EPSG:4326)."
    ]


def _copy(text: str, situation: Situation) -> list[str] | None:
    if not _COPY.search(text):
        return None
    return [
        "A copy is not mine to make: 'Share' in the header gives a link that opens a copy of this session, and "
        "'python -m copilot session fork' makes one in a shell. Undo takes back whatever you try here."
    ]


def _of_layer(text: str, situation: Situation) -> list[str] | None:
    """How many features were brought in, and with which columns: what was said when they came."""
    vectors = [each for each in situation.state["artifacts"] if each["kind"] == "vector"]
    rest = text
    for each in vectors:  # a layer may be called "fields"
        rest = re.sub(rf"\b{re.escape(str(each['name']))}\b", " ", rest, flags=re.I)
    counted = re.search(r"\bhow many (\w{4,})\b", text, re.I)
    of_it = [
        each for each in vectors if counted and counted[1].lower().rstrip("s") in str(each["name"]).lower()
    ]
    if of_it and not situation.loaded and len(text.split()) <= _SHORT:
        return [f"{of_it[0]['name']}: {str(of_it[0]['summary']).rstrip('.')}."]
    if not _COLUMNS.search(rest) or _named(text, situation):
        return None
    named = [each for each in vectors if str(each["name"]).lower() in text.lower()]
    if not named and (situation.loaded or not _OF_FEATURES.search(text)):
        return None
    brought = [each for each in vectors if str(each["made_by"]).startswith("add_file")]
    meant = (named or brought or vectors)[-1:]
    said = [f"{each['name']}: {str(each['summary']).rstrip('.')}." for each in meant]
    if said and re.search(r"\b(?:attributes|columns|fields|properties)\b", rest, re.I):
        said.append("What its columns are was said when it came in; I can't list them again here.")
    return said or None


def _difference(text: str, situation: Situation) -> list[str] | None:
    infos = _named(text, situation)
    if len(infos) < 2 or not _DIFFERENCE.search(text) or _NO_COUNT.search(text):
        return None
    return [_told(info) for info in infos]


def _told(info: DatasetInfo) -> str:
    """A data set in one sentence: what it is, what took its images, and how much it holds."""
    about = info.description.split(" annotations. ")[-1].split(". ")[0].rstrip(".")
    sharp = "" if info.gsd_m is None else f", {_range(info.gsd_m)} m a pixel"
    return (
        f"{info.name} ({info.title}): {about}; {listed(info.sensors) if info.sensors else 'no sensor given'}{sharp}, "
        f"{info.images:,} images, {info.detections:,} objects, {len(info.classes)} classes."
    )


def _range(ends: tuple[float, float]) -> str:
    low, high = ends
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _meaning(text: str, situation: Situation) -> list[str] | None:
    match = next((found for each in _MEANS if (found := each.search(text))), None)
    if match is None:
        return None
    what = re.sub(r"\b\w+'s\b|[\"'“”?.!]", " ", match["what"]).strip()
    what = re.sub(r"\s+", " ", re.sub(r"^(?:the |a |an |class |field |column |label )+", "", what)).lower()
    fields = {each.strip(): name for each, name in _WORDS_FOR.items()}
    if (field := fields.get(what) or fields.get(what.replace(" ", "_"))) in _FIELDS:
        return [f"{field} is {_FIELDS[field]}."]
    if holding := _with_class(what, situation.datasets.values()):
        names = listed([info.name for info in holding])
        return [
            f"'{what}' is a class of {names}. The catalogue holds its name and which images have it; what its makers "
            "count as one is written in the data set's own documentation."
        ]
    return None


def _with_class(what: str, infos: Iterable[DatasetInfo]) -> list[DatasetInfo]:
    return [
        info
        for info in infos
        if any(each.name.replace("_", " ").lower() == what.replace("_", " ") for each in info.classes)
    ]
