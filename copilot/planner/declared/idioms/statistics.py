"""Statistics of tables: the field's terms, each of which names its tool."""

from __future__ import annotations

import re
from collections.abc import Mapping

from copilot.planner.declared.idioms.base import Idiom

IDIOMS: Mapping[str, Idiom] = {}
_EACH = r"(?:each|per|every|by) (?:day|week|month|quarter|year)"
_OWN_COLUMN = r"(?!gsd_m|cloud_pct)[a-z]+(?:_[a-z0-9]+)+"
TERMS: tuple[tuple[str, str], ...] = (
    ("box_figure", r"\bbox[ -]?plots?\b|\bwhiskers?\b|\bbox and whiskers?\b"),
    ("export_xlsx", r"\bxlsx\b|\bexcel\b|\bspreadsheet\b(?!.*(?:comma|csv))"),
    (
        "add_column",
        r"\b(?:new|add(?:itional|ed)?|extra|calculated|derived) (?:a )?(?:new )?(?:column|field)\b"
        r"|\b(?:give|append|add)\b.*\b(?:a|an)\b(?: \w+)? column\b",
    ),
    ("dbscan", r"\bdbscan\b|\bdensity[ -](?:based )?cluster\w*"),
    ("kmeans", r"\bk[ -]?means\b"),
    ("hotspots", r"\bgetis\b|\bgi ?\*|\b(?:statistically )?significant\w* (?:hot|cold)[ -]?spots?\b"),
    ("spatial_autocorrelation", r"\bmoran\b|\bspatial(?:ly)? auto-?correlat\w+"),
    (
        "nearest_neighbour_stats",
        r"\bclark[ -]?evans\b|\b(?:random|regular|even\w*|dispersed|clustered|clumped)\b[^.;]*\b(?:or|,)\s*(?:\w+ ){0,2}"
        r"(?:random|regular|dispersed|clustered|clumped|bunche[sd])\b|\b(?:distance|far)\b.*\bnext (?:nearest|closest)\b",
    ),
    ("pca", r"\bpca\b|\bprincipal components?\b|\bmost (?:of the )?variance\b"),
    ("trend", r"\bkendall test\b|\bmann[ -]?kendall\b|\bsen'?s slope\b|\btrends?\b(?! layer)"),
    (
        "trend",
        r"\b(?:going|go|goes|gone) up\b.*\b(?:over|down|year|month)|\bmore\b.*\bfrom year to year\b",
    ),
    ("seasonality", r"\bseasonal\w*\b.*\b(?:cycle|decompos\w+|pattern|strength|component)\b|\bseasonality\b"),
    ("outliers", r"\boutliers?\b|\bsigmas?\b|\banomal(?:y|ies|ous)\b|\blooks? (?:broken|wrong|odd|off)\b"),
    (
        "regression",
        r"\bregress\w*\b|\bleast squares\b|\blinear (?:function|model|fit)\b|\bstraight[ -]line fit\b",
    ),
    ("correlation", r"\bcorrelat\w+|\bpearson\b|\bspearman\b|\bhangs? together\b"),
    ("correlation", r"\b(?:cloud|gsd|resolution)\w*\b.*\banything to do with\b"),
    (
        "crosstab",
        r"\bcross[ -]?tab\w*|\bcontingency\b|\bchi[ -]?squared?\b|\bcross (?:it|that|this|them) with\b",
    ),
    (
        "crosstab",
        r"\banything to do with each other\b|\bshare of (?:every|each)\b.*\b(?:sits?|falls?|is|are) in\b",
    ),
    ("pivot", r"\bpivot\b|\bwide table\b|\b(?:across|down),? \w+ (?:down|across)\b|\blaid out as a grid\b"),
    (
        "resample_time",
        r"\bresampl\w+ to (?:dai|week|month|quarter|year)|\bunbroken series\b|\b(?:dai|week|month|quarter|year)ly (?:mean|average|total|sum|median|max|min)\w*",
    ),
    (
        "resample_time",
        rf"\b(?:mean|average|highest|lowest|max\w*|min\w*|total|median)\b.*\b{_OWN_COLUMN}\b.*\b{_EACH}\b",
    ),
    (
        "join_tables",
        r"\b(?:both|two)\b.*\b(?:in|into|as) (?:(?:a|one) )?(?:single|one|common|joint) table\b|\b(?:stick|glue|join|put) (?:the|those|these|both)\b.*\b(?:results|tables)\b.*\btogether\b",
    ),
    ("map_figure", r"\bstatic map\b|\bmap (?:figure|chart)\b|\bfigure of the (?:world|globe|map)\b"),
)
"""(tool, pattern): who says the term wants the tool; the first that fits counts."""
_TERMS = tuple((tool, re.compile(pattern, re.I)) for tool, pattern in TERMS)
_BROUGHT = re.compile(r"^\W*(?:please )?(?:open|load|read|add|bring|import|attach|ingest)\b", re.I)


def told(text: str) -> str | None:
    """The tool of the first term of the field that a text says."""
    found = next((tool for tool, pattern in _TERMS if pattern.search(text)), None)
    return None if found == "export_xlsx" and _BROUGHT.search(text) else found


def with_its_term(texts: list[str]) -> list[str]:
    """Steps, with one that only says a term ("... ? moran please") joined to the question before it."""
    found: list[str] = []
    for text in texts:
        bare = told(text) is not None and not _OF_ITS_OWN.search(text)
        if found and bare and told(found[-1]) is None and not _A_STEP.match(found[-1]):
            found[-1] = f"{found[-1]}, {text}"
        else:
            found.append(text)
    return found


_OF_ITS_OWN = re.compile(
    r"[a-z]_[a-z]|\b(?:it|its|this|that|these|those|them|result|table|rows)\b|\.\w{3,4}\b", re.I
)
_A_STEP = re.compile(
    r"^\W*(?:please )?(?:add|colou?r|count|draw|filter|find|hide|keep|list|load|make|map|only|open|plot|put|read|remove|select|show|zoom)\b",
    re.I,
)
