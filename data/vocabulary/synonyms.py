"""Words that people use for a published class. A word that fits no class well is not here:
an "A320" is no A321, and silence is better than a wrong answer."""

from __future__ import annotations

from data.vocabulary.words import key

_TABLE: tuple[tuple[str, str], ...] = (
    # aircraft
    ("Boeing737", "737s; boeing 737s; b737; boeing 737 max"),
    ("Boeing747", "747s; boeing 747s; b747; jumbo jets; jumbos"),
    ("Boeing777", "777s; boeing 777s; b777; triple sevens"),
    ("Boeing787", "787s; boeing 787s; b787; dreamliners"),
    ("A220", "airbus a220s; a220s"),
    ("A321", "airbus a321s; a321s"),
    ("A330", "airbus a330s; a330s"),
    ("A350", "airbus a350s; a350s"),
    ("C919", "comac c919s; comac 919"),
    ("ARJ21", "arj 21; comac arj21"),
    ("Small Aircraft", "light aircraft; small planes; private planes; light planes; cessnas; propeller planes"),
    ("Passenger/Cargo Plane", "passenger planes; airliners; passenger aircraft; cargo aircraft"),
    # road
    ("Small Car", "small cars; compact cars; hatchbacks"),
    ("Pickup Truck", "pickups; pick up trucks; pick-ups"),
    ("Cargo Truck", "freight trucks; box trucks; delivery trucks"),
    ("Dump Truck", "tipper trucks; tippers; dumper trucks; dumpers"),
    ("Truck Tractor", "tractor units; semi trucks"),
    ("Truck Tractor w/ Liquid Tank", "tanker trucks; tank trucks; fuel trucks"),
    ("Truck Tractor w/ Box Trailer", "box trailers; semi trailers"),
    ("Truck Tractor w/ Flatbed Trailer", "flatbeds; flatbed trucks; flatbed trailers"),
    ("Cement Mixer", "concrete mixers; cement trucks; mixer trucks"),
    ("Front loader/Bulldozer", "bulldozers; front loaders; dozers; wheel loaders"),
    ("Excavator", "diggers; backhoes"),
    ("Ground Grader", "graders; road graders"),
    ("Scraper/Tractor", "scrapers"),
    ("Mobile Crane", "mobile cranes"),
    ("Container Crane", "gantry cranes; ship to shore cranes; portainers; quay cranes"),
    ("Vehicle Lot", "vehicle lots; car lots"),
    ("Van", "minivans; vans; delivery vans"),
    ("Tractor", "farm tractors; agricultural tractors"),
    # rail
    ("Locomotive", "train engines; engines of trains; locos"),
    ("Passenger Car", "passenger coaches; passenger carriages; train carriages"),
    ("Tank car", "rail tank cars; tank wagons"),
    ("Flat Car", "flat wagons; flatcars"),
    ("Cargo/Container Car", "freight cars; boxcars; freight wagons; container cars; cargo cars"),
    # sea
    ("Container Ship", "container ships; box ships; container vessels; containerships"),
    ("Oil Tanker", "oil tankers; crude carriers"),
    ("Liquid Cargo Ship", "liquid cargo ships; chemical tankers; liquid tankers"),
    ("Dry Cargo Ship", "bulk carriers; bulkers; dry bulk carriers"),
    ("Tugboat", "tugs; tug boats; towboats"),
    ("Sailboat", "sailing boats; sail boats; sailing ships; sailing yachts"),
    ("Motorboat", "motor boats; speedboats; speed boats; powerboats"),
    ("Engineering Ship", "dredgers; dredges; dredging ships; crane ships; pipe layers; engineering vessels"),
    ("Passenger Ship", "cruise ships; cruise liners; cruisers; ocean liners; passenger vessels"),
    ("Ferry", "ferries; ferryboats; ferry boats; car ferries"),
    ("Warship", "warships; navy vessels"),
    ("Barge", "barges; lighters"),
    ("fishing vessel", "trawlers"),
    ("non-fishing vessel", "non fishing vessels; nonfishing vessels; not fishing vessels"),
    ("non-vessel", "non vessels; offshore platforms; oil platforms; oil rigs; fixed infrastructure at sea; offshore infrastructure"),
    # fields and roads
    ("Football Field", "soccer pitches; soccer fields; football pitches; football grounds; soccer grounds; rugby fields"),
    ("Baseball Field", "baseball diamonds; baseball fields; ball parks; ballparks; softball fields"),
    ("Basketball Court", "basketball courts; basketball fields"),
    ("Tennis Court", "tennis courts; tennis fields"),
    ("Roundabout", "traffic circles; rotaries"),
    ("Intersection", "crossroads; road crossings; road junctions; street intersections"),
    # buildings and damage
    ("Hut/Tent", "tents; huts; shanties"),
    ("Shed", "garden sheds"),
    ("no-damage", "undamaged buildings; undamaged houses; intact buildings; unharmed buildings; undamaged; intact houses; buildings without damage"),
    ("minor-damage", "minor damages; lightly damaged; slightly damaged; slightly damaged buildings; lightly damaged buildings; minor damage buildings; minor damaged buildings; light damage"),
    ("major-damage", "major damages; heavily damaged; badly damaged; severely damaged; severe damage; heavy damage; badly damaged buildings; heavily damaged buildings; "
     "severely damaged buildings; major damage buildings; badly damaged houses; heavily damaged houses; severely damaged houses"),
    ("destroyed", "destroyed buildings; destroyed houses; destroyed homes; destroyed structures; razed buildings; collapsed buildings; "
     "ruined buildings; collapsed houses; flattened buildings; flattened houses; burnt down houses; wrecked houses"),
    ("un-classified", "unclassified; unclassified buildings; unclassified damage"),
    ("Damaged Building", "damaged building"),
    # fMoW
    ("airport_terminal", "terminals; passenger terminals; air terminals"),
    ("amusement_park", "theme parks; fun fairs; fairgrounds; water parks"),
    ("aquaculture", "fish farms; fish ponds; shrimp farms; oyster farms"),
    ("archaeological_site", "ruins; archeological sites; ancient sites; archaeological digs"),
    ("border_checkpoint", "border crossings; border posts; border stations; checkpoints"),
    ("burial_site", "cemeteries; graveyards; graves; burial grounds; cemetery"),
    ("car_dealership", "car dealers; dealerships; car dealer lots"),
    ("crop_field", "crop fields; farm fields; fields of crops; wheat fields; corn fields; cornfields"),
    ("dam", "dams; weirs; barrages"),
    ("debris_or_rubble", "debris; rubble; wreckage"),
    ("educational_institution", "schools; universities; colleges; campuses; campus; university; kindergartens"),
    ("electric_substation", "substations; electrical substations; power substations; transformer stations"),
    ("factory_or_powerplant", "factory"),
    ("fire_station", "fire stations; firehouses; fire houses; fire brigades"),
    ("flooded_road", "flooded roads; flooded streets; roads under water"),
    ("fountain", "fountains"),
    ("gas_station", "petrol stations; filling stations; fuel stations; service stations; petrol pumps"),
    ("golf_course", "golf courses; golf clubs; golf links; golf greens; golf"),
    ("ground_transportation_station", "train stations; bus stations; railway stations; bus terminals; rail stations; metro stations; transit stations"),
    ("hospital", "hospitals; clinics; medical centers; medical centres"),
    ("impoverished_settlement", "slums; shanty towns; shantytowns; informal settlements; favelas; shanty town; refugee camps"),
    ("interchange", "highway interchanges; motorway junctions; cloverleafs; highway junctions"),
    ("lake_or_pond", "lakes; ponds; lake"),
    ("lighthouse", "lighthouses; light houses"),
    ("multi-unit_residential", "apartment buildings; apartment blocks; tower blocks; flats; apartment houses; condos; condominiums"),
    ("single-unit_residential", "single family homes; single-family houses; detached houses; villas; bungalows; suburban homes"),
    ("nuclear_powerplant", "nuclear power plants; nuclear plants; nuclear power stations; nuclear reactors; nuclear powerplants; nuclear stations"),
    ("office_building", "offices; office blocks; office towers; skyscrapers; office buildings"),
    ("oil_or_gas_facility", "refineries; oil refineries; refinery; gas plants; oil facilities; oil wells; gas facilities; oil fields; oil and gas facilities; oil and gas"),
    ("parking_lot_or_garage", "parking garages; multistorey car parks"),
    ("place_of_worship", "churches; mosques; temples; synagogues; cathedrals; places of worship; shrines; chapels; monasteries; worship"),
    ("police_station", "police stations; police"),
    ("prison", "prisons; jails; gaols; penitentiaries; correctional facilities; detention centers; detention centres"),
    ("race_track", "racetracks; race courses; racecourses; race circuits; speedways; hippodromes; racing tracks"),
    ("railway_bridge", "rail bridges; railroad bridges; train bridges"),
    ("road_bridge", "highway bridges; car bridges"),
    ("recreational_facility", "sports centers; sports centres; playgrounds; leisure centres; recreation grounds; recreation facilities; playground"),
    ("runway", "runways; landing strips; airstrips; air strips"),
    ("shipyard", "shipyards; dry docks; drydocks; ship yards; boatyards"),
    ("shopping_mall", "malls; shopping malls; shopping centers; shopping centres; supermarkets"),
    ("smokestack", "chimneys; smoke stacks; smokestacks; factory chimneys"),
    ("solar_farm", "solar farms; solar panels; solar parks; photovoltaics; pv farms; solar power plants; solar plants; solar; pv plants; photovoltaic plants"),
    ("wind_farm", "wind farms; wind turbines; windmills; wind parks; wind power; turbines; wind mills"),
    ("space_facility", "spaceports; rocket launch sites; launch pads; launch sites; cosmodromes; space centers; space centres"),
    ("stadium", "stadiums; stadia; arenas; sports arenas"),
    ("surface_mine", "open cast mines; strip mines; open pits; surface mines"),
    ("swimming_pool", "pools; swimming pools; lidos"),
    ("toll_booth", "toll booths; toll plazas; toll gates; toll stations; tollbooths"),
    ("tunnel_opening", "tunnels; tunnel entrances; tunnel portals; tunnel mouths"),
    ("waste_disposal", "waste disposal sites; rubbish tips"),
    ("water_treatment_facility", "water treatment plants; sewage plants; wastewater treatment plants; waste water treatment; sewage works; water works; water treatment; sewage treatment plants"),
    ("zoo", "zoos; zoological gardens; safari parks"),
    ("military_facility", "military bases; barracks; army bases; military facilities"),
    # CORINE
    ("Coniferous forest", "pine woods; pine forests; pines; conifers; conifer forests; evergreen forests; spruce forests; needleleaf forests; coniferous woods; coniferous; fir forests"),
    ("Broad-leaved forest", "broadleaf forests; deciduous forests; broadleaved forests; beech forests; oak forests; deciduous woods; hardwood forests; broad leaf forests; oak woods"),
    ("Mixed forest", "mixed forests; mixed woods; mixed woodlands"),
    ("Rice fields", "rice paddies; paddies; paddy fields; rice; rice paddy"),
    ("Vineyards", "vines; wine growing areas; grapes; wineyards"),
    ("Olive groves", "olives; olive trees; olive orchards; olive plantations"),
    ("Fruit trees and berry plantations", "orchards; fruit trees; berry plantations; fruit orchards; plantations"),
    ("Pastures", "grazing lands; pasture land; pastureland"),
    ("Non-irrigated arable land", "rainfed fields; non irrigated land; dry farming; rainfed cropland"),
    ("Permanently irrigated land", "irrigated land; irrigated fields; irrigated areas; irrigation; irrigated farmland"),
    ("Natural grassland", "natural grasslands; natural meadows"),
    ("Moors and heathland", "moors; heathland; heaths; moorland; heather"),
    ("Sclerophyllous vegetation", "maquis; garrigue; mediterranean shrubs; sclerophyllous"),
    ("Transitional woodland/shrub", "transitional woodland; young forest"),
    ("Beaches, dunes, sands", "beaches; dunes; sands; sand dunes; sandy beaches; sand"),
    ("Bare rock", "bare rocks; rocks; rock; cliffs"),
    ("Burnt areas", "burnt area; burned areas; burn scars; fire scars; burnt land; burned land; burnt forest; burned forest"),
    ("Inland marshes", "inland marsh; freshwater marshes; reed beds; reeds"),
    ("Peatbogs", "peat bogs; peatlands; peat; peatland; peat lands"),
    ("Salt marshes", "salt marsh; saltmarshes"),
    ("Salines", "salt pans; salt flats; saltworks; salterns; salt works; salt ponds"),
    ("Intertidal flats", "mud flats; mudflats; tidal flats"),
    ("Water courses", "rivers; streams; canals; watercourses; river; creeks"),
    ("Water bodies", "lakes; reservoirs; ponds; inland water; lake"),
    ("Coastal lagoons", "lagoons; lagoon"),
    ("Estuaries", "estuary; river mouths"),
    ("Sea and ocean", "sea; ocean; seas; oceans; open sea; marine"),
    ("Mineral extraction sites", "open pit mines"),
    ("Dump sites", "dump site"),
    ("Green urban areas", "urban green; city parks; urban green spaces"),
    ("Sport and leisure facilities", "leisure facilities; sport facilities"),
    ("Continuous urban fabric", "dense urban areas; dense urban; city centres; city centers"),
    ("Discontinuous urban fabric", "suburbs; suburban areas; suburban"),
    ("Industrial or commercial units", "industrial areas; commercial areas; industrial or commercial; industrial units; commercial units"),
)  # fmt: skip


def _index() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, phrases in _TABLE:
        for phrase in phrases.split(";"):
            meant = found.setdefault(key(phrase), [])
            if name not in meant:
                meant.append(name)
    return {phrase: tuple(names) for phrase, names in found.items()}


CLASSES_OF_PHRASE: dict[str, tuple[str, ...]] = _index()
"""Key of a phrase to the published class names it means."""


def classes_meant(phrase: str) -> tuple[str, ...]:
    """Published class names that a phrase is a synonym of, () when none."""
    return CLASSES_OF_PHRASE.get(key(phrase), ())
