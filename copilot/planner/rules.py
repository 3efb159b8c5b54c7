"""Clauses whose wording alone tells what is wanted. The first rule that fits wins.

Rules read the masked clause (see `Clause.masked`): names are already replaced by standing words, so
"zoom to Paris" and "zoom to the Gulf of Aden" are the same sentence here.
"""

from __future__ import annotations

import re

from copilot.planner.rule_words import LAYER, WEB
from copilot.planner.rules_data import DATA_RULES

_FIRST: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (label, re.compile(pattern))
    for label, pattern in (
        # history
        ("redo", r"\bundo (?:the|that|my) undo\b"),
        (
            "undo",
            r"\bundo\b(?!.*\bundo\b)|\bbring (?:it|that|them) (?:all )?back\b|^(?:no,? )?(?:undo|"
            r"revert|un-?do|take (?:that|it|this|everything|it all|all of it|all of that) back|scratch that|roll ?back|oops\b.*\b(?:undo|"
            r"back)|step back|one step back)\b",
        ),
        (
            "undo",
            r"^(?:go|step|get|take me) (?:one )?(?:step )?back(?: (?:one|a|number) (?:step|"
            r"turn)s?)?$|^go back (?:to )?(?:the )?(?:previous|before|how it was|what (?:i|"
            r"we) had)|^(?:cancel|reverse) (?:that|the last|my last|it)\b|^never ?mind(?: that|"
            r" it)?$",
        ),
        (
            "redo",
            r"^(?:go |step |and |one |once |back )*forwards?(?: again| one step| one)?$|^(?:redo|re-do|reapply|restore)\b(?!.*\b(?:view|map|zoom)\b)|^(?:do|put) (?:that|"
            r"it) (?:again|back)(?: after all)?$",
        ),
        (
            "goto_turn",
            r"\b(?:turn|step|request) (?:number|#? ?\d+|one|two|three|four|five|six|seven|eight|"
            r"nine|ten)\b(?!.*\b(?:chart|table)\b)|\b(?:go|jump|return|"
            r"rewind) (?:back )?to (?:the )?(?:(?:first|second|third|fourth|fifth|sixth|number|"
            r"\d+(?:st|nd|rd|th)) )?(?:turn|request|step|message|beginning|start of)|\b(?:after|"
            r"at) (?:my |the )?(?:first|second|third|fourth|fifth|number) (?:message|request|turn|"
            r"step|question)",
        ),
        (
            "start_over",
            r"^reset$|^(?:start (?:over|again|afresh|fresh|from scratch)|reset (?:everything|all|"
            r"the session|the whole)|clear everything|wipe everything|forget everything|"
            r"begin again|clean slate|new start|fresh start|from scratch)",
        ),
        (
            "save_session",
            r"\b(?:save|name|rename|call|store|keep|remember|bookmark)\b.{0,20}\b(?:session|"
            r"conversation|chat|work|workspace|project)\b",
        ),
        (
            "record_feedback",
            r"\b(?:thumbs? (?:up|down)|good (?:answer|job|work|one)|well done|great (?:answer|job|"
            r"work)|bad answer|wrong answer|that(?:'s| is| was) (?:wrong|right|correct|incorrect|"
            r"perfect|exactly|not (?:right|what|correct))|perfect answer|nice work|(?:rate|"
            r"mark) (?:that|this|the (?:last|answer))|feedback|useless answer)\b",
        ),
        (
            "keep",
            r"^(?:but |and )?(?:keep|leave|don'?t (?:change|touch|remove|move))\b.*\b(?:filters?|"
            r"the rest|everything else|as (?:it|they) (?:is|are)|layers?|zoom|view|"
            r"selection)\b(?!.*\b(?:place|date|class|only|to)\b)",
        ),
        # exports
        ("export_notebook", r"\b(?:notebook|jupyter|ipynb)\b"),
        (
            "export_script",
            r"\b(?:python|script|code)\b.*\b(?:session|what (?:we|i) did|steps|reproduce|of this|"
            r"export)|\b(?:export|save|download|give|get|write|copy|turn|as|into)\b.*\b(?:python|"
            r"script|code)\b|\bcopy as python\b",
        ),
        (
            "export_map",
            r"\b(?:export|save|download|print|snapshot|screenshot|capture)\b.*\bmap\b|"
            r"\bmap\b.*\b(?:as|to|into) (?:an? )?(?:html|png|picture|image|web ?page)\b|"
            r"\bscreenshot\b|\b(?:png|html)\b.*\bmap\b",
        ),
        (
            "export",
            r"\b(?:export|download)\b|\b(?:save|write|dump|store|get|give me|need|want|"
            r"send)\b.*\b(?:csv|geojson|geo json|geo-json|geoparquet|parquet|excel|spreadsheet|"
            r"to (?:a )?(?:file|disk))\b|\b(?:as|to|in|into) (?:an? )?(?:csv|geojson|geoparquet|"
            r"parquet)\b|^(?:an? )?(?:spreadsheet|csv|geojson|geoparquet|parquet|excel)\b",
        ),
        # questions to the user's own machine that nothing here does
        (
            "reject",
            r"\b(?:book|buy|purchase|reserve|hire) (?:me )?(?:an? |the |some |new |tickets?)|"
            r"\border (?:me )?(?:an? |some |new |fresh |more |\w+$)|\b(?:e-?mail|text|sms|"
            r"whatsapp|slack|tweet|phone) (?:it|this|that|them|him|her|me|my|the (?:result|map|"
            r"team|boss|table)|everyone|a )|\bcall (?:him|her|me|my|the (?:team|boss|police|"
            r"office|coast guard)|everyone)\b|\bsend (?:an? |the )?(?:e-?mail|text|sms|message)|"
            r"\b(?:weather|forecast|stock|share price|bitcoin|recipe|joke|poem|song|translate)\b|"
            r"\b(?:train|fine-?tune|retrain) (?:an? |the |my )?(?:\w+ ){0,3}(?:model|network|"
            r"detector|classifier|yolo)|\btask (?:the|a) satellite|\bformat (?:my|the) (?:disk|"
            r"drive)|\bdelete (?:my|all|the|your) (?:\w+ )?(?:files|hard|disk|computer|"
            r"catalog(?:ue)?|database)|\bdrop (?:the )?(?:table|database)\b|\bhack\b|\bpassword",
        ),
        (
            "reject",
            r"\b(?:predict|forecast)\b|\b(?:launch|steer|repoint) (?:a |the )?(?:satellite|drone)|"
            r"\blive (?:feed|video|stream|traffic)|\bright now from space|\breal[- ]?time\b",
        ),
        (
            "reject",
            r"^(?:is|are|was|will)\b.*\b(?:going to|about to|likely to|safe to|dangerous to)\b|\bhow (?:much|many|long|big|"
            r"high|hot|fast)\b.*\bwill\b|^(?:when|where|who|why|what|will)\b(?:.*\bwill)?(?<!what) (?!you\b|it look\b)(?:be|the|this|"
            r"that|these|it|they|we|there) .*\b(?:burst|collapse|erupt|flood|rain|happen|win|rise|fall|fail|cost|sink|strike|"
            r"hit|end|arrive|depart|leave)\b|^(?:send|dispatch|deploy|scramble|airlift|divert|redirect|mobili[sz]e|evacuate|"
            r"rescue|intercept|arrest|bomb|attack|board|sink|repair|rebuild|refuel) (?:(?:the|some|more|all|our|my|two|three|"
            r"a|an|number) )*(?:class|place|people|help|aid|troops|food|water|everyone|residents)\b",
        ),
        # data sets
        ("db_sql", r"^(?:run |execute )?(?:(?:this|the following) )?(?:sql\b|select\s.+\sfrom\s)|\bsql\b"),
        ("db_ingest", r"\b(?:ingest|import|bring in|read in|load|add|open|upload)\b.*\bpath\b|\bingest\b"),
        (
            "db_schema",
            r"\bshow (?:me )?(?:the )?columns? of dataset\b|"
            r"\bschema\b|\b(?:what|which|list|show|describe|print|name|give)\b.*\b(?:columns|"
            r"fields|attributes|properties)\b(?!.*\bhover)|\b(?:columns|fields) (?:of|in|does|do|"
            r"are|for)\b|\bstructure of\b|\bvalue ranges?\b",
        ),
        (
            "db_list",
            r"\b(?:how many|there are (?:only )?(?:number|\w+)) data ?sets\b|\b(?:what|which|list|show|tell|name)\b.*\b(?:data ?sets?|collections|catalog(?:ue)?|"
            r"data|imagery)\b.*\b(?:there|have|available|exist|in the catalog(?:ue)?|offer|"
            r"can i (?:use|load)|do you (?:have|know)|got)\b|^(?:list|"
            r"show)(?: me)? (?:all )?(?:the )?(?:available )?(?:data ?sets|collections|"
            r"catalog(?:ue)?)$|\bwhat(?:'s| is) in the (?:catalog(?:ue)?|database)\b|"
            r"\bwhat data (?:do|have|is|are)\b|\bdata ?sets? (?:do you have|are there|"
            r"are available)\b",
        ),
        (
            "db_unload",
            r"^(?:unload|un-load|deload)\b|^(?:drop|remove|discard|get rid of|take out|kick out|"
            r"close|throw out|exclude|leave out)(?: the| out)? (?:dataset)(?:(?:,| and|"
            r" or)+ (?:the )?dataset)*(?: (?:data ?sets?|data|images|imagery|again|set|please|"
            r"from the (?:session|selection|map)))*$|\bwithout (?:the )?dataset$",
        ),
        (
            "db_load",
            r"^(?:load|preload|open|use|switch to|work with|bring up|get)(?: up| in)?(?: both|"
            r" all| the| me)* dataset(?:(?:,| and| plus| &)+ (?:the )?dataset)*(?: (?:data ?sets?|"
            r"data|images|imagery|too|as well|also|set|please|catalog(?:ue)?|collection))*$|"
            r"^add (?:the )?dataset(?:(?:,| and)+ (?:the )?dataset)*(?: (?:data ?set|images|data|"
            r"too|as well|also|set|to the (?:selection|session|mix|map)))*$|^(?:also )?(?:load|"
            r"preload)\b",
        ),
        # drawing
        (
            "draw_circle",
            r"\b(?:draw|sketch|add|make|put|trace|mark|outline)\b.*\b(?:circle|ring|radius|"
            r"buffer)\b|^circle\b",
        ),
        (
            "draw_bbox",
            r"\b(?:draw|sketch|add|make|put|trace|outline|mark)\b.*\b(?:box|rectangle|bbox|square|"
            r"bounding box|aoi)\b(?!.*\bclass\b)",
        ),
        (
            "draw_polygon",
            r"\b(?:draw|sketch|add|make|trace|outline|mark)\b.*\b(?:polygon|triangle|"
            r"quadrilateral|shape|area|outline|boundary|border)\b(?!.*\b(?:class|dataset)\b)|"
            r"^outline\b",
        ),
        (
            "draw_marker",
            r"\b(?:draw|drop|put|place|add|set|stick|leave)\b.*\b(?:marker|pin|flag|pushpin|"
            r"placemark|needle)\b|^(?:mark|pin)\b",
        ),
        # clearing
        (
            "clear_drawings",
            r"\b(?:clear|remove|delete|erase|wipe|get rid of|drop)\b.*\b(?:drawings?|drawn|"
            r"sketch(?:es)?|shapes?|everything i drew|what i drew|annotations|pins|markers)\b",
        ),
        (
            "clear_layers",
            r"\b(?:clear|remove|delete|wipe|drop|get rid of|clean)\b.*\b(?:all|every|"
            r"the)\b.*\blayers\b|^(?:clear|clean|empty|wipe)(?: up| off)?(?: the)? map$|^(?:take|"
            r"get) everything off the map|\b(?:clear|remove|delete|wipe|drop|erase) (?:every|each|any) (?:single )?layer\b|"
            r"\bremove everything from the map\b|^empty the map|"
            r"^clear (?:the )?layers$",
        ),
        (
            "filter_clear",
            r"\b(?:clear|remove|drop|delete|reset|lift|cancel|forget|ditch|lose|without|discard|"
            r"get rid of|take off|undo|ignore)\b.{0,30}\b(?:filters?|constraints?|restrictions?|"
            r"limits?|criteria|conditions?)\b|\b(?:remove|drop|clear|forget|lift|ignore|reset|"
            r"ditch|lose)\b.{0,12}\b(?:the )?(?:dates?|time|place|area|location|region|"
            r"class(?:es)?|cloud cover|cloud|sensor|spatial|temporal|year|bbox|resolution|"
            r"attributes?)(?: part| range| limit| bit| window| again)?$|\b(?:any|all|"
            r"every) (?:dates?|years?|times?|places?|where|classes|sensors?)(?: again| now)?$|"
            r"\ball years\b|\beverywhere(?: again)?$|\bworldwide again\b|^unfilter|"
            r"\bnot just date\b",
        ),
        (
            "open_page",
            r"^(?:go )?(?:back )?(?:to )?(?:the )?(?:home|map page)$|^(?:go |"
            r"take me )?back to the map$|^go home$|\b(?:data|tools?|help|home|settings|start|main|"
            r"catalog(?:ue)?|\w+) page\b|\btool reference\b",
        ),
        # the camera
        (
            "reset_map",
            r"\breset (?:the )?(?:map|view|camera|zoom)\b|\b(?:whole|entire|full) (?:world|globe|"
            r"earth|planet)\b|\bworld view\b|\bzoom (?:all the way )?out (?:fully|completely|"
            r"all the way|to the (?:world|globe|whole))|\bshow (?:me )?the (?:world|globe)$|"
            r"\bdefault view\b|\b(?:home|initial|original|start(?:ing)?) (?:view|extent)\b",
        ),
        (
            "fit_selection",
            r"\b(?:zoom|fit|fly|go|centre|center|frame|focus)\b.*\b(?:results?|selection|"
            r"selected (?:images|rows)|all (?:of )?(?:the )?(?:images|results|data|them|hits|"
            r"matches)|everything|them all|the data|the hits|the matches|what (?:i|we) (?:have|"
            r"found))\b|\bfit (?:the )?(?:map|view|data|bounds)\b(?!.*\b(?:layer|box|place|"
            r"bbox)\b)",
        ),
        (
            "fit_layer",
            r"\b(?:zoom|fit|fly|go|centre|center|frame|focus)\b.*\b(?:to|on|in on|onto|around|fit|"
            r"that|this)\b.*\b(?:layer|the (?:clusters|heat ?map|footprints|points|detections|"
            r"drawing|box|circle|polygon))\b",
        ),
        (
            "zoom_map",
            r"^(?:zoom|fly|go|take me|jump|head|bring me|navigate|travel|centre|center|move|focus|"
            r"get me|let me see|recenter|recentre)\b.*\b(?:to|on|over|in on|into|at|onto|in|out|"
            r"around|up|closer|back)\b.*\b(?:place|point|level|number|closer|in|out|box)\b|"
            r"^zoom\b|\b(?:closer|further (?:in|out)|farther (?:in|out))\b|^(?:place)$|"
            r"\bzoom level\b|^(?:magnify|enlarge)|^back out\b|\bout (?:number )?levels?\b",
        ),
        (
            "pan_map",
            r"^(?:pan|scroll|shift|slide|nudge|drag)\b|^(?:move|go)\b.*\b(?:north|south|east|west|"
            r"left|right|up|down)\b",
        ),
        (
            "set_basemap",
            r"\bbase ?maps?\b|\bbackground(?: map)?\b|\b(?:switch|change|use|show|set|turn|give|"
            r"put|go)\b.*\b(?:satellite|aerial|osm|openstreetmap|open street map|street map|"
            r"topographic|topo|terrain|dark (?:map|mode|theme)|light map)\b(?!.*\b(?:images?|"
            r"class)\b)|^(?:satellite|osm|dark|topo|light|offline)(?: (?:view|map|imagery))?$|"
            r"\b(?:offline|land|offline land) map\b",
        ),
        # layers
        (
            "list_layers",
            r"\b(?:which|what|list|show|how many)\b.*\blayers\b.*(?:\b(?:there|have|map|on|"
            r"visible|active|do i)\b|$)|^layers$",
        ),
        ("swipe_layers", r"\bswipe\b|\bcurtain\b|\bslider between\b|\bside[- ]by[- ]side\b(?!.*\bimages?\b)"),
        (
            "rename_layer",
            r"\b(?:rename|re-name|retitle|relabel)\b|^(?:call|name|title) (?:(?:this|that|the|"
            r"my) )*(?:layer|it|them|clusters|heat ?map|points|footprints)\b|^(?:the )?layer name|"
            r"\bgive\b.*\blayer\b.*\bname\b",
        ),
        (
            "reorder_layer",
            r"\b(?:bring|move|send|put|raise|lower|push|pull|place|"
            r"drag)\b.*\b(?:to (?:the )?(?:front|top|back|bottom)|on top|behind|underneath|"
            r"beneath|forward|backwards?|above the|below the|up one|down one)\b|\breorder\b",
        ),
        (
            "style_layer",
            r"^(?:point |dot |marker )?(?:size|width|radius) (?:of )?\d+(?: ?px)?$|^(?:in )?colour$",
        ),
        (
            "style_layer",
            rf"\b(?:colou?r|paint|recolou?r|style|restyle|tint)\b.*\b(?:colour|{LAYER}|it|them|"
            r"number)\b|\b(?:opacity|transparen\w+|opaque|translucent|see-?through|faint\w*)\b|"
            rf"\b(?:make|turn|set|change)\b.*\b(?:{LAYER}|it|them|dots|circles|"
            r"marker)\b.*\b(?:colour|bigger|smaller|larger|thicker|thinner|fainter|brighter|"
            rf"darker)\b|\b(?:bigger|smaller|larger|thicker|thinner) (?:{LAYER}|dots|circles|"
            r"symbols|lines)\b",
        ),
        (
            "show_layer",
            r"\b(?:unhide|un-hide|reveal)\b|\b(?:show|turn|switch|bring|make|display|"
            rf"see)\b.*\b{LAYER}\b.*\b(?:again|back|visible|on)\b|\bturn on (?:the )?(?:{LAYER}|"
            r"layer)\b|\bshow (?:the )?(?:layer|hidden)\b|\b(?:show|"
            rf"display) (?:the )?{LAYER} layer\b",
        ),
        (
            "toggle_control",
            r"\b(?:legend|scale ?bar|scale|graticules?|mini-?\s?map|overview map|inset map|"
            r"coordinate grid|grid ?lines|lat/?\s?lon grid|meridians)\b(?!.*\bplot class\b)",
        ),
        ("toggle_control", r"^(?:and )?(?:back )?(?:on|off)(?: again)?$"),
        (
            "hide_layer",
            r"\b(?:hide|conceal)\b|\b(?:turn|switch|toggle) off\b|\b(?:turn|switch|"
            rf"toggle)\b.*\b(?:{LAYER}|it|them)\b.*\boff\b|\bmake\b.*\binvisible\b",
        ),
        (
            "remove_layer",
            r"\b(?:remove|delete|drop|get rid of|take (?:off|away|out)|discard|erase|kill|throw|"
            rf"trash|bin)\b.*\b(?:layer|{LAYER}|swipe)\b",
        ),
        (
            "add_raster_layer",
            r"\bas an? (?:raster|image overlay)\b|\b(?:add|put|overlay|lay|drape|show|"
            r"place)\b.*\b(?:raster|pixels|imagery|the image|this image|image itself|quick ?look|"
            r"that image|it)\b.*\b(?:on|over|onto) (?:the |to )?map\b|\braster layer\b|"
            r"\b(?:overlay|drape)\b.*\bimage\b",
        ),
        (
            "add_vector_layer",
            r"\b(?:add|put|show|plot|map)\b.*\btable\b.*\b(?:layer|on the map|map)\b|\bvector layer\b",
        ),
        # drawing and reading the map
        (
            "measure_distance",
            r"\bhow (?:far|long|many (?:km|kilomet|miles|nautical))\b|"
            r"\bdistance\b(?!.*\bwithin\b)|\bmeasure\b.*\b(?:between|from|to|line)\b",
        ),
        (
            "measure_area",
            r"\bhow (?:big|large|many (?:hectares|square|acres))\b.*\b(?:area|box|drawing|polygon|"
            r"circle|it|this|that|place|rectangle|layer)\b|\b(?:area|surface|size|hectares|"
            r"acreage)\b.*\b(?:of|in|is)\b.*\b(?:drawing|box|polygon|circle|rectangle|place|this|"
            r"it|what i drew)\b|\bmeasure\b.*\b(?:area|polygon|box|drawing)\b|\bmeasure (?:it|"
            r"this|that)$",
        ),
        (
            "identify_at",
            r"\b(?:what|which|identify|anything|who|tell me)\b.*\b(?:at|is|under|around|here|"
            r"on)\b.*\bpoint\b|\bidentify\b|\bwhat(?:'s| is) (?:right )?here\b",
        ),
        (
            "map_state",
            r"\bwhere am i\b|\bwhat(?:'s| is| am i| are we| does)\b.*\b(?:map (?:show|look)|"
            r"on (?:the|my) (?:map|screen)|looking at|visible|current (?:view|state|zoom))\b|"
            r"\b(?:current|present) (?:view|zoom|map state|camera|extent|state)\b|\bmap state\b",
        ),
        ("swipe_layers", r"\bon the left\b.*\bon the right\b|^swap (?:the )?(?:left and right|sides)"),
        ("toggle_control", r"^(?:coordinate |map )?grid (?:on|off)$"),
        # web tabs
        (
            "open_tab",
            r"^(?:open|visit|browse|go to|tab:?|launch)\b.*\b[a-z0-9-]+\.(?:com|org|net|int|eu|"
            r"gov|edu|io|co\.uk|info)\b",
        ),
        ("close_tab", rf"\b(?:close|shut|kill)\b.*\b{WEB}\b"),
        (
            "switch_tab",
            rf"\b(?:switch|go|change|flip|jump|move)\b.*\b(?:{WEB})\b|\b(?:next|previous|first|"
            rf"second|third|last|other) (?:{WEB})\b|^(?:switch|"
            r"flip) (?:back )?to (?:the )?(?:first|second|third|last|other|previous|"
            r"next)(?: one)?$",
        ),
        ("open_tab", r"\baddress\b(?!.*\bclose\b)"),
        # panels and pages
        (
            "close_panel",
            r"^(?:close|shut) (?:it|that|this)$|\bpanels? off\b(?!.*\bon\b)|\b(?:close|hide|shut|"
            r"collapse|dismiss)\b.*\b(?:panel|pane|results|trace|jobs|figure|image record|table)\b",
        ),
        (
            "open_panel",
            r"\bpanels? (?:on|open|visible)\b|\bpanels?$|\b(?:open|show|bring up|expand|see|go to|"
            r"switch to|view)\b.*\b(?:panel|pane|trace|jobs)\b",
        ),
        ("display_hover", r"\bhover(?:ing)?\b|\btool ?tips?\b|\bmouse ?over\b"),
        (
            "notify",
            r"\b(?:notify|notification|remind|reminder|alert|pop ?up|toast)\b|\btell the user\b|"
            r"\b(?:show|post|display) (?:a |the )?(?:message|note|notice)\b",
        ),
        (
            "compare_images",
            r"\bcompare\b.*\b(?:oldest|newest|latest|earliest|first|last)\b.*\b(?:with|and|"
            r"to)\b.*\b(?:oldest|newest|latest|earliest|first|last)\b",
        ),
        (
            "compare_images",
            r"\b(?:compare|before[ /-]*(?:and)?[ /-]*after|side[- ]by[- ]side)\b.*\bimages?\b|"
            r"\bimages?\b.*\b(?:side[- ]by[- ]side|before and after)\b|\bcompare (?:it|this|"
            r"that)\b|\bcompare image\b",
        ),
        (
            "select_image",
            r"\b(?:select|pick|choose|click|open|highlight|take)\b.*\bimages?\b|\b(?:select|pick|"
            r"open) (?:the )?(?:first|second|third|last|next|number)\b",
        ),
        (
            "show_image",
            r"\b(?:newest|latest|oldest|earliest|most recent|clearest|cloudiest|least cloudy|"
            r"most cloudy|sharpest)\b(?!.*\b(?:first|images|scenes|number)\b)(?!.*\b(?:select|"
            r"pick)\b).*\b(?:image|scene|one|patch|picture|photo|acquisition|pass|tile|chip|"
            r"shot)\b(?!.*\b(?:footprint|table)s?\b)|\bwhat(?:'s| is| was) the (?:newest|latest|"
            r"oldest|earliest|most recent)\b",
        ),
        (
            "image_info",
            r"^(?:what(?:'s| is| are)|tell me (?:more )?about|describe|explain|"
            r"info(?:rmation)? (?:on|about)|details? (?:of|on|about|for)|more (?:on|about)|"
            r"who took|when was|show (?:me )?(?:its|the) (?:record|metadata|"
            r"details))\b.*\b(?:this|that|it|its|image|the selected|the record|selected image|"
            r"clicked)\b(?!.*\b(?:map|layer|area|region|selection)\b)|\bmetadata of\b",
        ),
    )
)


RULES = (*_FIRST, *DATA_RULES)
"""The first that fits wins."""

EXACT = frozenset(
    {
        "db_sql", "db_ingest", "open_tab", "undo", "redo", "goto_turn", "keep", "rename_layer", "reorder_layer", "fit_layer",
        "switch_tab", "close_tab", "export_notebook", "export_map", "display_hover", "notify", "pie_figure", "scatter_figure",
        "histogram_figure", "db_schema", "db_unload", "reset_map", "save_session", "measure_distance", "add_vector_layer",
        "close_panel", "map_state", "start_over", "add_raster_layer", "line_figure", "reject", "compare_counts", "open_page", "swipe_layers",
    }
)  # fmt: skip
"""Labels whose rules are exact enough to go before the trained head."""


def label_by_rule(masked: str) -> str | None:
    """What the wording alone says is wanted, if it does."""
    return next((label for label, pattern in RULES if pattern.search(masked)), None)
