"""A few intents that the small catalogue can fill, written as in the intents' files."""

from __future__ import annotations

import tomllib

from copilot.bench.build.intents import Intent, intent_of

_TEXT = """
[[intent]]
id = "class-in-a-year"
category = "load-filter-plot"
request = [
  "Plot {class} near {city} from {year} as {color} points, using {dataset}",
  "{dataset}: {class} within the {city} area, {year}, on the map as {color} points please",
  "I want {color} points for the {dataset} images of {class} around {city} taken in {year}.",
  "{city}, {year}: where does {dataset} have {class}? Show them as {color} points.",
]
slots = { dataset = "dataset", class = "class", city = "city", year = "year", color = ["red", "green"] }
calls = [
  { tool = "db_load", args = { names = ["{dataset}"] } },
  { tool = "filter_class", args = { classes = ["{class}"] } },
  { tool = "filter_coords", args = { place = "{city}" } },
  { tool = "filter_date", args = { start = "{year.start}", end = "{year.end}" } },
  { tool = "scatter_plot", args = { color = "{color}" } },
]
reply = "{count} images."

[[intent]]
id = "several-sets-in-a-country"
category = "load-filter-plot"
request = [
  "Show {dataset} and xView images of {country} as clusters, less than {cloud} % cloud",
  "{dataset} plus xView, {country}, cloud under {cloud} %, clusters",
  "Load {dataset} and xView. Keep {country} and what has less than {cloud} % cloud. Draw clusters.",
  "Clusters of everything xView and {dataset} have of {country}, clouds below {cloud} %",
]
slots = { dataset = "dataset:fair1m,fmow", country = "country", cloud = [90, 95] }
calls = [
  { tool = "db_load", args = { names = ["{dataset}", "xview1"] } },
  { tool = "filter_coords", args = { place = "{country}" } },
  { tool = "filter_attribute", args = { field = "cloud_pct", op = "<", value = "{cloud}" } },
  { tool = "cluster_plot", args = {} },
]
reply = "{count} images as clusters."

[[intent]]
id = "classes-of-a-country"
category = "information"
request = [
  "How many images of each class does {dataset} have in {country}?",
  "{dataset}, {country}: images by class",
  "Count the {dataset} images of {country} by class",
  "What is in the {dataset} images of {country}, class by class?",
]
slots = { dataset = "dataset:fair1m,fmow,bigearthnet", country = "country" }
calls = [
  { tool = "db_load", args = { names = ["{dataset}"] } },
  { tool = "filter_coords", args = { place = "{country}" } },
  { tool = "db_count", args = { by = "class" } },
]
reply = "{3.text}"

[[intent]]
id = "how-far-apart"
category = "information"
request = [
  "How far is it from {city} to {other}?",
  "Distance {city} - {other}?",
  "Measure the way from {city} to {other} as the crow flies",
  "What is the distance between {city} and {other}?",
]
slots = { city = "city", other = "city@2" }
calls = [{ tool = "measure_distance", args = { start = "{city}", end = "{other}" } }]
reply = "{1.data.distance_km} km."

[[intent]]
id = "page-and-base"
category = "ui-web"
request = [
  "Open the {page} page and make the base {base}",
  "{base} base map, then the {page} page",
  "Switch to the {page} page; I also want the {base} base",
  "Could you open {page} and set the base to {base}?",
]
slots = { page = ["data", "tools", "help"], base = ["dark", "light"] }
setup = [{ tool = "db_load", args = { names = ["xview1"] } }]
calls = [
  { tool = "open_page", args = { name = "{page}" } },
  { tool = "set_basemap", args = { name = "{base}" } },
]
reply = "The {page} page is open and the base is {base}."

[[intent]]
id = "cannot-sail"
category = "ui-web"
request = [
  "Sail a boat to {city} for me",
  "I need a ship sent to {city}",
  "Send a vessel off to {city}, now",
  "Can you get a boat going to {city}?",
]
slots = { city = "city" }
calls = [{ tool = "reject_task", args = { reason = "Nothing can be sent from here." } }]
reply = "Nothing can be sent from here."
"""


def small_intents() -> tuple[Intent, ...]:
    """The intents."""
    return tuple(intent_of(entry, "small.toml") for entry in tomllib.loads(_TEXT)["intent"])


def intent(name: str) -> Intent:
    """The intent of that id."""
    return next(each for each in small_intents() if each.id == name)
