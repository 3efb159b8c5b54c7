"""Will it fit? Memory and time of a model on a device, estimated from its parameters and the images' size.

The rule, for what records tell: 4 bytes a parameter (32-bit), 20 % and 0.5 GB for what runs beside the
weights; 16 bytes a parameter for training all of it with Adam (weights, gradients, two moments). A
transformer multiplies each parameter once for each token, twice an operation: 2 × parameters × (side ÷
patch)². A network whose patch is not stated is reckoned with the 16 pixels of the ViT it is compared with.
Estimates, to be right within a factor of two or three, and said to be such.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from data.modelzoo.lexicon import FOLDER
from data.modelzoo.query import Device, Query
from data.modelzoo.schema import ModelRecord

BYTES_A_WEIGHT = 4
BYTES_TO_TRAIN = 16
OVERHEAD = 1.2
RUNTIME_GB = 0.5
USUAL_SIDE_PX = 224
USUAL_PATCH_PX = 16
USUAL_DEVICE: Device = "gpu"


@dataclass(frozen=True)
class Machine:
    """What a model may take of a device."""

    memory_gb: float
    tflops: float
    longest_s: float
    named: str


@dataclass(frozen=True)
class Fit:
    """An estimate for one model on one device."""

    device: Device
    memory_gb: float
    """To run it."""
    train_gb: float
    """To train all of its weights; to train a head on frozen features takes little more than running it."""
    seconds: float
    """For one image."""
    has_gb: float
    longest_s: float

    @property
    def fits(self) -> bool:
        """Whether it runs there, in the time that somebody waits for."""
        return self.memory_gb <= self.has_gb and self.seconds <= self.longest_s

    @property
    def trains(self) -> bool:
        """Whether all of it can be trained there."""
        return self.fits and self.train_gb <= self.has_gb


def fit_of(record: ModelRecord, query: Query) -> Fit | None:
    """The estimate for the query's device, one GPU where none is named; None where the size is not stated."""
    if record.num_parameters is None:
        return None
    device = query.deployment_device or USUAL_DEVICE
    machine = machines()[device]
    billions = record.num_parameters / 1000
    tokens = (_side_px(record, query) / _patch_px(record)) ** 2
    return Fit(
        device=device,
        memory_gb=OVERHEAD * BYTES_A_WEIGHT * billions + RUNTIME_GB,
        train_gb=OVERHEAD * BYTES_TO_TRAIN * billions + RUNTIME_GB,
        seconds=2 * billions * tokens / 1000 / machine.tflops,
        has_gb=query.memory_gb or machine.memory_gb,
        longest_s=machine.longest_s,
    )


def _side_px(record: ModelRecord, query: Query) -> float:
    stated = (each.image_resolution for each in record.pretraining if each.image_resolution)
    return query.image_px or next(stated, USUAL_SIDE_PX)


def _patch_px(record: ModelRecord) -> float:
    return next((each.token_size for each in record.pretraining if each.token_size), USUAL_PATCH_PX)


@cache
def machines() -> dict[Device, Machine]:
    """The devices by name."""
    table = tomllib.loads((FOLDER / "devices.toml").read_text(encoding="utf-8"))
    devices: tuple[Device, ...] = ("laptop", "gpu", "cluster", "edge")
    return {name: Machine(**table[name]) for name in devices}
