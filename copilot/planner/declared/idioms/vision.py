"""What is asked of an image: which vision tool a wording tells, and what it says of classes, phrases and questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom, quotes
from copilot.planner.declared.kinds import kinds_said
from copilot.planner.declared.things import Thing, is_named

_PLANE = (
    r"(?:(?:(?:passenger|cargo|fighter|private|military|civil|transport|jumbo|business) )?"
    r"(?:air ?planes?|aeroplanes?|aircrafts?|planes?|jets?)|airliners?|fighters?|bombers?)"
)
_SHIP = (
    r"(?:(?:(?:container|cargo|cruise|fishing|passenger|sailing|sail|motor|naval|navy|military|war|tug|oil) ?)?"
    r"(?:ships?|vessels?|boats?)|ferr(?:y|ies)|(?:oil |gas )?tankers?|barges?|yachts?|trawlers?|frigates?|freighters?)"
)
_VEHICLE = r"(?:vehicles?|cars?|trucks?|lorr(?:y|ies)|vans?|bus(?:es)?)"
_TANK = r"(?:(?:storage|oil|fuel) )?tanks?"
_OBJECT = rf"(?:{_PLANE}|{_SHIP}|{_VEHICLE}|{_TANK}|objects?|targets?|everything)"
_BOX = r"(?:bounding )?(?:box(?:es)?|rectangles?|detect\w*|detector|object detection)"
_IMAGE = r"(?:image|picture|photo(?:graph)?|scene|shot|upload|tile|chip|aerial|snapshot)"
_RADAR = re.compile(r"\b(?:sar|radar|cfar|sentinel-?1|backscatter\w*|terrasar\S*|gaofen-?3)\b", re.I)
_FIND = (
    r"(?:find|detect|locate|spot|look for|search|mark|show|see|highlight|identify|where (?:are|is)|any|put|draw|pull|which|run|every|"
    r"outline|point out|get)"
)
_MODEL = r"(?:a3[0-9]{2}|[b ]?7[0-9]7|c-?130s?|c-?17s?|f-?1[0-9]s?|su-?\d\d|tu-?\d+|il-?\d+|boeing|airbus)"

TERMS: tuple[tuple[str, str], ...] = (
    ("rotated_object_detection",
     rf"\bobbs?\b|\b(?<!not )(?<!non-)(?<!no )(?:oriented|rotated|tilted|angled|turned)\b.*\b(?:{_BOX}|rectangles?)\b"
     rf"|\b(?:{_BOX})\b.*\b(?:with angle|that follow|aligned with them|turned|along the hull|heading)\b|\boriented detections?\b|\brotated detector\b"),
    ("horizontal_object_detection",
     rf"\bhbbs?\b|\b(?:horizontal|axis[- ]aligned|axis[- ]parallel|upright|straight|coco[- ]style)\b.*\b{_BOX}|\bhorizontal (?:detector|object)\b"
     rf"|\b{_BOX}\b.*\b(?:(?:not|non-?|no) ?rotat\w+|parallel to)\b|\bnon-rotated\b|\b{_BOX}\b.*\b(?:horizontal|axis aligned|axis[- ]parallel)\b"),
    ("object_count",
     rf"\b(?:how many|count|number of|tally|head ?count)\b(?! (?:types?|models?|kinds?)\b).*\b{_OBJECT}\b|\b{_OBJECT}\b.*\bhow many\b|\b{_OBJECT} count\b"
     r"|\bcount (?:them|it|all|everything)\b"),
    ("sar_plane_type",
     rf"(?=.*\b(?:sar|radar)\b)(?:.*\b{_PLANE} (?:recognition|identification)\b|.*\b(?:types?|models?|make|kinds?|which|identify|recogni[sz]\w+|classif\w+|name|what|is the|determine)\b.*\b{_PLANE}\b"
     rf"|.*\b{_PLANE}\b.*\b(?:types?|models?|classif\w+|recogni[sz]\w+|by type)\b)"),
    ("optical_plane_type",
     rf"\b(?:types?|models?|make|kinds?|sort)\b.*\b{_PLANE}\b|\b{_PLANE}\b.*\b(?:types?|models?|by type)\b|\b(?:identify|recogni[sz]e|classify|name|determine) (?:the |each |every |all )?{_PLANE}\b"
     rf"|\b{_PLANE} (?:types?|models?|recognition|identification)\b|\bwhat {_PLANE} (?:is|are) (?:this|that|these|those)\b|\bwhich (?:{_PLANE}|airliner) (?:is|are)\b|\b(?:is|are|could) (?:it|that|this|these|those)\b.*\b{_MODEL}\b"
     r"|^(?:and )?(?:of )?(?:what|which) types?\W*$"),
    ("building_damage_detection",
     r"\bwhat(?:'s| has| have)? happened\b.*\b(?:town|city|village|houses?|homes?|buildings?|neighbou?rhood|streets?|roofs?)\b|\b(?:damag\w+|destroyed|wreck\w*|collapsed?|ruined|flattened)\b|\bhow bad (?:is|was) (?:it|that|the damage)\b|\b(?:hit|gone|blown away)\b.*\b(?:tornado|storm|hurricane|earthquake|quake|typhoon|cyclone|disaster)\b"
     r"|\b(?:tornado|earthquake|quake|hurricane|storm)\b.*\b(?:buildings?|houses?|roofs?)\b|\bhow (?:severely|badly|hard)\b.*\b(?:buildings?|houses?)\b|\bhouses? were hit\b"),
    ("flood_mapping", r"\bflood\w*\b(?! (?:fill|plain))|\binundat\w+|\bunder ?water\b(?=.*\b(?:now|since|after|area|fields?)\b)"),
    ("burned_area", r"\bburn(?:ed|t)\b(?! is it)|\bburn (?:scar|severity)\b|\b(?:wild)?fires? (?:scar|damage|severity|extent)\b|\bwhat (?:did|has) the (?:wild)?fires?\b"),
    ("cloud_removal",
     r"\b(?:remove|removal|get rid|rid of|take\b.*\baway|wipe|erase|fill|replace|clear|strip|paint over|reconstruct|repair|fix|without|no|free of|declutter|beneath|under|see the ground|rid)\b.*\b(?:clouds?|cloudy|cumulus|white puffs)\b"
     r"|\bcloud(?:y|s)?\b.*\b(?:remov\w+|repair|fix|away|fill|reconstruct|plausible|clear|gone)\b|\bcloud-?(?:free|less)\b|\bde-?cloud\w*|\bwhite puffs\b|\bas if there had been no clouds\b"),
    ("cloud_detection", r"\b(?:detect|find|where|how (?:much|cloudy)|share|percent\w*|cover)\b.*\bcloud(?:s|y)?\b|\bcloud (?:cover|detection|share|fraction)\b|\bhow cloudy\b|\bis it cloudy\b"),
    ("image_dehazing", r"\bde-?(?:haz|fog)\w*|\bhaz[ey]\w*\b|\b(?:fog\w*|mist|misty|smog|smoky|milky|veil)\b"),
    ("denoising", r"\bde-?nois\w*|\bnois[ey]\w*\b(?! level)|\bgrain(?:y|s)?\b|\bspeckles\b|\bsalt and pepper\b|\bnon-?local means\b|\brandom dots\b|\bbm3d\b"),
    ("super_resolution",
     r"\bsuper-?resol\w*|\bsuper resolution\b|\bupscal\w+|\bupsampl\w+\b(?=.*\bmodel\b)|\bsr ?x?2\b|\bx2 sr\b|\b(?:enhance|increase|raise|improve|higher?|double|finer|high)\b.*\b(?:resolution|ground sampling|detail|res)\b"
     r"|\b(?:twice|double) the pixels\b|\bblow\b.*\bup\b|\blow-?res\b|\btoo (?:coarse|small|big)\b.*\b(?:finer|enlarge|refine|blurry|upscale)\b|\benlarge\b|\bhigher-resolution\b"),
    ("edge_detection", r"\bedges?\b(?=.*\b(?:detect\w*|find|extract|map|canny|sobel|show|trace)\b)|\b(?:detect|find|extract|canny|sobel|show|trace)\b.*\bedges?\b(?! of)|\bcanny\b|\bsobel\b|\bedge (?:map|detection)\b"),
    ("image_quality",
     rf"\bquality\b.*\b(?:{_IMAGE}|it|this|that)\b|\b(?:image|picture) quality\b|\bhow (?:sharp|noisy|blurry|blurred|good|usable)\b.*\b(?:{_IMAGE}|it|this|that)\b|\b(?:noise level|signal[- ]to[- ]noise|snr)\b|\bis (?:it|this|that|the {_IMAGE}) (?:sharp|blurr\w+|any good|usable)\b"),
    ("remote_sensing_inversion",
     r"\b(?:land surface temperature|lst|leaf area(?: index)?|lai|chlorophyll\w*|turbid\w*|soil moisture|suspended (?:matter|sediment))\b"),
    ("image_similarity", r"\b(?:similar\w*|alike|resembl\w+|same place|look the same|how different)\b"),
    ("change_detection",
     rf"\bwhat(?:'s| has| have)? happened\b|\b(?:lost|gained|disappeared|vanished|appeared|(?:is|are) gone|went missing|(?:was|were) (?:built|cleared|cut down|removed|demolished))\b|\bchange detection\b|\bwhat(?:'s| has| is| have)? ?(?:been )?(?:changed?|different|new)\b|\bwhere (?:did|has|have|are)\b.*\bchang\w+|\b(?:find|detect|map|show|highlight|spot)\b.*\b(?:changes?|differences?)\b|\bnew(?:ly built)? (?:buildings?|houses?|construction)\b|\bdifferences? between\b.*\b(?:{_IMAGE}s?|dates|two|before)\b|\bcompare\b.*\b(?:before|after|two {_IMAGE}s)\b|\b(?:anything|something|much) (?:changed|new|different)\b"),
    ("referring_segmentation",
     rf"\b(?:segment|mask|cut out|isolate|outline the exact)\b.*\b(?:the|that|all)\b (?!{_IMAGE}\b|image\b)(?=.*\b(?:largest|biggest|smallest|left|right|north\w*|south\w*|east\w*|west\w*|top|bottom|green|red|white|blue|dark|bright|next to|near|in the middle|cent(?:re|er)|river|lake|field|pond)\b)"),
    ("visual_grounding",
     rf"\b(?:{_FIND}|point (?:to|at)|box)\b.*\bthe\b.*\b(?:largest|biggest|smallest|longest|left(?:most)?|right(?:most)?|northern\w*|southern\w*|eastern\w*|western\w*|top|bottom|upper|lower|white|red|blue|green|dark|bright|next to|nearest|closest to|in the middle|cent(?:re|er)|in the (?:north|south|east|west)\S*)\b.*"),
    ("building_extraction",
     r"\bpolygons of (?:the |all )?(?:buildings|houses)\b|\b(?:building|house|roof(?:top)?)s?\b.*\b(?:footprints?|polygons?|mask|outlines?|extraction|extract|vectors?)\b|\b(?:extract|outline|map|trace|vectori[sz]e|digiti[sz]e|delineate|pick out|draw|segment|find|get|where are)\b.*\b(?:buildings?|houses?|roof(?:top)?s?|built structures?)\b(?! and\b)"),
    ("road_extraction",
     r"\b(?:road|street|highway|track)s?\b.*\b(?:network|lines?|layer|graph|extraction|centre ?lines?|run|kilomet\w+)\b|\b(?:extract|map|trace|vectori[sz]e|digiti[sz]e|delineate|pick out|pull|find|get|draw)\b.*\b(?:roads?|streets?|highways?)\b|\bkilomet\w+ of roads?\b|\b(?:centre|center) ?lines? of the roads?\b"),
    ("water_extraction",
     r"\b(?:extract|map|outline|delineate|mask|segment|digiti[sz]e|trace|find|get)\b.*\b(?:water(?: ?bod(?:y|ies))?|lakes?|rivers?|ponds?)\b|\bwater (?:mask|extraction|bodies|extent|polygons?|surface)\b|\bhow much (?:water|of it is water)\b|\b(?:extent|area) of the (?:lake|water|river)\b"),
    ("vegetation_extraction",
     rf"\b(?:extract|map|outline|delineate|mask|segment|find|get)\b.*\b(?:vegetation|trees?|forests?|plants|green(?:ery)?(?: areas?)?)\b|\b(?:vegetation|tree|forest) (?:mask|extraction|cover)\b|\bhow (?:much|many hectares)\b.*\b(?:vegetation|green|trees|forest)\b(?!.*\b{_IMAGE}\b)"),
    ("land_use_classification",
     r"\bland[- ]?(?:use|cover)s?\b|\blulc\b|\bhow is the land used\b|\bland being used\b|\b(?:urban|built-up\w*),? ?(?:land|farmland).*\b(?:farmland|forest|water|built-up|versus)\b|\bfarmland versus\b|\bclassify it into\b"),
    ("semantic_segmentation",
     rf"\bsemantic\w*\b|\bsegment\w*\b|\b(?:every|each|per|which) ?-?pixels?\b|\bpixel-?wise\b|\bdense labels\b|\bclass map\b|\bregions by class\b|\bsplit the {_IMAGE} into\b"),
    ("classify_image",
     r"\b(?:optical or (?:sar|radar)|(?:sar|radar) or optical|what (?:kind|type|sort) of (?:image|sensor|imagery|data) (?:is|was)|modality|which sensor|panchromatic or|is (?:this|it|that) (?:a )?(?:sar|radar|optical|multispectral|panchromatic)(?: image| picture)?\W*$)"),
    ("scene",
     rf"\bscene\b.*\b(?:class\w*|categor\w+|types?|labels?|is it)\b|\b(?:classify|label|categori[sz]e|class of|category of|kind of|type of|sort of) (?:the |this |that )?(?:scene|place|area|{_IMAGE})\b|\bwhat (?:kind|type|sort) of (?:place|area|scene|setting)\b|\bsetting of\b|\bcategor\w+\b.*\b(?:{_IMAGE}|file)\b|\bscene (?:type|class|label|categor)\w*|\bis this (?:scene )?an? \w+,? (?:an? \w+ )?or an? \w+(?: scene)?\W*$|\bwhich (?:kind of )?scene\b"),
    ("sar_detection",
     rf"\bcfar\b|(?=.*\b(?:sar|radar|sentinel-?1)\b)(?=.*\b(?:{_OBJECT}|targets?|ships?|metallic)\b).*"),
    ("optical_detection",
     rf"\btraffic\b|\b{_FIND}\b.*\b{_OBJECT}\b|\bobject detection\b|\bany(?:thing|body) (?:that )?(?:floats|flies|drives|sails|moves)\b|\b{_OBJECT}\b.*\b(?:outlined|marked|boxed|detected|please)\b|\bdetect\b"),
    ("caption",
     rf"\bwhat do you (?:make|think) of\b|\bwhat(?:'s| is) going on\b|\bwhat have (?:we|you|i) got\b|\banything (?:interesting|unusual|notable|worth \w+)\b|\btell me (?:more )?about (?:this|that|the|my) {_IMAGE}\b|\b(?:describe|caption|narrate|summari[sz]e|explain|overview|description|put\b.*\binto words|one paragraph)\b|\bwhat(?:'s| is| am i| do you| does| can be| are we)\b.*\b(?:in here|in it|in this|looking at|see here|see|seen|show|shows|here|picture of|in the {_IMAGE})\b|\bwhat is that {_IMAGE} of\b|\bwhat (?:it|you) (?:shows?|sees?)\b"),
)  # fmt: skip
"""(tool, pattern): where there is an image, who says so wants the tool; the first that fits counts."""
_TERMS = tuple((tool, re.compile(pattern, re.I)) for tool, pattern in TERMS)
_OF_FOUND = (
    ("list_detections", re.compile(r"\b(?:list|table|which|show)\b.*\b(?:detections?|was found|you found|did (?:it|you|the detector) find|found (?:there|so far))\b|\bhow many (?:did|have|were|are)\b.*\bf(?:ou|i)nd\b|\ball detections\b|\bdetections? (?:list|with their)\b|\bhow precise\b|\bprecision\b.*\b(?:review\w*|detections?)\b", re.I)),
    ("review_detection", re.compile(r"\b(?:confirm|reject|relabel|re-?classify|dismiss|accept|approve)\b|\b(?:detections?|numbers?|no\.|objects?|#) ?#?\d+\b.*\b(?:is|are|was|as|should)\b|\b(?:false alarms?|false positives?)\b", re.I)),
)  # fmt: skip
"""(tool, pattern): where there are detections."""
_ASKS = re.compile(
    rf"^(?:question|looking at|is (?:it|this|that|there|the|any)|are (?:there|the|any|most)|does|do you see|can you see|where in the|which colou?r|what (?:share|colou?r)|how much of the {_IMAGE}|in (?:this|the) {_IMAGE})\b",
    re.I,
)
"""A question that a look at the image answers."""
_SEEN = re.compile(
    rf"\b(?:{_OBJECT}|buildings?|houses?|roads?|rivers?|lakes?|water|trees?|forests?|grass|vegetation|fields?|runways?|airports?|harbou?rs?|bridges?|rural|urban|clouds?|concrete|colou?r|bigger|land)\b",
    re.I,
)
_POINTS = re.compile(rf"\b{_IMAGE}\b|\b(?:here|it|this|that|these|those|there|my)\b", re.I)
_VAGUE_CLEANING = re.compile(
    rf"^(?:can you |could you |please )*(?:clean|tidy|fix|improve|enhance|polish) (?:up )?(?:this|it|that|the {_IMAGE}|my {_IMAGE})(?: (?:up|for me|a bit|a little))*(?: please)?\W*$",
    re.I,
)
_PAIR = re.compile(r"\bbefore\b|\bafter\b|\bpair\b|\bsince\b|\bboth\b|\btwo\b", re.I)
_OF_PAIRS = frozenset({"change_detection", "building_damage_detection", "image_similarity"})
_OF_OTHERS = re.compile(
    r"\b(?:ndvi|ndwi|index|dem|slope|hillshade|band|histogram|reproject\w*|resample|crop|clip|mosaic|plot|layers?|zoom|load|"
    r"median|mean|average|minimum|maximum|infrared|steep\w*|raster|dark objects?|class \d+|(?:above|below|over|under|higher than|lower than) \d+|"
    r"cloud mask|speckle filter|refined lee|gamma|threshold|contour\w*|table|csv|rows?|column|tokens?)\b",
    re.I,
)
"""Words of other families of tools, which take a raster too."""


def told(text: str, things: Sequence[Thing]) -> str | None:
    """The vision tool that a wording tells where there is an image; None for any other."""
    if any(each.kind == "detections" for each in things):
        reviewed = next((tool for tool, pattern in _OF_FOUND if pattern.search(text)), None)
        if reviewed is not None:
            return reviewed
    images = [each for each in things if each.kind == "raster"]
    if not images or _OF_OTHERS.search(text):
        return None
    if _VAGUE_CLEANING.match(text):
        return "image_quality"
    found = next((tool for tool, pattern in _TERMS if pattern.search(text)), None)
    if (
        found != "scene"
        and _ASKS.match(text.strip())
        and _SEEN.search(text)
        and found in _LESS_THAN_A_QUESTION
    ):
        found = "visual_question"
    if found == "denoising" and _RADAR.search(text):
        return None  # speckle is no noise that is added, and has a filter of its own
    land = _LAND.search(text) and any(each.kind == "vector" and is_named(each, text) for each in things)
    if found in ("optical_detection", "object_count") and (_RADAR.search(text) or land):
        return "sar_detection"  # the one detector that takes polygons of land
    if (
        found in _OF_PAIRS
        and len(images) < 2
        and not _PAIR.search(text)
        and found != "building_damage_detection"
    ):
        return None
    return found


_LAND = re.compile(
    r"\b(?:ignor\w*|exclud\w*|without|leav\w+ out|mask\w*(?: out)?|not on|off|skip\w*|only on (?:the )?water)\b.*\b(?:land|coast\w*|shore\w*|islands?)\b"
    r"|\b(?:land|coast\w*|shore\w*|islands?)\b (?:mask |polygons? )?(?:is|are|lies|comes|from|in|as)\b"
    r"|\b(?:as|is|are) (?:the |a )?(?:land|coast\w*|shore\w*|islands?)\b",
    re.I,
)
"""That land is left out, or where its outlines are."""
_MANY = re.compile(
    r"\b(?<!two )(?<!both )(?<!these )(?<!the )(?:images|pictures|photos|scenes)\b(?! (?:differ|show))|\b(?:in|from|since|during|before|after) (?:19|20)\d\d\b|\b(?:near|around) [A-Z]",
)


_ONE = re.compile(rf"\b(?:the|this|that|my) (?:\w+ )?{_IMAGE}\b", re.I)


def of_many(text: str, things: Sequence[Thing] = ()) -> bool:
    """Whether images are to be found, by what they show, where and when: a question for the catalogue.

    One image of a year that is here is none of many.
    """
    years = set(re.findall(r"\b(?:19|20)\d\d\b", text))
    here = any(years & each.words for each in things if each.kind == "raster")
    return bool(_MANY.search(text)) and not (here and _ONE.search(text))


def points(text: str) -> bool:
    """Whether a text points at one image."""
    return bool(re.search(rf"\b(?:in|of|from|on|at|to) (?:here|it|this|that)\b|\b{_IMAGE}\b", text, re.I))


_LESS_THAN_A_QUESTION = frozenset(
    {None, "optical_detection", "caption", "visual_grounding", "building_extraction", "road_extraction",
     "water_extraction", "vegetation_extraction", "semantic_segmentation", "land_use_classification"}
)  # fmt: skip
"""What a question that only wants a yes, a share or a place is no reason for."""

CLASSES: tuple[tuple[str, str], ...] = (
    ("plane", rf"{_PLANE}|that flies"),
    ("ship", rf"{_SHIP}|float\w*|that sails"),
    ("large-vehicle", r"(?:large|big|heavy) vehicles?|trucks?|lorr(?:y|ies)|bus(?:es)?"),
    ("small-vehicle", r"small vehicles?|cars?|vans?"),
    ("vehicle", r"(?<!large )(?<!small )(?<!big )(?<!heavy )vehicles?|that drives"),
    ("storage-tank", _TANK),
)


def _classes(text: str, today: date) -> Arguments:
    """The classes of objects that are named, in the models' words."""
    found = [name for name, pattern in CLASSES if re.search(rf"\b(?:{pattern})\b", text, re.I)]
    return {"classes": found} if found else {}


def _question(text: str, today: date) -> Arguments:
    return {"question": text.strip()}


_LEADS = re.compile(
    rf"^(?:please |can you |could you |now )*(?:{_FIND}|segment|mask|cut out|isolate|point (?:to|at)|box|outline|extract|me)\s+(?:me\s+)?(?:the exact shape of\s+)?(?:out\s+)?",
    re.I,
)


def _phrase(text: str, today: date) -> Arguments:
    """What is referred to: the words after "find" or "segment", or what stands in quotes."""
    if quoted := quotes(text):
        return {"phrase": quoted[0]}
    rest = _LEADS.sub("", text.strip()).strip(" ?.!")
    return {"phrase": re.sub(rf"\s+(?:in|on|of) (?:this|the|my) {_IMAGE}$", "", rest, flags=re.I)}


_QUANTITIES = (
    ("lst", r"land surface temperature|lst|temperature"),
    ("lai", r"leaf area(?: index)?|lai"),
    ("chlorophyll", r"chlorophyll\w*"),
    ("turbidity", r"turbid\w*|suspended \w+"),
    ("soil_moisture", r"soil moisture|moisture of the soil|how (?:wet|dry) is the (?:soil|ground)"),
)


def _quantity(text: str, today: date) -> Arguments:
    found = next((name for name, words in _QUANTITIES if re.search(rf"\b(?:{words})\b", text, re.I)), None)
    return {"quantity": found} if found else {}


_CONFIRMS = re.compile(r"\b(?:confirm\w*|right|correct|true|real|accept\w*|approve\w*|good)\b", re.I)
_REJECTS = re.compile(
    r"\b(?:reject\w*|wrong|false|not (?:a|an|right|correct|real)|no (?:ship|plane|vehicle|car|tank)|isn'?t|delete|drop|dismiss|discard|bogus)\b",
    re.I,
)
_RELABELS = re.compile(
    r"\b(?:relabel\w*|re-?classif\w*|call it|should be|is (?:really |actually |in fact )?an?|change (?:it|the class))\b",
    re.I,
)
_NUMBERED = re.compile(
    r"(?:detections?|numbers?|no\.?|#|objects?|nr\.?|confirm|reject|clear|dismiss|accept|and)\s*((?:#?\d+(?:\s*(?:,|and|&|to|-)\s*)?)+)|#(\d+)",
    re.I,
)


def _review(text: str, today: date) -> Arguments:
    """Which detections are meant, and what is said of them."""
    found: Arguments = {}
    if _REJECTS.search(text):
        found["verdict"] = "reject"
    elif re.search(r"\b(?:clear|undo|forget|take back)\b.*\b(?:review|verdict)\b", text, re.I):
        found["verdict"] = "clear"
    elif _CONFIRMS.search(text):
        found["verdict"] = "confirm"
    if (relabels := _RELABELS.search(text)) and (
        named := _given_class(text[relabels.end() :]) or _named_class(text)
    ):
        found |= {"verdict": "relabel", "class_name": named}
    if numbered := _NUMBERED.search(text):
        numbers = [int(each) for each in re.findall(r"\d+", numbered[0])]
        if re.search(r"\d\s*(?:to|-)\s*\d", numbered[0]) and len(numbers) == 2:
            numbers = list(range(numbers[0], min(numbers[1], numbers[0] + 4999) + 1))
        found["detection_id"] = numbers[0] if len(numbers) == 1 else numbers
    else:
        found |= _filters(text)
    return found


def _filters(text: str) -> Arguments:
    found: Arguments = {}
    for name, words in (
        ("below_score", r"below|under|less than"),
        ("from_score", r"above|over|at least|more than|from"),
    ):
        if said := re.search(
            rf"\b(?:{words}) (?:a score of )?(0?\.\d+|\d{{1,2}} ?(?:%|per ?cent))", text, re.I
        ):
            found[name] = share_of(said[1])
    if found or re.search(r"\b(?:all|every|each)\b", text, re.I):
        named = _named_class(text)
        found |= {"found_as": named} if named else {}
    return found


def share_of(said: str) -> float:
    """A score as it is said, 0 to 1: "0.6", "60 %"."""
    number = float(re.sub(r"[^\d.]", "", said))
    return number / 100 if re.search(r"%|cent", said) else number


def _given_class(text: str) -> str | None:
    """The class that something is called: people know kinds that no detector tells."""
    return next((each.single for each in kinds_said(text)), None) or _named_class(text)


def _named_class(text: str) -> str | None:
    return next((name for name, pattern in CLASSES if re.search(rf"\b(?:{pattern})\b", text, re.I)), None)


def _listed(text: str, today: date) -> Arguments:
    """Which detections are to be listed."""
    found: Arguments = {}
    if said := re.search(
        r"\b(?:above|over|at least|from|better than|more than) (?:a score of )?(0?\.\d+|\d{1,2} ?(?:%|per ?cent))",
        text,
        re.I,
    ):
        found["min_score"] = share_of(said[1])
    named = _named_class(text)
    if named and not re.search(r"\bdetections? (?:of|in)\b.*\bharbou?r\b", text, re.I):
        found["class_name"] = named
    for verdict in ("unreviewed", "confirmed", "rejected", "relabelled", "reviewed"):
        if re.search(rf"\b{verdict}\b", text, re.I):
            found["verdict"] = verdict
            break
    return found


IDIOMS: Mapping[str, Idiom] = {
    "review_detection": _review,
    "list_detections": _listed,
    "optical_detection": _classes,
    "horizontal_object_detection": _classes,
    "rotated_object_detection": _classes,
    "object_count": _classes,
    "visual_question": _question,
    "visual_grounding": _phrase,
    "referring_segmentation": _phrase,
    "remote_sensing_inversion": _quantity,
}


# What is settled when all the rest is read


def _older_first(args: Arguments, things: Sequence[Thing]) -> None:
    """Of a pair, the image that is called so is the one before, or the one after."""
    named = {each.ref: each.name for each in things}
    before, after = (str(args.get(each, "")) for each in ("before", "after"))
    if _AFTER.search(named.get(before, "")) or _BEFORE.search(named.get(after, "")):
        args["before"], args["after"] = after, before


def _with_one_before(args: Arguments, things: Sequence[Thing]) -> None:
    """The image from before, where two are here: the other one, or the one that is called so."""
    images = [each for each in things if each.kind == "raster" and each.tool in ("", "add_file")]
    others = [each for each in images if each.ref != args.get("after")]
    if others and "before" not in args:
        args["before"] = next((each for each in others if _BEFORE.search(each.name)), others[-1]).ref
    if "before" in args:
        _older_first(args, things)


_BEFORE = re.compile(r"(?<![a-z])(?:pre|before|old|earlier|t1)(?![a-z])", re.I)
_AFTER = re.compile(r"(?<![a-z])(?:post|after|new|later|t2)(?![a-z])", re.I)


def _not_itself(args: Arguments, things: Sequence[Thing]) -> None:
    """The other dates are others than the image itself."""
    others = [each for each in args.get("others", ()) if each != args.get("image")]
    args.pop("others", None)
    if others:
        args["others"] = others


SETTLE: Mapping[str, Callable[[Arguments, Sequence[Thing]], None]] = {
    "change_detection": _older_first,
    "building_damage_detection": _older_first,
    "flood_mapping": _with_one_before,
    "burned_area": _with_one_before,
    "cloud_removal": _not_itself,
}
"""Tools with arguments that only what is at hand can tell."""
