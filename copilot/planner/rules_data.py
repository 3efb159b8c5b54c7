"""Rules for figures, numbers, tables, images and plots of the selection; they come after those in `rules`."""

from __future__ import annotations

import re

from copilot.planner.rule_words import FIGURE, PUT

DATA_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (label, re.compile(pattern))
    for label, pattern in (
        ("db_query", r"^(?:and )?(?:an? |the )?table$"),
        # figures
        ("histogram_figure", r"\bhow (?:are|is) .*\bdistributed\b"),
        ("histogram_figure", r"\bhistograms?\b"),
        ("pie_figure", r"\b(?:pie|donut|doughnut)\b"),
        (
            "scatter_figure",
            r"\bscatter\b.*\b(?:chart|graph|figure|diagram|against|versus|vs)\b|\b(?:plot|chart|"
            r"graph|show)\b.*\bvariable\b.*\b(?:against|versus|vs)\b.*\bvariable\b",
        ),
        (
            "line_figure",
            rf"\b(?:line|trend|curve|time[- ]?series)\b.*{FIGURE}?\b(?:.*\b(?:over|per|by|of)\b)?|"
            r"\bover (?:time|the years)\b(?=.*)|\bhow (?:has|have|did|does)\b.*\b(?:change|evolve|"
            r"develop|grow)",
        ),
        (
            "bar_figure",
            rf"\b(?:bar|bars|column)\b.*\b{FIGURE}?|\b(?:bar ?chart|bar ?graph)s?\b|"
            rf"\b{FIGURE}s?\b.*\b(?:per|by|of|for each|each)\b.*\bvariable\b|^(?:chart|graph)\b|"
            r"\b(?:as|in|make|draw|give me|show) (?:a |me a |it as a )?(?:chart|graph|figure)\b",
        ),
        (
            "show_figure",
            r"\b(?:show|open|display|see|bring)\b.*\b(?:the|that|last|previous) (?:figure|chart|"
            r"graph)\b|\b(?:figure|chart|graph) again\b|\bback to the (?:figure|chart|graph)\b",
        ),
        (
            "show_table",
            r"\b(?:show|open|display|bring)\b.*\b(?:the|that|last|previous|"
            r"results?) (?:results? )?table\b|\btable again\b|\bback to the table\b",
        ),
        # numbers
        (
            "top_n",
            r"\b(?:which|what|whose) (?:variable|class|countr(?:y|ies))\b.*\b(?:most|fewest|least|"
            r"highest|lowest|largest|biggest|smallest|more)\b",
        ),
        ("db_count", r"\btotal (?:number|count|of)\b(?!.*\b(?:per|by) variable)|\bin total\b(?!.*variable$)"),
        (
            "compare_counts",
            r"\bcompare\b|\b(?:more|fewer|less)\b.*\b(?:place|date|class|dataset)\b.*\b(?:or|"
            r"than)\b.*\b(?:place|date|class|dataset)\b|\bwhich has more\b|\bcompared (?:to|"
            r"with)\b|\b(?:place|date|class|dataset) (?:versus|vs\.?|against) (?:place|date|class|"
            r"dataset)\b|\bdifference between\b",
        ),
        (
            "describe_table",
            r"\b(?:describe|summari[sz]e|summary|statistics|stats|overview|profile|key figures|"
            r"quick numbers)\b(?!.*\b(?:session|conversation|this image)\b)",
        ),
        (
            "aggregate",
            r"\b(?:mean|average|avg|median|minimum|min|maximum|max|standard deviation|std|"
            r"typical)\b.*\bvariable\b|\b(?:variable|condition)\b.*\bon average\b|"
            r"\bhow condition\b",
        ),
        (
            "group_count",
            r"\b(?:labels?|variable) (?:frequenc(?:y|ies)|balance|imbalance|distribution|counts?|statistics)\b|\bfrequenc(?:y|ies) of (?:the |each |every )?(?:labels?|variable)\b"
            r"|\b(?:which|what) (?:other )?(?:labels?|variable)\b.*\b(?:co-?occurs?|co-?occurring|together|alongside|go(?:es)? with|come[s]? with)\b"
            r"|\bvariable (?:with|having|that have|that has|have|has|of) (?:only )?number (?:rows|examples|images|samples|instances|objects|detections|boxes|scenes|patches)\b",
        ),
        (
            "group_count",
            r"\b(?:percentage|percent|share|proportion|fraction) of\b|\bhow many\b.*\b(?:per|by|"
            r"for each|in each|of each|each|from each|every)\b|\b(?:counts?|numbers?|images?|"
            r"break ?(?:it |them |this |that )?down|breakdown|distribution|tally|split|"
            r"group(?:ed)?|totals?|share|objects|detections|amounts?)\b.*\b(?:per|by|for each|"
            r"for every|in each|of each|across|among|each|over the) (?:the |each )?(?:variable|"
            r"different|country|class|year|month|sensor)|\b(?:per|by|for each) variable$|"
            r"\bbreak ?down\b|\bbroken down\b|\bdistribution of variable\b|\bcount(?:s)? (?:per|"
            r"by)\b",
        ),
        (
            "aggregate",
            r"\b(?:mean|average|avg|median|total|sum|minimum|min|maximum|max|standard deviation|"
            r"std|typical)\b.*\bvariable\b|\bvariable\b.*\bon average\b|\bon average\b|"
            r"\b(?:lowest|highest|smallest|largest|best|worst|finest) variable\b(?!.*\bimages?\b)",
        ),
        (
            "distinct_values",
            r"\b(?:which|what|list|show|name|tell|give|all|different|distinct|unique|"
            r"every)\b.*\b(?:kinds?|sorts?|types?|distinct|different|"
            r"unique)?\b.*\bvariable\b.*\b(?:are there|occur|are in|do i have|do we have|appear|"
            r"is in|represented|are present|exist|took|taken|cover|are covered|contain|in (?:it|"
            r"the (?:selection|results|data))|used|involved|available|can i|are they|have)\b|"
            r"\b(?:distinct|unique|different) (?:values? (?:of|for) )?(?:the )?variable\b|"
            r"^(?:which|what) variables?\b|\bwhat variable\b|\blist (?:all |the )?(?:distinct |"
            r"different |unique )?variable$",
        ),
        (
            "sort_table",
            r"\b(?:sort|rank|arrange)(?:ed)?\b|\border(?:ed)? (?:it |them |these |those |"
            r"the \w+ )*(?:by|from)\b|\border (?:the )?dataset\b|\b(?:newest|oldest|latest|"
            r"earliest|largest|smallest|clearest|cloudiest|most recent|sharpest|variable) first\b|"
            r"\bfirst (?:by|in) (?:variable|date)\b|\b(?:ascending|descending|reverse order|"
            r"alphabetical)\b",
        ),
        # images
        (
            "top_n",
            r"\b(?:top|first|best|worst|biggest|largest|smallest|highest|lowest|most|fewest|"
            r"leading|busiest)\b.*\b(?:number|variable|class|images?|countr)\b.*\b(?:by|with|per|"
            r"for|have|has|most|fewest|of|in)\b|\b(?:which|what) (?:variable|class|image|place|"
            r"countries|years?)\b.*\b(?:most|fewest|least|highest|lowest|largest|biggest|"
            r"smallest)\b|\b(?:top|bottom) number\b|\bmost (?:common|frequent|popular|numerous)\b|"
            r"\bleast common\b|\brarest\b|\bwhere are most\b",
        ),
        (
            "db_count",
            r"\bhow many\b|\bhow much\b|^(?:count|tally)\b|\bthe (?:number|count|total) of\b|"
            r"\bnumber of (?:images|class|rows|results|detections|objects|hits|matches)\b|"
            r"\b(?:are|is) there (?:any|an|a|some|anything|something)\b|\b(?:do|have) (?:we|you|i|"
            r"they) (?:have|got|hold)?\s?(?:any|anything|some)\b|\bany class\b.*\?*$|^(?:any|"
            r"anything)\b",
        ),
        (
            "db_query",
            r"\b(?:list|table of|rows|records|enumerate|tabulate)\b(?!.*\b(?:layer|dataset\?)\b)|"
            r"\b(?:as|in) a table\b|\bmetadata table\b|\bshow (?:me )?(?:the )?(?:first |"
            r"top )?(?:number )?(?:rows|records|results|entries)\b",
        ),
        (
            "show_image",
            r"\b(?:show|view|see|display|look at|open|bring up|let me see|pull up)\b.*\b(?:this|"
            r"that|the|an?|its) (?:[\w-]+ ){0,4}(?:image|scene|picture|quick ?look|pixels|chip|"
            r"photo)\b(?!s)(?! (?:panel|table|footprint|as|by|per|outline))|\b(?:show|view|see|"
            r"display|open)\b.*\b(?:newest|oldest|latest|earliest|most recent|clearest|cloudiest|"
            r"sharpest|first|last|best|second|third)(?: one| image| scene)?$|\b(?:show|view|"
            r"display) (?:me )?image\b|\bwhat does (?:it|this|that) look like\b|\b(?:show|see|"
            r"open|view)\b.*\b(?:first|second|third|number)\b(?: one)?(?: up close| in detail|"
            r" closer| full size)$|\bimage in the image panel\b",
        ),
        # plots by kind
        ("heatmap_plot", r"\bheat[- ]?map\b|\bhot ?spots?\b"),
        ("density_plot", r"\bdensity\b|\bhex(?:agon|bin)?s?\b|\bh3\b|\bgrid cells\b|\bsquare cells\b"),
        (
            "choropleth_plot",
            r"\b(?:ch?l?oropleth|cloropleth)\b|\b(?:colou?r|shade)(?:ed|d)?\b.*\bby (?:country|"
            r"variable)\b|\b(?:countries|variable) (?:colou?red|shaded)\b",
        ),
        ("time_slider_plot", r"\btime ?(?:slider|line|lapse)\b|\btime-lapse\b|\banimat\w+\b|\bslider\b"),
        ("footprint_plot", r"\b(?:footprints?|outlines?|extents?)\b"),
        (
            "detection_plot",
            rf"\b{PUT}\b.*\b(?:detections?|(?:bounding|object|detection) boxes|boxes)\b|"
            r"\bdetections? (?:on|boxes|as boxes)\b",
        ),
        (
            "label_plot",
            r"\b(?:label|annotate)\b.*\b(?:images?|them|points|each|with|by)\b|\blabels\b|"
            r"\bnext to (?:it|them|each)\b",
        ),
        ("cluster_plot", r"\bclusters?\b|\bclustered\b"),
        (
            "scatter_plot",
            r"\b(?:scatter|dots|(?:individual|single|separate) points|(?:as|with) points|points)\b",
        ),
        (
            "smalltalk",
            r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?|thank you|thx|cheers|"
            r"bye|goodbye|ok(?:ay)?|cool|nice|great|perfect|awesome)(?: (?:there|azimuth|a lot|"
            r"so much|very much|again|you|everyone|all))*$|\bwho are you\b|\bwhat(?:'s|"
            r" is) your name\b|\bhow are you\b",
        ),
        (
            "help",
            r"^help(?: me)?$|\bwhat (?:can|could|do) (?:you|i|we) (?:do|ask|say)\b|\bhow (?:do|"
            r"does|can) (?:i|this|it|you) (?:work|use|start|begin)\b|\bwhat are you able\b|"
            r"\bshow me (?:some )?examples\b|\bwhat tools\b",
        ),
        # the selection
        ("plot", r"\bon (?:the|a|my) map\b"),
        (
            "filter",
            r"^(?:widen|narrow|extend|expand|shrink|grow|increase|reduce|double|halve|shift|swap|"
            r"replace|exchange|make (?:it|that|them) (?:half|twice|under|over|below|above|less|"
            r"more|at))\b",
        ),
        (
            "db_query",
            r"^(?:which|what) (?:dataset )?(?:class )?(?:images|scenes|pictures|photos|patches|"
            r"tiles|shots)\b",
        ),
        (
            "filter",
            r"^(?:only|just|keep|restrict|limit|narrow|exclude|filter|without|instead|make (?:it|"
            r"that)|change (?:it|that|the)|what about|how about|and (?:in|for|from|with|near|"
            r"what)|but|same (?:for|in|with|thing)|now|also|or|in|from|for|near|around|within|"
            r"since|after|before|between|during|until|with|nothing|no|not|except|plus|set the|use|"
            r"switch to|try|rather|i meant|i mean|sorry|actually|ditto|likewise)\b.*\b(?:place|"
            r"date|class|dataset|condition|box|point|40 km|here|drawing|view|there)\b|\b(?:only|"
            r"restrict|narrow|limit) (?:\w+ )?(?:to|by|down)?\b.*\b(?:place|date|class|dataset|"
            r"condition|box|here|drawing|view)\b|\binstead\b|^(?:place|date|class|condition|"
            r"dataset)(?: (?:only|instead|please|then|too|as well))?$|\bonly$|^filter\b",
        ),
        (
            "plot",
            rf"\b{PUT}|find|search|look for|locate|where (?:are|is)|visuali[sz]e|get|highlight|"
            r"overlay|i(?:'m| am) (?:looking|searching) for|need\b",
        ),
    )
)
