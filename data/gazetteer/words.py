"""Words around place names: prepositions, qualifiers' short forms, and words that are not places."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

# After one of these a capitalised word is a place even when it is also an ordinary word ("near Nice").
PREPOSITIONS = frozenset(
    "in near around at over of from to between and off across within inside outside along beside by into onto towards toward "
    "above below beyond past through via for around surrounding covering or vs versus".split()
)
# After one of these a misspelling is looked for ("around Marsielle").
PLACE_PREPOSITIONS = frozenset("in near around over from to between off within inside outside along across towards surrounding at".split())

# Ordinary words that are also names of cities, regions or their aliases: never a place in lower case.
ORDINARY = frozenset(
    """
    a about above across action after again age agency air all along also alone am among an and angel any april arc arch are area areas
    around art as ash asset at august autumn avenue away back bad ball band bands bank bar barge bari base basin bath batman bay bays beach
    bear bed bee beer before bell below berg best between big bird black block blue boat boats bog bold bonn bor bow box boy bridge
    bridges bright bring broad brown brush bud bug build building buildings bull burn bus but by cab camp can canal cape car card care
    cars cat cell center central centre chain change channel chart chat check chess china_ church city class clear close cloud clouds club
    coast cold colon color colour column come compare con copper coral corner count country court cover crane create cross crown cut
    damage dame dan data date dates day days deal dean december deep del delta desert detail did dig dike disaster do dock dome
    down draw driver drop dry dune eagle earth east eastern easy eden edit edge elk end england_ enter envoy even event every
    export face fair fall falls far farm fast favor feature february fern ferry few field file filter find fire first fish fishing five
    flag flat flood floods flow folder for ford forest fork form fort forward four fox free friday friend from front full gap garden
    gate general get given glad go goal gold golf good grace grand graph grass gray great green grid ground group guard gulf hall ham hand
    happy harbor harbour hard harm has hat have hay he head heat heights help her hide high hill hills him his hit hold home hope
    horizon horn horse hot hour house how hull hut i ice if image imagery images import in index inland input inside inter into iron is
    island islands isle it item january jar job joint july june jump just keep key kind king know lab label lad lake lakes land large last
    latest laurel lay layer layers leader leads leave left legend less let level liberty light like limit lincoln_ line list live
    load long look lord lots low ma mad made main make male man many map maps march mark market marsh mask mass match may me mean median
    meet men mess metal mi middle mile mill mine mission mobile model moon most mount mountain mountains move mud much my naval near needs
    nest new next nice night no none noon normal north northeast northern northwest not note november now number oak object objects
    ocean october odd of off oil okay old olive on one only open orange order os other our out oval over own pace page pages palm pan panel
    paper park part passage past patch path peak pearl peninsula people per piece pin pitch pixel pixels place plain plains plan plane
    planes plant plot plots po point points pole pond pool port ports post power present price pride print progress prospect public
    pull put quarry quick rail rain ranch range rare rate ray read reading real recent red reef region regions remove replay report
    republic rest result results review rich rig right ring rise river rivers road roads rock roman rome_ roof rose round row royal run
    sale salt same san sand saturday save say scan scene scenes school sea search seas second see select sell send sensor september series
    service set seven shape share she shell ship ships shoot shore short show side sign silver site sites six size small snap so some
    soon sort south southeast southern southwest space split spot spring square stable stack stadium star start state states station
    stay stop storm strait street strip strong studio style summer summit sun sunday super sure surf surprise swan table tab tabs
    take tall tank tanks tar task tell temple ten tens test that the their them then there these they this thousand three thursday tide tile
    time to today tomorrow too tool top total touch tower towers town track trail train trains tree trees trial trinity truck trucks true try
    tuesday turn twin two type unclear under undo union unity up upper us use valley van vehicle vehicles very view vision wait wall wanted
    war warm was water waters way we wednesday week well wells west western wet what wheel when where which white who whole why wide wind
    window winter with wood woods word work world yacht year years yellow yes yesterday you young your zone zoom
    sentinel landsat worldview planet fair1m fmow xview xbd bigearthnet sarfish ikonos quickbird geoeye gaofen pleiades spot rapideye
    airport airports aircraft bridge bunker carrier container cargo crop crops court dam excavator factory helicopter hangar
    locomotive maritime motorboat oiler overpass runway roundabout stadium tanker tennis tug vessel vessels warehouse windmill
    optical multispectral panchromatic radar sar rgb infrared cloudy sunny mean mode median average sum maximum minimum
    answer ask big_ clip crash delete dos draft era ever fans fit focus force gain game hub ideal imperial inspect intel join joy kill
    kit las lead learn lens less los love luck main manual marine martin mason media mesa metro mid military model modern moss mole
    nada nan natural null offer orient outline paradise patterson per pilot pink pioneer plus polar police pop pretty prime prince process
    progress purple queen random react reset rice ridge rural safe sector seal senior sense seven shade sharp sheep sky slide smart smooth snow soft solar
    solid son songs source spa spare speed sports spy stage steel stone store stream string sub sugar surface swim swing talent target
    taxi tea team then thing think tin tip title todo traffic transport trap trim tube turquoise twelve urban usual vale var vector venus
    version victor village volume vote walk want ward watch wave weather wedge weed weld wild wine wing wish won worth wow wrong young zero
    democrat republican mine mines police army navy base bases camp castle chapel colony cross crossing dale de derby down early easter eight fence
    fig flora forge gem gent glen grain grove hague_ haven heather heath holly horde hunt imp indian ivory jade jay jet junction jungle kent
    lash laws lime loop major maple marathon marl mars mercury mint mission moor moose motor needle nine oasis orchard paragon pasture pear pine
    ping polo poplar potters prairie rainbow ram raven redwood river sage sang scar score seaside sequoia shed sierra silent slough snake
    sneak steep stow strand straw sunrise sunset sweet tempe thorn tiger trade triumph tulip venture violet vista volcano wand warden waterfall wave
    whale wharf wheat willow wolf workshop yard zig anything everything something nothing imaged mentioned golfing
    """.split()
)

US_STATES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN "
    "TX UT VT VA WA WV WI WY"
).split()
# Two-letter codes that are also words: they qualify only in capitals, or after a comma.
WORD_CODES = frozenset("in or me ok hi oh la de ma pa id co al as at be by do go he if is it my no of on so to up us we am an mi mo".split())
PROVINCES = {
    "AB": "Alberta", "BC": "British Columbia", "MB": "Manitoba", "NB": "New Brunswick", "NL": "Newfoundland and Labrador",
    "NS": "Nova Scotia", "NT": "Northwest Territories", "NU": "Nunavut", "ON": "Ontario", "PE": "Prince Edward Island",
    "QC": "Québec", "SK": "Saskatchewan", "YT": "Yukon",
}  # fmt: skip


@cache
def known_words() -> frozenset[str]:
    """Frequent English words (22,000), never taken for a misspelled place."""
    packed = (Path(__file__).parent / "known_words.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n"))


def is_known(word: str) -> bool:
    """Whether a lower-case word, or what it is an ending of, is frequent English."""
    words = known_words()
    if word in words or word in ORDINARY:
        return True
    stems = (word.removesuffix(end) for end in ("s", "es", "ed", "ing", "ly", "er") if word.endswith(end))
    return any(len(stem) > 2 and (stem in words or stem + "e" in words) for stem in stems)
