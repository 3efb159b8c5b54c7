"""Rasters: the index, the condition, the sum over bands that is meant, and what is told by the way it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom
from copilot.planner.declared.things import Thing

_NUMBER = r"[-−]?\d*\.?\d+(?:e-?\d+)?"
_BAND = r"(?:near[- ]?infra[- ]?red|nir|swir ?[12]?|red[- ]edge|red|green|blue|pan)"
_BANDS = re.compile(rf"\b(?P<name>{_BAND})\b(?! (?:lake|park|field)s?\b)", re.I)
_SIGNS = (
    (">=", r">=|≥|at least|no (?:less|lower) than"),
    ("<=", r"<=|≤|at most|no (?:more|higher) than|up to"),
    (
        ">",
        r">|above|over|exceed(?:s|ing)?|(?:greater|more|higher|larger|bigger|steeper|brighter|warmer|greener) than",
    ),
    ("<", r"<|below|under|(?:less|lower|smaller|flatter|darker|colder) than"),
)
_OF_CLASS = re.compile(r"\b(?:class|value|code|category)\s*(?:of\s+|is\s+|=\s*)?(?P<value>\d+)\b", re.I)
_AT = re.compile(
    rf"\bthresh?old\w*\b.*?\b(?:at|of|to|with|by|is)?\s*(?P<value>{_NUMBER})(?! ?(?:px|pix))", re.I
)


def condition(text: str) -> str:
    """The condition on a pixel's value that a text says, such as "> 0.4"; nothing where it says none."""
    found = [
        (match.start(), f"{sign} {match['value'].replace('−', '-')}")
        for sign, words in _SIGNS
        for match in re.finditer(rf"(?<!\w)(?:{words})\s*(?:of\s+)?(?P<value>{_NUMBER})", text, re.I)
    ]
    if found:
        return min(found)[1]
    match = _AT.search(text)
    return f"> {match['value']}" if match else ""


def band_named(text: str) -> str:
    """The band that a text calls by its colour, as files call it; nothing where it names none."""
    match = _BANDS.search(text)
    return _plain(match["name"]) if match else ""


def _plain(name: str) -> str:
    low = re.sub(r"[\s-]+", "", name.lower())
    return {"nearinfrared": "nir", "rededge": "rededge"}.get(low, low)


def _index(text: str, today: date) -> Arguments:
    from data.raster.indices import INDICES

    if re.search(r"\bmodified (?:ndwi|(?:normali[sz]ed difference )?water)|\bxu\b", text, re.I):
        return {"index": "MNDWI"}
    found = [name for name in INDICES if re.search(rf"\b{re.escape(name)}\b", text, re.I)]
    if found:
        return {"index": max(found, key=len).upper()}
    for pattern, name in (
        (r"\b(?:burn|burned|burnt|fire scar)", "NBR"), (r"\bsnow\b", "NDSI"),
        (r"\b(?:moisture|water stress)\b", "NDMI"), (r"\bwater\b", "NDWI"), (r"\b(?:built|urban|building)", "NDBI"), (r"\bbare (?:soil|ground|earth)", "BSI"),
        (r"\bsoil[- ]adjusted", "SAVI"), (r"\benhanced vegetation", "EVI"), (r"\b(?:vegetation|green(?:ness|ery)?|plants?|biomass)\b", "NDVI"),
    ):  # fmt: skip
        if re.search(pattern, text, re.I):
            return {"index": name}
    return {}


_SUMS = (
    (rf"\b(?:subtract|take|deduct) (?:the )?({_BAND})\b.*?\bfrom (?:the )?({_BAND})\b", "{1} - {0}"),
    (
        rf"\b({_BAND})(?: band)? (?:minus|less) (?:the )?({_BAND})\b|\bdifference (?:of|between) (?:the )?({_BAND})\b.*? (?:and|to) (?:the )?({_BAND})\b",
        "{0} - {1}",
    ),
    (
        rf"\b({_BAND})(?: band)? (?:divided by|over) (?:the )?({_BAND})\b|\bratio (?:of|between) (?:the )?({_BAND})\b.*? (?:and|to) (?:the )?({_BAND})\b|\bdivide (?:the )?({_BAND})\b.*?\bby (?:the )?({_BAND})\b",
        "{0} / {1}",
    ),
    (
        rf"\b({_BAND})(?: band)? (?:plus|and) (?:the )?({_BAND})\b.*\b(?:sum|added|together)\b|\b({_BAND})(?: band)? plus (?:the )?({_BAND})\b",
        "{0} + {1}",
    ),
)
_WITH_A_NUMBER = (
    (rf"\b(?:multipl\w+|scaled?)\b.*\b(?:by|with)\s+({_NUMBER})|\btimes ({_NUMBER})", "*"),
    (rf"\bdivid\w+\b.*\bby\s+({_NUMBER})", "/"),
    (rf"\badd\s+({_NUMBER})\s+to\b|\bplus ({_NUMBER})", "+"),
    (rf"\bsubtract\s+({_NUMBER})\s+from\b|\bminus ({_NUMBER})", "-"),
)


def _expression(text: str, today: date) -> Arguments:
    """A sum over bands that is said in words, or a condition."""
    for pattern, form in _SUMS:
        if match := re.search(pattern, text, re.I):
            return {"expression": form.format(*(_plain(each) for each in match.groups() if each))}
    band = band_named(text) or "A"
    for pattern, sign in _WITH_A_NUMBER:
        if match := re.search(pattern, text, re.I):
            return {"expression": f"{band} {sign} {next(each for each in match.groups() if each)}"}
    by_words = re.search(r"[A-Za-z]\w*\s*(?:[-+*/]|[<>]=?)\s*[\w(.]", text) is None
    wanted = condition(text)
    return {"expression": f"{band} {wanted}"} if wanted and (by_words or band != "A") else {}


def _patches(text: str, today: date) -> Arguments:
    """Which pixels become polygons, or are measured to."""
    found: Arguments = {}
    if wanted := condition(text):
        found["where"] = wanted
    elif match := _OF_CLASS.search(text):
        found["value"] = int(match["value"])
    elif re.search(r"\bmask\b", text, re.I):
        found["where"] = "!= 0"
    if "where" in found and (band := band_named(text)):
        found["band"] = band
    return found


def _measured(text: str, today: date) -> Arguments:
    match = _OF_CLASS.search(text)
    return {"value": int(match["value"])} if match else {}


_COMPASS = {
    "north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270, "northwest": 315,
}  # fmt: skip


def _light(text: str, today: date) -> Arguments:
    found: Arguments = {}
    height = re.search(
        rf"(?P<a>{_NUMBER})\s*(?:°|deg\w*)?\s*(?:above|over) the horizon|\b(?:altitude|elevation|sun (?:height|stands))\b\D{{0,12}}(?P<b>{_NUMBER})"
        rf"|\bsun(?:light)? (?:is )?at (?P<c>{_NUMBER})|(?P<d>{_NUMBER})\s*(?:°|deg\w*)?\s+(?:altitude|elevation|high)\b",
        text,
        re.I,
    )
    if height:
        found["altitude_deg"] = float(next(each for each in height.groups() if each))
    side = re.search(r"\bfrom (?:the )?(?P<ns>north|south)?[- ]?(?P<ew>east|west)?\b", text, re.I)
    if side and (side["ns"] or side["ew"]):
        found["azimuth_deg"] = float(_COMPASS[f"{side['ns'] or ''}{side['ew'] or ''}".lower()])
    return found


def _steepness(text: str, today: date) -> Arguments:
    return {"unit": "percent"} if re.search(r"%|\bper ?cent(?:age|ages)?\b", text, re.I) else {}


def _looking(text: str, today: date) -> Arguments:
    """How high the eye is and how far it looks."""
    found: Arguments = {}
    length = r"(?P<number>\d*\.?\d+)[ -]?(?P<unit>km|kilomet\w+|m|met(?:er|re)s?)\b"
    far = re.search(rf"\b(?:up to|within|out to|radius of|at most|no (?:further|farther) than)\s+{length}", text, re.I)  # fmt: skip
    high = re.search(
        rf"\b(?:eyes?|observer|standing|mast|tower|platform|height)\b\D{{0,20}}{length}", text, re.I
    )
    if (high is None or (far and high.start("number") == far.start("number"))) or re.search(
        rf"{length} (?:high |tall )?(?:mast|tower|platform|roof|observer|hill top)", text, re.I
    ):
        high = re.search(
            rf"{length} (?:high |tall )?(?:mast|tower|platform|roof|observer|hill top|over|above)", text, re.I
        )
    for name, match in (("max_distance_m", far), ("observer_height_m", high)):
        if match:
            found[name] = float(match["number"]) * (
                1000 if match["unit"].lower().startswith(("km", "kilo")) else 1
            )
    return found


def _colours(text: str, today: date) -> Arguments:
    """The bands of a picture by their numbers; a preset is not meant then."""
    match = re.search(r"\bbands?\s+(\d+)\W+(?:and\W+)?(\d+)\W+(?:and\W+)?(\d+)\b", text, re.I)
    if match:
        return {"bands": [int(each) for each in match.groups()], "preset": None}
    if re.search(r"\bfalse colou?r|\binfra-?red|\bvegetation (?:is|in|shows?|appears?) red\b", text, re.I):
        return {"preset": "false_colour"}
    return {}


def _box(text: str, today: date) -> Arguments:
    """West, south, east and north in degrees: four numbers in a row, or from one side to the other."""
    number = r"(-?\d{1,3}(?:\.\d+)?)"
    row = re.search(
        rf"(?<![\w.]){number}\s*[,;\s]\s*{number}\s*[,;\s]\s*{number}\s*[,;\s]\s*{number}(?![\w.]*\d)", text
    )
    if row:
        return {"bbox": [float(each) for each in row.groups()]}
    sides = [
        re.search(rf"\b{side}\w*\W+(?:is )?{number}", text, re.I)
        for side in ("west", "south", "east", "north")
    ]
    if all(sides):
        return {"bbox": [float(each[1]) for each in sides if each]}
    degrees = [float(each) for each in re.findall(r"(?<![\w.])-?\d{1,3}\.\d+", text)]
    if len(degrees) != 4:
        return {}
    first, second, third, fourth = degrees
    return {"bbox": [first, third, second, fourth]}


def _one_band(text: str, today: date) -> Arguments:
    band = band_named(text)
    return {"band": band} if band else {}


def _bands(text: str, today: date) -> Arguments:
    found = [
        _plain(each["name"])
        for each in re.finditer(rf"\b(?P<name>{_BAND})\b(?! (?:lake|park|field)s?\b)", text, re.I)
    ]
    return {"bands": list(dict.fromkeys(found))} if found else {}


_NO_NAME = frozenset(
    "scene image picture photo raster dem drawing box rectangle polygon polygons circle shape shapes outline field fields layer ndvi ndwi "
    "selection zone zones parcel parcels area areas band index map file same park's red green blue nir near each one mean average value "
    "values pixels it them drawn mask".split()
)


def _zones(text: str, today: date) -> Arguments:
    """The band, and the one feature that is called by its name."""
    found = _one_band(text, today)
    called = re.search(
        r"\b(?:called|named)\s+[\"'“]?(?P<name>\w[\w-]*)|\b(?P<only>\w+) only\b|\bhow \w+ is the (?P<how>\w+)\b",
        text,
        re.I,
    )
    inside = [
        *re.finditer(r"\b(?:in|inside|within|of|for|over) (?:the|our|that) (?P<name>\w+)\b", text, re.I)
    ]
    names = [each for each in called.groups() if each] if called else []
    names += [each["name"] for each in reversed(inside)]
    name = next((each.lower() for each in names if each.lower() not in _NO_NAME and not each.isdigit()), None)
    return {**found, "feature": name} if name and not _BANDS.fullmatch(name) else found


def _quantity(text: str, today: date) -> Arguments:
    return {"quantity": "amplitude"} if re.search(r"\bamplitudes?\b", text, re.I) else {}


def _shown(text: str, today: date) -> Arguments:
    """The colours and the range of values of a layer."""
    found: Arguments = {}
    span = re.search(rf"\b(?:from|between)\s+({_NUMBER})\s+(?:to|and)\s+({_NUMBER})", text, re.I)
    if span:
        found["stretch"] = [float(span[1]), float(span[2])]
    colour = re.search(
        r"\bin (?:(?:shades of|light|dark) )?(green|blue|red|orange|purple|gr[ae]y)s?\b", text, re.I
    )
    if colour:
        plain = colour[1].lower()
        found["colormap"] = "grey" if plain.startswith("gr") and plain != "green" else f"{plain}s"
    return found


IDIOMS: Mapping[str, Idiom] = {
    "spectral_index": _index,
    "raster_calc": _expression,
    "polygonize": _patches,
    "proximity": _measured,
    "hillshade": _light,
    "slope": _steepness,
    "viewshed": _looking,
    "band_composite": _colours,
    "raster_clip": _box,
    "zonal_stats": _zones,
    "raster_stats": _bands,
    "to_decibel": _quantity,
    "add_raster_layer": _shown,
}


# What is told by the wording alone, where there is a raster

_OF_RASTER = r"(?:scene|image|picture|photo|raster|dem|elevation model|elevation|heights?|terrain|bands?|pixels?|ndvi|ndwi|index|mask|near[- ]?infra[- ]?red|nir)"
_STATISTIC = r"(?:mean|median|average|avg|min(?:imum)?|max(?:imum)?|highest|lowest|standard deviation|statistics?|stats|value range)"
_PLACE = rf"(?:\blon\w*\W+{_NUMBER}|\blat\w*\W+{_NUMBER}|\b-?\d{{1,3}}\.\d+ ?°?[EW]?,? +(?:and )?-?\d{{1,2}}\.\d+\b)"
_LIMIT = rf"(?:(?:above|over|below|under|exceed\w*|(?:\w+er|more|less) than|>=?|<=?)\s*{_NUMBER})"
TERMS: tuple[tuple[str, str], ...] = (
    ("rasterize", r"\brasteri[sz]\w+|\bburn (?:the )?\w+ into\b"),
    ("pansharpen", r"\bpan[- ]?sharpen\w*"),
    ("radiometric_calibration", r"\bradiances?\b|\bsigma[ -]?(?:0|nought|naught|zero)\b"),
    (
        "toa_reflectance",
        r"\b(?:toa|top[- ]of[- ]atmosphere|at[- ]sensor|planetary)\b.*\breflectances?\b|\breflectances?\b.*\b(?:metadata|mtl|counts|dn|digital numbers)\b",
    ),
    (
        "cloud_mask",
        r"\bhow cloudy\b|\bcloud(?:ed|y|s)?\b.*\bmask|\bmask\b.*\bclouds?|\b(?:this|the) (?:image|scene|picture) is (?:cloud|under cloud)|\bshare\b.*\bcloud",
    ),
    (
        "viewshed",
        rf"\bviewshed\b|{_PLACE}.*\b(?:see|seen|visible|view)\b|\b(?:seen|visible|view)\b.*{_PLACE}",
    ),
    (
        "polygonize",
        rf"\b(?:polygons?|outlines?|trace|vectori[sz]e|shapes?)\b.*(?:{_LIMIT}|\b(?:class|value) \d)|(?:{_LIMIT}|\bclass \d).*\bas polygons\b",
    ),
    (
        "proximity",
        r"\bdistances? (?:raster |map )?(?:to|from)\b.*\b(?:class|value|pixels?)\b|\bfrom the nearest\b.*\bpixels?\b",
    ),
    (
        "aspect",
        r"\b(?:north|south|east|west)\w*[- ](?:exposure|facing|slopes)|\bfac(?:e|es|ing) (?:north|south|east|west)",
    ),
    ("contour_lines", r"\bcontours?\b(?! plot)"),
    (
        "band_composite",
        r"\b(?:true|natural|false) colou?rs?\b|\bcolou?r infrared\b|\brgb\b.*\bbands\b|\bbands \d\W+\d\W+(?:and )?\d\b.*\b(?:picture|composite|rgb|colou?r)",
    ),
    (
        "raster_calc",
        rf"\bthreshold (?!\d)|\b{_BAND}(?: band)? (?:divided by|minus|plus|times)\b|\b(?:subtract|divide) (?:the )?{_BAND}\b|\b(?:which|what) (?:share|part|fraction|percentage|pixels)\b.*{_LIMIT}",
    ),
    (
        "raster_convert",
        r"\b(?:export|save|give|download|write|convert|turn|need|want)\b(?!.*\b(?:figure|chart|plot|map|table|document)\b).*\b(?:as|to|an?|in|into) (?:a |an )?(?:png|jpe?g|netcdf|geotiff|jpeg ?2000|ascii grid)\b",
    ),
    (
        "raster_clip",
        r"\b(?:clip|cut|crop|trim)\b.*\b(?:scene|image|picture|raster|dem|it)\b.*\b(?:to|with|by|along|inside)\b|\bonly the (?:part|piece)\b.*\b(?:inside|within|in) my\b",
    ),
    (
        "raster_reproject",
        r"\b(?:match|onto|align\w*|same)\b.*\b(?:pixels?|grid)\b.*\b(?:of|as)\b.*\b(?:scene|image|raster|dem|one|other)\b",
    ),
    ("coregister", r"\bco-?regist\w+|\bsits? (?:exactly|right|precisely) (?:on|over)\b"),
    (
        "raster_info",
        r"^(?:is|are|which|what|how many)\b(?!.*\b(?:reproject|convert|country)\b).*\b(?:in utm|in lat|projection|coordinate system|epsg|crs|nodata)\b"
        r"|\bhow (?:big|large|much)\b.*\b(?:area|ground|land)\b.*\b(?:scene|image|picture|raster)\b.*\bcovers?\b",
    ),
    ("raster_sample", rf"\b(?:elevation|height|how high|values?|pixels?|dem)\b.*{_PLACE}"),
)
"""(tool, pattern): where there is a raster, who says so wants the tool; the first that fits counts."""
_TERMS = tuple((tool, re.compile(pattern, re.I)) for tool, pattern in TERMS)
_STATED = re.compile(rf"\b{_STATISTIC}\b", re.I)
_ABOUT_PIXELS = re.compile(rf"\b{_OF_RASTER}\b|\bit\b|\bhighest point\b|\.tiff?\b|\b{_BAND}\b", re.I)
_OF_IT = re.compile(rf"\b{_STATISTIC}(?: values?)? (?:in|inside|within|per|for each|by)\b", re.I)
_BY_ZONE = re.compile(
    r"\b(?:in|inside|within|for|of|over) (?:the|my|our|each|every|all|one)(?: of the)? (?P<zone>\w+)\b|\b(?:per|each|every|by) (?P<by>\w+)\b|\bzonal\b|\bin it\b",
    re.I,
)
_NO_ZONE = re.compile(rf"(?:{_OF_RASTER}|{_BAND}|band|year|month|class|country)s?", re.I)


def told(text: str, things: Sequence[Thing]) -> str | None:
    """The tool that the wording tells of the rasters at hand; None where there is none, or it tells nothing."""
    rasters = [each for each in things if each.kind == "raster"]
    if not rasters:
        return None
    found = next((tool for tool, pattern in _TERMS if pattern.search(text)), None)
    if found == "rasterize" and not any(each.kind == "vector" for each in things):
        return None
    if found is not None:
        return found
    if _asks_for_an_index(text, rasters):
        return "spectral_index"
    if (
        _STATED.search(text)
        and (_ABOUT_PIXELS.search(text) or _OF_IT.search(text))
        and not re.search(_LIMIT, text, re.I)
    ):
        zoned = any(each.kind == "vector" for each in things) and any(
            not _NO_ZONE.fullmatch(each["zone"] or each["by"] or "zone") for each in _BY_ZONE.finditer(text)
        )
        return "zonal_stats" if zoned else "raster_stats"
    return None


def _asks_for_an_index(text: str, rasters: Sequence[Thing]) -> bool:
    """Whether an index is named that was not made yet."""
    wanted = _index(text, date(2000, 1, 1)).get("index", "")
    named = re.search(rf"\b{wanted}\b|\bindex\b", text, re.I) if wanted else None
    made = any(each.tool == "spectral_index" and wanted.lower() in each.words for each in rasters)
    return named is not None and not made


_ONLY_A_PLACE = re.compile(
    rf"^(?:(?:from|at|standing at|near)\s+)?(?:the )?(?:point )?{_PLACE}[\s\d.,°lonatNEWS-]*$", re.I
)
_BELONGS = re.compile(
    r"^(?:the [\w ]{2,30} (?:is|has|are|have) (?:class|value|band|code|number)\b|(?:my )?eyes?\b|observer\b|sun (?:at|from)\b|pixels? of \d)",
    re.I,
)


def rejoined(texts: Sequence[str]) -> list[str]:
    """Steps of which some only say where, or what a word stands for: these belong to the step beside them."""
    found: list[str] = []
    for text in texts:
        if found and (_BELONGS.match(text) or _ONLY_A_PLACE.match(found[-1])):
            found[-1] = f"{found[-1]}, {text}"
        else:
            found.append(text)
    return found


# What is settled when all the rest is read


def _with_metadata(args: Arguments, things: Sequence[Thing]) -> None:
    """The document that holds a product's metadata, by its name."""
    documents = [each for each in things if each.kind == "document"]
    named = [each for each in documents if re.search(r"mtl|mtd|meta|calib|\.xml", each.name, re.I)]
    if documents and "gain" not in args:
        args["metadata"] = (named or documents)[-1].ref


def _pan_is_pan(args: Arguments, things: Sequence[Thing]) -> None:
    """The raster that is called panchromatic is that."""
    pans = {
        each.ref
        for each in things
        if each.kind == "raster" and re.search(r"(?<![a-z])pan(?:chrom\w*)?(?![a-z])", each.name, re.I)
    }
    if args.get("raster") in pans and args.get("pan") not in pans:
        args["raster"], args["pan"] = args["pan"], args["raster"]


def _with_grid(args: Arguments, things: Sequence[Thing]) -> None:
    """Pixels like those of the newest raster, where no size is said."""
    rasters = [each for each in things if each.kind == "raster"]
    if rasters and "raster" not in args and "resolution_m" not in args:
        args["raster"] = rasters[-1].ref


def _of_one_feature(args: Arguments, things: Sequence[Thing]) -> None:
    """Drawings and layers that are called so themselves hold no feature of that name."""
    zones = next((each for each in things if each.ref == args.get("zones")), None)
    name = str(args.get("feature", ""))
    if zones is not None and (zones.drawn or zones.ref == "selection" or name in zones.name.lower()):
        args.pop("feature", None)


SETTLE: Mapping[str, Callable[[Arguments, Sequence[Thing]], None]] = {
    "radiometric_calibration": _with_metadata,
    "toa_reflectance": _with_metadata,
    "rasterize": _with_grid,
    "pansharpen": _pan_is_pan,
    "zonal_stats": _of_one_feature,
}
"""Tools with arguments that only what is at hand can tell."""
