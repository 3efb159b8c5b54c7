"""Which classes are seen at which kind of site, and how often; and how large things are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from data.sample.rng import Ints
from data.vocabulary import CLASS_NAMES, classes_of

_XVIEW_CITY = {
    "Building": 3000, "Small Car": 2200, "Passenger Vehicle": 160, "Bus": 65, "Truck": 190, "Cargo Truck": 60,
    "Utility Truck": 45, "Pickup Truck": 40, "Trailer": 40, "Truck Tractor w/ Box Trailer": 35, "Truck Tractor": 12,
    "Damaged Building": 26, "Facility": 20, "Shed": 18, "Hut/Tent": 9, "Construction Site": 14, "Vehicle Lot": 48,
    "Tower crane": 3, "Mobile Crane": 3, "Excavator": 9, "Dump Truck": 12, "Cement Mixer": 3, "Crane Truck": 2,
    "Engineering Vehicle": 4, "Front loader/Bulldozer": 7, "Ground Grader": 2, "Scraper/Tractor": 2, "Haul Truck": 2,
    "Storage Tank": 16, "Pylon": 4, "Tower": 2, "Helipad": 2, "Helicopter": 1, "Passenger Car": 18, "Railway Vehicle": 3,
    "Locomotive": 2, "Cargo/Container Car": 12, "Flat Car": 3, "Tank car": 2, "Shipping Container": 24,
    "Shipping container lot": 12, "Small Aircraft": 3, "Truck Tractor w/ Flatbed Trailer": 5,
    "Truck Tractor w/ Liquid Tank": 3, "Aircraft Hangar": 2, "Maritime Vessel": 6, "Motorboat": 8, "Ferry": 1,
}  # fmt: skip
_XVIEW_AIRPORT = _XVIEW_CITY | {
    "Passenger/Cargo Plane": 260, "Small Aircraft": 90, "Fixed-wing Aircraft": 40, "Helicopter": 20,
    "Aircraft Hangar": 60, "Helipad": 12, "Building": 900, "Small Car": 1500, "Storage Tank": 30,
}  # fmt: skip
_XVIEW_PORT = _XVIEW_CITY | {
    "Building": 900, "Small Car": 900, "Maritime Vessel": 120, "Motorboat": 160, "Sailboat": 90, "Tugboat": 40,
    "Barge": 60, "Fishing Vessel": 60, "Ferry": 25, "Yacht": 70, "Container Ship": 50, "Oil Tanker": 30,
    "Container Crane": 60, "Reach Stacker": 20, "Straddle Carrier": 30, "Shipping Container": 400,
    "Shipping container lot": 110, "Storage Tank": 120, "Cargo/Container Car": 40,
}  # fmt: skip
_FAIR_CITY = {
    "Small Car": 5200, "Van": 2600, "Dump Truck": 420, "Cargo Truck": 480, "Bus": 130, "Trailer": 30, "Tractor": 8,
    "Excavator": 18, "Truck Tractor": 24, "other-vehicle": 110, "Intersection": 150, "Roundabout": 12, "Bridge": 34,
    "Tennis Court": 60, "Basketball Court": 30, "Football Field": 24, "Baseball Field": 22, "Motorboat": 20,
    "other-ship": 8, "Passenger Ship": 2,
}  # fmt: skip
_FAIR_AIRPORT = _FAIR_CITY | {
    "Small Car": 1600, "Van": 900, "Boeing737": 280, "Boeing747": 50, "Boeing777": 70, "Boeing787": 70, "C919": 3,
    "A220": 300, "A321": 170, "A330": 120, "A350": 45, "ARJ21": 12, "other-airplane": 600,
}  # fmt: skip
_FAIR_PORT = _FAIR_CITY | {
    "Small Car": 1300, "Van": 700, "Passenger Ship": 50, "Motorboat": 420, "Fishing Boat": 260, "Tugboat": 90,
    "other-ship": 220, "Engineering Ship": 90, "Liquid Cargo Ship": 150, "Dry Cargo Ship": 420, "Warship": 45,
}  # fmt: skip
_SEA = {
    "fishing_ground": {"fishing vessel": 55, "non-fishing vessel": 15, "vessel": 22, "non-vessel": 8},
    "shipping_lane": {"fishing vessel": 8, "non-fishing vessel": 60, "vessel": 25, "non-vessel": 7},
    "port": {"fishing vessel": 14, "non-fishing vessel": 53, "vessel": 25, "non-vessel": 8},
}
_FMOW_ANYWHERE = {
    "airport": 12, "airport_hangar": 16, "airport_terminal": 12, "amusement_park": 18, "aquaculture": 10,
    "archaeological_site": 10, "barn": 14, "border_checkpoint": 6, "burial_site": 22, "car_dealership": 20,
    "construction_site": 14, "crop_field": 62, "dam": 15, "debris_or_rubble": 5, "educational_institution": 28,
    "electric_substation": 24, "factory_or_powerplant": 14, "fire_station": 16, "flooded_road": 5, "fountain": 15,
    "gas_station": 30, "golf_course": 18, "ground_transportation_station": 20, "helipad": 12, "hospital": 14,
    "impoverished_settlement": 7, "interchange": 18, "lake_or_pond": 13, "lighthouse": 9, "military_facility": 28,
    "multi-unit_residential": 42, "nuclear_powerplant": 2, "office_building": 15, "oil_or_gas_facility": 14, "park": 18,
    "parking_lot_or_garage": 38, "place_of_worship": 60, "police_station": 12, "port": 9, "prison": 12, "race_track": 22,
    "railway_bridge": 13, "recreational_facility": 80, "road_bridge": 20, "runway": 14, "shipyard": 6, "shopping_mall": 22,
    "single-unit_residential": 46, "smokestack": 22, "solar_farm": 19, "space_facility": 2, "stadium": 24,
    "storage_tank": 19, "surface_mine": 23, "swimming_pool": 32, "toll_booth": 16, "tower": 18, "tunnel_opening": 22,
    "waste_disposal": 14, "water_treatment_facility": 25, "wind_farm": 27, "zoo": 8,
}  # fmt: skip
_FMOW_AIRPORT = {
    "airport": 120, "airport_terminal": 120, "airport_hangar": 110, "runway": 140, "helipad": 30, "parking_lot_or_garage": 60,
    "gas_station": 10, "car_dealership": 8, "storage_tank": 15, "interchange": 20,
}  # fmt: skip
_FMOW_PORT = {
    "port": 150, "shipyard": 90, "storage_tank": 70, "lighthouse": 30, "oil_or_gas_facility": 40, "smokestack": 20,
    "railway_bridge": 10, "road_bridge": 15, "factory_or_powerplant": 20, "aquaculture": 14, "border_checkpoint": 4,
}  # fmt: skip
_COVER = {
    "boreal": {"Coniferous forest": 90, "Mixed forest": 70, "Broad-leaved forest": 20, "Transitional woodland/shrub": 60,
               "Water bodies": 50, "Peatbogs": 30, "Non-irrigated arable land": 24, "Inland marshes": 4, "Water courses": 6,
               "Land principally occupied by agriculture, with significant areas of natural vegetation": 18,
               "Discontinuous urban fabric": 5, "Mineral extraction sites": 2, "Moors and heathland": 8, "Bare rock": 2,
               "Sparsely vegetated areas": 3},
    "plain": {"Non-irrigated arable land": 100, "Pastures": 40, "Complex cultivation patterns": 50, "Broad-leaved forest": 30,
              "Discontinuous urban fabric": 28, "Industrial or commercial units": 10, "Water courses": 10, "Mixed forest": 16,
              "Land principally occupied by agriculture, with significant areas of natural vegetation": 34,
              "Fruit trees and berry plantations": 6, "Vineyards": 5, "Road and rail networks and associated land": 2,
              "Airports": 1, "Dump sites": 1, "Construction sites": 1, "Water bodies": 8, "Inland marshes": 4, "Coniferous forest": 12},
    "pasture": {"Pastures": 110, "Peatbogs": 45, "Non-irrigated arable land": 16, "Moors and heathland": 12,
                "Transitional woodland/shrub": 20, "Coniferous forest": 18, "Complex cultivation patterns": 12, "Water bodies": 8,
                "Land principally occupied by agriculture, with significant areas of natural vegetation": 30,
                "Discontinuous urban fabric": 6, "Natural grassland": 4, "Inland marshes": 3},
    "mixed": {"Mixed forest": 60, "Coniferous forest": 50, "Broad-leaved forest": 60, "Pastures": 50, "Complex cultivation patterns": 40,
              "Non-irrigated arable land": 50, "Discontinuous urban fabric": 24, "Industrial or commercial units": 6, "Vineyards": 4,
              "Land principally occupied by agriculture, with significant areas of natural vegetation": 40, "Water courses": 5,
              "Sport and leisure facilities": 2, "Mineral extraction sites": 2, "Green urban areas": 1, "Water bodies": 4},
    "alpine": {"Coniferous forest": 90, "Natural grassland": 50, "Bare rock": 32, "Sparsely vegetated areas": 34, "Mixed forest": 40,
               "Moors and heathland": 30, "Pastures": 34, "Broad-leaved forest": 34, "Transitional woodland/shrub": 20,
               "Discontinuous urban fabric": 8, "Water bodies": 5, "Burnt areas": 1, "Sport and leisure facilities": 1},
    "mediterranean": {"Olive groves": 40, "Vineyards": 30, "Agro-forestry areas": 60, "Sclerophyllous vegetation": 34,
                      "Broad-leaved forest": 60, "Permanently irrigated land": 30, "Rice fields": 10, "Non-irrigated arable land": 44,
                      "Transitional woodland/shrub": 60, "Complex cultivation patterns": 40, "Fruit trees and berry plantations": 16,
                      "Annual crops associated with permanent crops": 14, "Burnt areas": 7, "Natural grassland": 16, "Pastures": 20,
                      "Coniferous forest": 30, "Water bodies": 8, "Discontinuous urban fabric": 10, "Bare rock": 2,
                      "Land principally occupied by agriculture, with significant areas of natural vegetation": 44},
    "coast": {"Sea and ocean": 110, "Discontinuous urban fabric": 34, "Beaches, dunes, sands": 12, "Salt marshes": 10, "Port areas": 6,
              "Intertidal flats": 9, "Estuaries": 9, "Coastal lagoons": 7, "Salines": 5, "Pastures": 28, "Coniferous forest": 28,
              "Non-irrigated arable land": 30, "Mixed forest": 24, "Industrial or commercial units": 8, "Continuous urban fabric": 4,
              "Moors and heathland": 6, "Inland marshes": 4, "Complex cultivation patterns": 16},
    "capital": {"Discontinuous urban fabric": 100, "Continuous urban fabric": 30, "Industrial or commercial units": 45, "Green urban areas": 16,
                "Sport and leisure facilities": 18, "Road and rail networks and associated land": 12, "Airports": 6, "Construction sites": 5,
                "Dump sites": 2, "Mineral extraction sites": 4, "Non-irrigated arable land": 34, "Broad-leaved forest": 16,
                "Mixed forest": 16, "Complex cultivation patterns": 22, "Water courses": 14, "Water bodies": 6, "Pastures": 18},
}  # fmt: skip
_COVER["city"] = _COVER["capital"]
_LANDLOCKED = frozenset({"AT", "CH", "LU", "RS", "XK"})

MIXES: MappingProxyType[str, Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "xview1": {
            "city": _XVIEW_CITY,
            "capital": _XVIEW_CITY,
            "airport": _XVIEW_AIRPORT,
            "port": _XVIEW_PORT,
        },
        "fair1m": {"city": _FAIR_CITY, "capital": _FAIR_CITY, "airport": _FAIR_AIRPORT, "port": _FAIR_PORT},
        "fmow": {
            "city": _FMOW_ANYWHERE,
            "capital": _FMOW_ANYWHERE,
            "airport": _FMOW_AIRPORT,
            "port": _FMOW_PORT,
        },
        "xview3": _SEA,
        "bigearthnet": _COVER,
    }
)
"""Weights of classes by data set and kind of site."""


def weights(dataset: str, kind: str) -> Ints:
    """The weight of each class id of a data set at a kind of site."""
    mix = MIXES[dataset][kind]
    unknown = set(mix) - set(CLASS_NAMES[dataset])
    if unknown:
        raise ValueError(f"{dataset} has no classes {sorted(unknown)}; a mix names published ones.")
    return np.array([mix.get(name, 0) for name in CLASS_NAMES[dataset]], dtype=np.int64)


# Length and width in decimetres of the first of these groups that a class belongs to.
_SIZES = {
    "buses": (120, 26), "trucks": (85, 26), "construction equipment": (80, 28), "cars": (46, 19), "vehicles": (52, 20),
    "helicopters": (130, 110), "airplanes": (380, 340), "tankers": (1800, 300), "warships": (1300, 160),
    "cargo vessels": (1500, 240), "recreational boats": (110, 36), "fishing vessels": (280, 70), "vessels": (420, 95),
    "railway": (180, 30), "courts": (280, 160), "sports fields": (950, 600), "bridges": (900, 160), "roads": (420, 380),
    "storage tanks": (250, 250), "containers": (122, 25), "cranes": (420, 120), "towers": (60, 60),
    "hangars": (600, 450), "parking": (500, 350), "airports": (220, 220), "construction sites": (800, 600), "buildings": (170, 120),
}  # fmt: skip


def sizes(dataset: str) -> tuple[Ints, Ints]:
    """Typical length and width, in decimetres, of each class id."""
    found = [
        next((size for group, size in _SIZES.items() if group in entry.groups), (250, 200))
        for entry in classes_of(dataset)
    ]
    return np.array([size[0] for size in found]), np.array([size[1] for size in found])


def landlocked(country: str | None) -> bool:
    """Whether a BigEarthNet country has no sea to show."""
    return country in _LANDLOCKED
