"""Ways of saying that are put into the planner's own words before a request is read.

Only verbs, connectives and names of parts of the page are exchanged, never a name of the domain; what stands
in quotes is left as it is.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from copilot.planner.reading.text import NUMBER_WORDS, one_of, whole_number
from copilot.planner.situation import Situation

_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”|‘[^’]*’|(?<!\w)'[^']*'(?!\w))")
_BEGIN = r"(?P<begin>^\W*|[,.;:!?]\s+|\b(?:and|then|please|now|also|but|to)\s+)"
_WHICH = r"(?=\s+(?:every|all|any|both|the|that|this|those|these|my|whole)\b)"
_NOUN = r"(?:[A-Za-z]+(?: [a-z]+)?)"


def _exchange(pattern: str, words: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern, re.IGNORECASE), words


_IDIOMS = (
    # to take away
    _exchange(
        rf"{_BEGIN}(?:fell|axe|ax|scrap|chop|nuke|zap|purge|strike|strike out|chuck(?: out| away)?|toss(?: out)?|scratch|"
        rf"dump|wipe out|eliminate|dismiss|shed|banish|cull|ditch|lose|bin|trash|rip out|pull off|strip(?: away| off)?){_WHICH}",
        r"\g<begin>remove",
    ),
    _exchange(rf"{_BEGIN}(?:dispense|away|do away) with\b", r"\g<begin>remove"),
    # to keep
    _exchange(
        rf"{_BEGIN}(?:hold|retain|preserve|maintain|hang on to|hold on to)(?=\s+(?:only|just|the rest|everything else|"
        r"the others?|all else)\b)",
        r"\g<begin>keep",
    ),
    # to exchange one thing for another
    _exchange(r",?\s+(?:instead of|rather than|in place of|as opposed to|in lieu of)\b", " but not"),
    _exchange(rf"\b({_NOUN}) no\b,?\s*(?:and |but )?({_NOUN}) yes\b", r"\2 but not \1"),
    _exchange(rf"\b({_NOUN}) yes\b,?\s*(?:and |but )?({_NOUN}) no\b", r"\1 but not \2"),
    # where images are to lie
    _exchange(
        r"\b(?:that |which )?(?:intersect|overlap|touch|fall|lie|are)(?:s|ing)?(?: with)?(?: (?:in|within|inside|over))? (?=(?:the|my|this|that) (?:drawing|drawn|polygon|box|rectangle|circle|shape|aoi)\b)",
        "in ",
    ),
    # short for times
    _exchange(r"\byrs\b", "years"),
    _exchange(r"\byr\b", "year"),
    _exchange(r"\bmths?\b", "months"),
    # what is grouped, ranked and asked
    _exchange(
        r"\bsplit (?:it |them |these |those |this |that |the (?:selection|images|results|scenes) )?(?:up |down |out )?(?=(?:by|per)\b)",
        "break down ",
    ),
    _exchange(r"\b(by|per|each|every) (?:damage (?:level|grade|category|state)|severity|level of damage)s?\b", r"\1 class"),
    _exchange(r"\bmost (?:new|recent|late)(?: one)?\b(?= of| image| picture| scene| photo|\W*$)", "newest"),
    _exchange(r"\bmost (?:old|early)(?: one)?\b(?= of| image| picture| scene| photo|\W*$)", "oldest"),
    _exchange(r"\b(?:image|picture|photo|scene) (newest|oldest|latest|earliest) (?=of\b|in\b|from\b)", r"\1 image "),
    _exchange(
        r"\bwhen (?:did|was|were|have|has) (?:(?:we|you|they|i|anyone|somebody|someone) )?(?P<what>.*?)\s*\b(?:first|1st) "
        r"(?:photograph(?:ed)?|imaged?|captured?|seen|see|shot|shoot|covered?|acquired?|taken|recorded?)\b",
        r"earliest date \g<what>",
    ),
    _exchange(
        r"\bwhen (?:did|was|were|have|has) (?:(?:we|you|they|i|anyone|somebody|someone) )?(?P<what>.*?)\s*\blast "
        r"(?:photograph(?:ed)?|imaged?|captured?|seen|see|shot|shoot|covered?|acquired?|taken|recorded?)\b",
        r"latest date \g<what>",
    ),
    # the map's size
    _exchange(
        rf"\b(?P<zoom>zoom(?: level)?(?: to| of)?|level) (?P<n>{one_of(NUMBER_WORDS)})\b"
        r"(?! (?:levels?|steps?|times|notch\w*|more|closer|further|clicks?))",
        r"\g<zoom> NUMBER{\g<n>}",
    ),
    _exchange(
        r"\b(?:make|show|want|need)(?: me)?(?: the| my)? map (?:more |much |a bit |some ?what )?(?:big|bigger|large|larger|"
        r"close|closer|near|nearer)\b|\bmake (?:more )?(?:big|bigger|large|larger)(?: the)? map\b|\b(?:enlarge|magnify) (?:the |my )?map\b",
        "zoom in",
    ),
    _exchange(
        r"\b(?:make|show|want|need)(?: me)?(?: the| my)? map (?:more |much |a bit |some ?what )?(?:small|smaller|little|"
        r"far|farther|further)\b|\bmake (?:more )?(?:small|smaller|little)(?: the)? map\b|\bshrink (?:the |my )?map\b",
        "zoom out",
    ),
    _exchange(r"\b(zoom (?:in|out)) (?:two times|two steps|two notches|twice)\b", r"\1 2 levels"),
    _exchange(r"\b(zoom (?:in|out)) (?:three times|three steps|three notches|thrice)\b", r"\1 3 levels"),
    # parts of the page
    _exchange(
        r"\b(?:(?:map )?backdrop|underlay|(?:map )?wallpaper|background layer|ground layer|base layer)\b",
        "base map",
    ),
    _exchange(
        r"\bbase map\b(?P<between>[^,.;]*?)\b(?:aerial|air|satellite) ?(?:photography|photographs?|photos?|pictures?|imagery)\b",
        r"base map\g<between>satellite",
    ),
    _exchange(r"\b(?:distance|length|kilomet(?:re|er)|km|mileage|ruler) bar\b|\bscale (?:line|ruler|stick)\b|\bmap scale\b", "scale bar"),
    _exchange(
        r"\blat(?:itude)?s?\s?(?:/|-|,|and|&|\s)\s?lon(?:g|gitude)?s? (?:lines|mesh|net)\b|"
        r"\b(?:lines of latitude(?: and longitude)?|parallels and meridians|meridians and parallels|coordinate (?:lines|mesh|net)|"
        r"geographic grid)\b",
        "graticule",
    ),
    _exchange(r"\b(?:map|colou?r|symbol) key\b|\bkey (?:to|of) the (?:map|colou?rs|symbols)\b", "legend"),
    _exchange(r"\b(?:locator|locater|key|index|corner|thumbnail) map\b|\b(?:map )?thumbnail\b(?= (?:on|off|in the corner))", "minimap"),
)  # fmt: skip
_IN_DIGITS = re.compile(r"NUMBER\{([\w -]+)\}")
_TURNED = re.compile(
    r"\W*(?:(?:now|and|ok|okay|then|what about|how about|show|only)\s+)*(?P<side>before|after|since|until|earlier|later|from)"
    r"(?:\s+(?:that|then|it|this|the same|date|day|instead|please|now|only))*\W*",
    re.I,
)


def in_plain_words(request: str, situation: Situation) -> str:
    """The request with its idioms exchanged; "now after instead" with the date that is filtered by."""
    if (turned := _other_side(request, situation)) is not None:
        return turned
    pieces = _QUOTED.split(request)
    for at in range(0, len(pieces), 2):
        for pattern, words in _IDIOMS:
            pieces[at] = pattern.sub(words, pieces[at])
    said = "".join(pieces)
    return _IN_DIGITS.sub(lambda match: str(whole_number(match[1])), said)


def _other_side(request: str, situation: Situation) -> str | None:
    """ "Before 14 March" said, then "now after instead": from that day on. None for any other request."""
    match = _TURNED.fullmatch(request)
    start, end = situation.filters.get("start"), situation.filters.get("end")
    if match is None or (start is None) == (end is None):
        return None
    later = match["side"].lower() in ("after", "since", "later", "from")
    if start is None:
        bound = date.fromisoformat(str(end)[:10]) + timedelta(days=1)
    else:
        bound = date.fromisoformat(str(start)[:10])
    return f"{'since' if later else 'before'} {bound.isoformat()}"
