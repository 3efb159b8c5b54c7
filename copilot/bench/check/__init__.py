"""The model checker: what is right and what is wrong about a run of a task."""

from copilot.bench.check.gold import Gold, GoldFails, gold_after, gold_of
from copilot.bench.check.metrics import Metrics, measure
from copilot.bench.check.play import Played, Player
from copilot.bench.check.runs import Made, Run
from copilot.bench.check.settings import Settings
from copilot.bench.check.verdict import CHECKS, Check, Verdict, check

__all__ = [
    "CHECKS",
    "Check",
    "Gold",
    "GoldFails",
    "Made",
    "Metrics",
    "Played",
    "Player",
    "Run",
    "Settings",
    "Verdict",
    "check",
    "gold_after",
    "gold_of",
    "measure",
]
