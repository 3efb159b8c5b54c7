"""The class lists of the seven data sets, spelled as their publishers spell them.

Sources: xView `xview_class_labels.txt` (DIUx-xView); FAIR1M (Sun et al., 2022, table 2); fMoW
(Christie et al., 2018); BigEarthNet (Sumbul et al., 2019 and 2021: 43 CORINE level-3 classes and
their 19-class grouping); xBD (Gupta et al., 2019); xView3 (Paolo et al., 2022).

xView3 and SARFish publish two flags instead of a class list. The flags become four classes:
`is_fishing` true, `is_fishing` false, `is_vessel` true with fishing unknown, and `is_vessel`
false (a platform, a wind turbine, a buoy).
"""

from __future__ import annotations

from types import MappingProxyType

XVIEW_TYPE_IDS: MappingProxyType[int, str] = MappingProxyType(
    {
        11: "Fixed-wing Aircraft",
        12: "Small Aircraft",
        13: "Passenger/Cargo Plane",
        15: "Helicopter",
        17: "Passenger Vehicle",
        18: "Small Car",
        19: "Bus",
        20: "Pickup Truck",
        21: "Utility Truck",
        23: "Truck",
        24: "Cargo Truck",
        25: "Truck Tractor w/ Box Trailer",
        26: "Truck Tractor",
        27: "Trailer",
        28: "Truck Tractor w/ Flatbed Trailer",
        29: "Truck Tractor w/ Liquid Tank",
        32: "Crane Truck",
        33: "Railway Vehicle",
        34: "Passenger Car",
        35: "Cargo/Container Car",
        36: "Flat Car",
        37: "Tank car",
        38: "Locomotive",
        40: "Maritime Vessel",
        41: "Motorboat",
        42: "Sailboat",
        44: "Tugboat",
        45: "Barge",
        47: "Fishing Vessel",
        49: "Ferry",
        50: "Yacht",
        51: "Container Ship",
        52: "Oil Tanker",
        53: "Engineering Vehicle",
        54: "Tower crane",
        55: "Container Crane",
        56: "Reach Stacker",
        57: "Straddle Carrier",
        59: "Mobile Crane",
        60: "Dump Truck",
        61: "Haul Truck",
        62: "Scraper/Tractor",
        63: "Front loader/Bulldozer",
        64: "Excavator",
        65: "Cement Mixer",
        66: "Ground Grader",
        71: "Hut/Tent",
        72: "Shed",
        73: "Building",
        74: "Aircraft Hangar",
        76: "Damaged Building",
        77: "Facility",
        79: "Construction Site",
        83: "Vehicle Lot",
        84: "Helipad",
        86: "Storage Tank",
        89: "Shipping container lot",
        91: "Shipping Container",
        93: "Pylon",
        94: "Tower",
    }
)
"""xView's published `type_id` to name; 75 and 82 occur in its file by mistake and mean nothing."""

FAIR1M_GROUPS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "Airplane": (
            "Boeing737", "Boeing747", "Boeing777", "Boeing787", "C919", "A220", "A321", "A330",
            "A350", "ARJ21", "other-airplane",
        ),
        "Ship": (
            "Passenger Ship", "Motorboat", "Fishing Boat", "Tugboat", "other-ship",
            "Engineering Ship", "Liquid Cargo Ship", "Dry Cargo Ship", "Warship",
        ),
        "Vehicle": (
            "Small Car", "Bus", "Cargo Truck", "Dump Truck", "other-vehicle", "Van", "Trailer",
            "Tractor", "Excavator", "Truck Tractor",
        ),
        "Court": ("Basketball Court", "Tennis Court", "Football Field", "Baseball Field"),
        "Road": ("Intersection", "Roundabout", "Bridge"),
    }
)  # fmt: skip
"""FAIR1M's five groups and their 37 classes."""

FMOW_CATEGORIES: tuple[str, ...] = (
    "airport", "airport_hangar", "airport_terminal", "amusement_park", "aquaculture",
    "archaeological_site", "barn", "border_checkpoint", "burial_site", "car_dealership",
    "construction_site", "crop_field", "dam", "debris_or_rubble", "educational_institution",
    "electric_substation", "factory_or_powerplant", "fire_station", "flooded_road", "fountain",
    "gas_station", "golf_course", "ground_transportation_station", "helipad", "hospital",
    "impoverished_settlement", "interchange", "lake_or_pond", "lighthouse", "military_facility",
    "multi-unit_residential", "nuclear_powerplant", "office_building", "oil_or_gas_facility",
    "park", "parking_lot_or_garage", "place_of_worship", "police_station", "port", "prison",
    "race_track", "railway_bridge", "recreational_facility", "road_bridge", "runway", "shipyard",
    "shopping_mall", "single-unit_residential", "smokestack", "solar_farm", "space_facility",
    "stadium", "storage_tank", "surface_mine", "swimming_pool", "toll_booth", "tower",
    "tunnel_opening", "waste_disposal", "water_treatment_facility", "wind_farm", "zoo",
)  # fmt: skip

CORINE_GROUPS: MappingProxyType[str, str] = MappingProxyType(
    {
        "Continuous urban fabric": "Urban fabric",
        "Discontinuous urban fabric": "Urban fabric",
        "Industrial or commercial units": "Industrial or commercial units",
        "Road and rail networks and associated land": "",
        "Port areas": "",
        "Airports": "",
        "Mineral extraction sites": "",
        "Dump sites": "",
        "Construction sites": "",
        "Green urban areas": "",
        "Sport and leisure facilities": "",
        "Non-irrigated arable land": "Arable land",
        "Permanently irrigated land": "Arable land",
        "Rice fields": "Arable land",
        "Vineyards": "Permanent crops",
        "Fruit trees and berry plantations": "Permanent crops",
        "Olive groves": "Permanent crops",
        "Pastures": "Pastures",
        "Annual crops associated with permanent crops": "Permanent crops",
        "Complex cultivation patterns": "Complex cultivation patterns",
        "Land principally occupied by agriculture, with significant areas of natural vegetation": (
            "Land principally occupied by agriculture, with significant areas of natural vegetation"
        ),
        "Agro-forestry areas": "Agro-forestry areas",
        "Broad-leaved forest": "Broad-leaved forest",
        "Coniferous forest": "Coniferous forest",
        "Mixed forest": "Mixed forest",
        "Natural grassland": "Natural grassland and sparsely vegetated areas",
        "Moors and heathland": "Moors, heathland and sclerophyllous vegetation",
        "Sclerophyllous vegetation": "Moors, heathland and sclerophyllous vegetation",
        "Transitional woodland/shrub": "Transitional woodland, shrub",
        "Beaches, dunes, sands": "Beaches, dunes, sands",
        "Bare rock": "",
        "Sparsely vegetated areas": "Natural grassland and sparsely vegetated areas",
        "Burnt areas": "",
        "Inland marshes": "Inland wetlands",
        "Peatbogs": "Inland wetlands",
        "Salt marshes": "Coastal wetlands",
        "Salines": "Coastal wetlands",
        "Intertidal flats": "",
        "Water courses": "Inland waters",
        "Water bodies": "Inland waters",
        "Coastal lagoons": "Marine waters",
        "Estuaries": "Marine waters",
        "Sea and ocean": "Marine waters",
    }
)
"""BigEarthNet's 43 CORINE classes, each with its group of the 19; "" for the 11 that were dropped."""

XBD_LEVELS: tuple[str, ...] = ("no-damage", "minor-damage", "major-damage", "destroyed", "un-classified")
"""xBD's four damage levels, and what its annotators could not tell. All are buildings."""

VESSEL_CLASSES: tuple[str, ...] = ("vessel", "fishing vessel", "non-fishing vessel", "non-vessel")

CLASS_NAMES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "xview1": tuple(XVIEW_TYPE_IDS.values()),
        "xview2": XBD_LEVELS,
        "xview3": VESSEL_CLASSES,
        "sarfish": VESSEL_CLASSES,
        "fair1m": tuple(name for names in FAIR1M_GROUPS.values() for name in names),
        "fmow": FMOW_CATEGORIES,
        "bigearthnet": tuple(CORINE_GROUPS),
    }
)
"""Class names per data set; the position is the class id."""

SCENE_DATASETS: frozenset[str] = frozenset({"fmow", "bigearthnet"})
"""Data sets whose classes label the whole image."""
