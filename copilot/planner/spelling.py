"""Slips of the keyboard in the words that hold a request together, mended before it is read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from copilot.planner.everyday import EVERYDAY
from copilot.planner.spans import Span
from data.gazetteer import Candidate, Gazetteer

_MENDED = tuple(
    """around near within between plot show display images image count export download heatmap cluster clusters footprints points
    histogram chart table zoom satellite basemap layer layers select newest latest oldest vehicles aircraft buildings compare
    remove delete filter only just everything since before after during from with without where which many february january march april june july
    august september october november december cloud clouds cover region scenes results detections legend rename
    ships boats vessels planes trucks buses cars bridges airports harbors harbours stadiums cargo fishing houses helicopters
    xview1 xview2 xview3 sarfish fair1m fmow bigearthnet""".split()
)
_WORD = re.compile(r"(?<![\w/.:-])[a-z][a-z0-9]{1,}(?![\w/:-])")
_SHORTEST = 4
"""A shorter word is mended only where it is a known way to leave its vowels out."""
_NUMBERED_MONTH = re.compile(
    r"\b(?:year )?(?P<year>(?:19|20)\d\d),? month (?P<month>0?[1-9]|1[0-2])\b|\bmonth (?P<m>0?[1-9]|1[0-2]) (?:of |in )?(?:year )?(?P<y>(?:19|20)\d\d)\b",
    re.I,
)
"""A month by number: "year 2020 month 5"."""
_JOINED_MONTH = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*'?(\d{2}|\d{4})\b", re.I
)

_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "tenth": 10,
    "fifteenth": 15,
    "twentieth": 20,
}
_TEENS = {"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "twenty-one": 21,
          "twenty-two": 22, "twenty-three": 23}  # fmt: skip
_SHORT = {"pgh": "Pittsburgh", "philly": "Philadelphia", "nola": "New Orleans"}
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_SIDES = {"N": "North", "S": "South", "E": "East", "W": "West"}
_PARTED = (
    r"(?:Korea|Africa|Sudan|Macedonia|Ireland|Timor|Sahara|Dakota|Carolina|Virginia|America|Asia|Europe|Yorkshire|Wales|India|"
    r"China|Vietnam|Yemen|Germany|France|Italy|Spain|England|Bengal|Australia|Island|Atlantic|Pacific|Sea)"
)
"""What a compass letter goes with: "N Korea", "W. Virginia"."""
_GROUPED = {"balkan": "Balkans", "baltic": "Baltic States", "nordic": "Nordic Countries", "benelux": "Benelux",
            "scandinavia": "Scandinavia", "central asia": "Central Asia", "eu": "EU", "asean": "ASEAN"}  # fmt: skip
_ANGLE = r"(-?\d+(?:\.\d+)?)"
_DEGREE_RANGES = re.compile(
    rf"\bbetween (?:latitudes? )?{_ANGLE} and {_ANGLE} ?(?:degrees|deg|°)? ?(n|s|north|south)\b,?(?: and)? (?:between )?"
    rf"(?:longitudes? )?{_ANGLE} and {_ANGLE} ?(?:degrees|deg|°)? ?(e|w|east|west)\b",
    re.I,
)


def _degree_box(match: re.Match[str]) -> str:
    """ "Between 20 and 40 degrees north and 100 and 120 degrees east" as a box."""
    south, north = sorted(float(match[n]) * (-1 if match[3][0] in "sS" else 1) for n in (1, 2))
    west, east = sorted(float(match[n]) * (-1 if match[6][0] in "wW" else 1) for n in (4, 5))
    return f"in bbox [{west:g}, {south:g}, {east:g}, {north:g}]"


_PLAINER: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"\b(\d{1,2}[/.]\d{1,2}[/.]\d{4})\s*[-–]\s*(?=\d{1,2}[/.]\d{1,2}[/.]\d{4}\b)"),
        lambda match: f"{match[1]} to ",
    ),
    (_DEGREE_RANGES, _degree_box),
    (re.compile(rf"\b([NSEW])\.? (?={_PARTED}\b)"), lambda match: f"{_SIDES[match[1]]} "),
    (
        re.compile(
            rf"\b({'|'.join(_GROUPED)})n? (?:countries|nations|states|members|republics|member states|peninsula|region)\b",
            re.I,
        ),
        lambda match: _GROUPED[match[1].lower()],
    ),
    (
        re.compile(r"\b(\d{4})(\d\d)(\d\d)\s*(?:-|–|to|until)\s*(\d{4})(\d\d)(\d\d)\b"),
        lambda match: f"{match[1]}-{match[2]}-{match[3]} to {match[4]}-{match[5]}-{match[6]}",
    ),
    (
        re.compile(r"\b((?:19|20)\d\d)\s*[-–]\s*((?:19|20)\d\d)\b(?!-\d)"),
        lambda match: f"{match[1]} to {match[2]}",
    ),
    (
        re.compile(rf"\b({'|'.join(_ORDINALS)}) of (?={_MONTH}\b)", re.I),
        lambda match: f"{_ORDINALS[match[1].lower()]} ",
    ),
    (
        re.compile(
            r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+(?:the )?(?=\d{1,2}(?:st|nd|rd|th)?\s)", re.I
        ),
        lambda match: "",
    ),
    (re.compile(r"<(script|style)\b[^>]*>.*?</\1>|</?[a-z][^<>]{0,80}>", re.I | re.S), lambda match: ""),
    (
        re.compile(r"(?<=\w)['’](?=\s*[;,.!?]|\s*$)(?=[^'’]*$)(?<![^'’]s['’])"),
        lambda match: match[0] if re.search(r"(?<!\w)['‘]\w", match.string) else "",
    ),
    (re.compile(r"\b(pgh|philly|nola)\b", re.I), lambda match: _SHORT[match[1].lower()]),
    (
        re.compile(
            r"^(\W*(?:(?:and|also|now|only|just|or|plus|the|add|then) )*)(train|training|val|validation|test|holdout|tier3)\b(?=\W*(?:too|also|as well|only|instead|please)?\W*$)",
            re.I,
        ),
        lambda match: f"{match[1]}{match[2]} split",
    ),
    (
        re.compile(rf"\btwenty[- ]({'|'.join(sorted(_TEENS, key=len, reverse=True))})\b", re.I),
        lambda match: f"20{_TEENS[match[1].lower().replace(' ', '-')]}",
    ),
)
"""Dates as people write them, in the way that the reader of dates knows."""


def mended(text: str, spans: Sequence[Span]) -> str:
    """The text with misspelled everyday words put right; what names something is left alone."""
    text = _NUMBERED_MONTH.sub(_month_of_year, text)
    found = _JOINED_MONTH.sub(lambda match: f"{match[1]} {_year(match[2])}", text)
    for pattern, plain in _PLAINER:
        found = pattern.sub(plain, found)
    named = [span for span in spans if span.kind not in ("count", "field")]
    inside = [(span.start, span.end) for span in named] if found == text else []
    words = {word for span in named for word in re.findall(r"\w+", span.text)}

    def replace(match: re.Match[str]) -> str:
        if any(start < match.end() and match.start() < end for start, end in inside):
            return match[0]
        return match[0] if match[0] in words else _right(match[0])

    return _WORD.sub(replace, found)


_SHORT_AS = {"evrything": "everything", "everthing": "everything", "everyting": "everything", "wich": "which", "whcih": "which", "shw": "show", "hw": "how", "mny": "many", "wht": "what", "whr": "where", "recnt": "recent", "ltst": "latest",
             "nwst": "newest", "cnt": "count", "plt": "plot"}  # fmt: skip


@cache
def _right(word: str) -> str:
    if word in _SHORT_AS:
        return _SHORT_AS[word]
    if len(word) < _SHORTEST:
        return word
    if (
        word in EVERYDAY
        or word in _MENDED
        or word.rstrip("s") in EVERYDAY
        or f"{word}s" in _MENDED
        or word.endswith(("ing", "ed", "er"))
    ):
        return word
    limit = 1 if len(word) <= 5 else 2
    best = process.extractOne(word, _MENDED, scorer=OSA.distance, score_cutoff=limit)
    if best is not None and re.sub(r"\D", "", best[0]) != re.sub(r"\D", "", word):
        return word  # a number is no slip: there is no xview9
    if (
        best is None
        or best[0][0] != word[0]
        or _digits(best[0]) != _digits(word)
        or abs(len(best[0]) - len(word)) > 1
    ):
        return word
    return best[0]


def _digits(word: str) -> str:
    """A number is no slip: "xview9" is not "xview1"."""
    return re.sub(r"\D", "", word)


def _year(digits: str) -> str:
    return digits if len(digits) == 4 else f"20{digits}"


_STRANGE = re.compile(r"[^\W\d_][\w'’-]{2,}")
_BEFORE_A_PLACE = re.compile(
    r"\b(?:in|near|around|over|off|at|within|from|of|to|inside|across|between|and)\s+(?:the )?$", re.I
)


_NOTHING_BUT = re.compile(
    r"\W*(?:(?:and|now|just|only|ok|what|how|about|show|try|then|same|for|the|go|to|do|also|me)\W+)*", re.I
)


def misspelt_places(text: str, spans: Sequence[Span], gazetteer: Gazetteer) -> dict[str, str]:
    """Phrases that name nothing as they are written, with the place each is nearest to."""
    found: dict[str, str] = {}
    words = [
        each
        for each in _STRANGE.finditer(text)
        if not any(s.start < each.end() and each.start() < s.end for s in spans)
    ]
    for match in words:
        alone = _NOTHING_BUT.fullmatch(text[: match.start()]) and not re.search(r"\w", text[match.end() :])
        near = alone or _BEFORE_A_PLACE.search(text[: match.start()])
        if match[0].lower() in EVERYDAY or (len(match[0]) < 5 and not near):
            continue
        for phrase in _around(text, match, spans):
            resolution = gazetteer.resolve(phrase)
            if (
                resolution.candidates
                and resolution.corrected
                and _is_likely(phrase, resolution.candidates[0])
            ):
                found[phrase] = resolution.candidates[0].place.name
                break
    return found


def _around(text: str, match: re.Match[str], spans: Sequence[Span]) -> list[str]:
    """A strange word with what may belong to its name, longest first: "gulf of adn", "mediteranean sea"."""
    before = re.search(
        r"((?:gulf|sea|bay|strait|port|cape|isle|coast|lake) of (?:the )?|[A-Za-z]{3,} )$",
        text[: match.start()],
        re.I,
    )
    after = re.match(
        r"(?: (?:sea|ocean|gulf|bay|strait|island|islands|canal|desert|peninsula|delta|mountains|[A-Z]\w+))",
        text[match.end() :],
        re.I,
    )
    word = match[0]
    found = []
    if before and before[1].strip().split()[0].lower() not in EVERYDAY:
        found.append(before[1] + word)
    if after:
        found.append(word + after[0])
    return [*found, word]


def _is_likely(phrase: str, candidate: Candidate) -> bool:
    """A village is no likely meaning of a misspelt word; a country, a sea or a large city is."""
    place = candidate.place
    near = OSA.normalized_similarity(phrase.lower(), place.name.lower())
    return near >= 0.75 and (place.kind != "city" or (place.population or 0) >= 200_000)


def _month_of_year(match: re.Match[str]) -> str:
    return f"{match['year'] or match['y']}-{int(match['month'] or match['m']):02d}"
