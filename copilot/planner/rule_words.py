"""Words that several rules share, as parts of patterns."""

from __future__ import annotations

FIGURE = r"(?:chart|graph|plot|diagram|figure)"
PUT = r"(?:show|plot|display|draw|make|create|give|render|put|add|use|turn|switch|change|see|want|view|map)"
LAYER = (
    r"(?:layers?|clusters?|heat ?map|points?|footprints?|detections?|choropleth|density|"
    r"hexagons|hexbins?|labels?|timeline|drawings?|boxes|markers?)"
)
WEB = r"(?:tab|tabs|web ?page|browser tab|web tab)"
