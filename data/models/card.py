"""Model cards: what a model does, on which images, how well, and where its weights come from.

The fields are those of STAC's machine-learning-model extension (MLM 1.4), under shorter names; `as_mlm` gives
the extension's own. A card is one TOML file; a model is added by its card and, at most, a loader.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from data.raster.errors import RasterError

Task = Literal[
    "object-detection", "oriented-object-detection", "instance-segmentation", "aircraft-type",
    "semantic-segmentation", "land-cover", "building-extraction", "road-extraction", "water-extraction",
    "vegetation-extraction", "change-detection", "damage-assessment", "flood-mapping", "burned-area",
    "cloud-detection", "cloud-removal", "dehazing", "denoising", "super-resolution", "edge-detection",
    "modality", "scene-classification", "captioning", "visual-question-answering", "grounding",
    "similarity", "quality", "inversion",
]  # fmt: skip
"""What a model is for."""
Kind = Literal["method", "onnx", "ultralytics", "torchscript", "transformers", "chat"]
"""What runs it: `method` is a published procedure without weights, `chat` a server elsewhere."""
Modality = Literal["optical", "multispectral", "panchromatic", "sar"]
Scaling = Literal["bytes", "percentile", "reflectance", "decibel", "raw"]
"""How pixels become a network's numbers, before `mean` and `std`.

`bytes`: 0 to 255 as 0 to 1, other types by percentile; `percentile`: the 2nd to the 98th of the whole image,
band by band, as 0 to 1; `reflectance`: surface reflectance 0 to 1 (stored x 10,000 is found out);
`decibel`: radar intensity in dB, -30 to 5 as 0 to 1, an amplitude squared first; `raw`: as stored.
"""
Values = Literal["bytes", "reflectance", "scaled", "numbers", "decibel", "amplitude"]
"""How an image's values are stored: bytes without a scale; reflectance 0 to 1; the same times 10,000; other
numbers, such as counts of the sensor; decibels and amplitudes of radar."""
Layout = Literal[
    "boxes", "boxes-final", "oriented", "oriented-final", "segments", "segments-final",
    "scores", "logits", "probabilities", "image", "vector", "text", "none",
]  # fmt: skip
"""What comes out, n images a batch. Ultralytics' exports, pixels of the input, k candidates:

`boxes` (n, 4 + classes, k) centre x, y, width, height, class scores; `boxes-final` (n, k, 6) left, top,
right, bottom, score, class, with nothing left to suppress; `oriented` (n, 4 + classes + 1, k), the last the
angle in radians; `oriented-final` (n, k, 7) centre, size, score, class, angle; `segments` and
`segments-final` the same as boxes with 32 mask coefficients behind, and prototypes (n, 32, rows, columns).
Others: `scores` (n, classes) 0 to 1; `logits` and `probabilities` (n, classes, rows, columns); `image`
(n, bands, rows, columns), perhaps larger than the input; `vector` (n, dimensions); `text`; `none`, methods'.
"""
MLM_TASKS: dict[str, str] = {
    "object-detection": "object-detection",
    "oriented-object-detection": "object-detection",
    "instance-segmentation": "instance-segmentation",
    "aircraft-type": "classification",
    "damage-assessment": "classification",
    "modality": "classification",
    "scene-classification": "scene-classification",
    "captioning": "image-captioning",
    "visual-question-answering": "generative",
    "similarity": "similarity-search",
    "super-resolution": "super-resolution",
    "quality": "regression",
    "inversion": "regression",
    "dehazing": "generative",
    "denoising": "generative",
    "cloud-removal": "generative",
}
"""MLM's name of a task; the others are `semantic-segmentation`."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,63}")
_FRAMEWORKS = {
    "onnx": "ONNX",
    "ultralytics": "Ultralytics",
    "torchscript": "PyTorch",
    "transformers": "Hugging Face",
}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Weights(_Frozen):
    """Where the weights are: a file beside the card, or an address to fetch them from."""

    file: str | None = Field(default=None, max_length=200)
    """Relative to the folder of weights: data/models/weights, or the user's models folder."""
    url: str | None = Field(default=None, max_length=500, pattern=r"^https?://")
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """None where it is not known: then what the first download gives is written down and held to."""
    size_bytes: int | None = Field(default=None, ge=1)

    @field_validator("file")
    @classmethod
    def _inside(cls, file: str | None) -> str | None:
        if file is not None and (Path(file).is_absolute() or ".." in Path(file).parts):
            raise ValueError("the weights' file must lie in the folder of the card's weights")
        return file


class Input(_Frozen):
    """What a model is given."""

    modality: tuple[Modality, ...] = Field(min_length=1)
    bands: tuple[str, ...] = ()
    """Common names of STAC's electro-optical extension, or polarisations, in the model's order."""
    size_px: int | None = Field(default=None, ge=16, le=8192)
    """The side of the square it was made for; None for any."""
    fixed_size: bool = True
    """Whether it takes that size alone."""
    multiple_px: int = Field(default=32, ge=1, le=1024)
    """What another size must be a multiple of."""
    gsd_m: tuple[float, float] | None = None
    """Least and greatest ground sampling distance it works on, metres; images are brought into the range."""
    scaling: Scaling = "bytes"
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    """After the scaling: (value - mean) / std, a number a band; empty for none."""
    dtype: Literal["float32", "float16", "uint8"] = "float32"
    pairs: bool = False
    """Whether it takes two images of one place, their bands one after the other."""
    batch: int = Field(default=4, ge=1, le=256)
    """How many windows at once do well."""

    @model_validator(mode="after")
    def _agree(self) -> Input:
        if self.gsd_m is not None:
            _check_range(self.gsd_m)
        if any(each == 0 for each in self.std):
            raise ValueError("std holds a zero")
        return self


class Limits(_Frozen):
    """What an image must be for a model's answer to mean something: `data.vision.guard` holds to it."""

    anything: bool = False
    """It tells of any raster, be it no image: what it is, how sharp, how like another."""
    gsd_m: tuple[float, float] | None = None
    """Least and greatest ground sampling distance, metres; None: that of `input.gsd_m`, whose finer end is
    no limit, since finer images are made coarser first."""
    unknown_gsd: Literal["fine", "said", "refused"] = "said"
    """What comes of an image that says no pixel size, where there is a range."""
    grey: Literal["fine", "said", "refused"] = "fine"
    """What comes of a grey picture; `refused` where colour is what the model tells by."""
    values: tuple[Values, ...] = ()
    """How values must be stored; empty for any way."""
    other_values: Literal["said", "refused"] = "said"
    likeness: tuple[float, float] | None = None
    """Of pairs: under the first correlation of both images it is refused, under the second it is said."""

    @model_validator(mode="after")
    def _agree(self) -> Limits:
        if self.gsd_m is not None:
            _check_range(self.gsd_m)
        if self.likeness is not None and not -1 <= self.likeness[0] <= self.likeness[1] <= 1:
            raise ValueError("likeness is two correlations, the smaller first")
        return self


class Output(_Frozen):
    """What a model gives."""

    layout: Layout = "none"
    classes: tuple[str, ...] = ()
    """In the order of the output's numbers."""
    min_score: float = Field(default=0.25, ge=0, le=1)
    """Below this nothing is a finding, unless asked for."""
    scale: int = Field(default=1, ge=1, le=8)
    """How many times larger an image comes out."""


class Measured(_Frozen):
    """How well a model does on something, and the command that measured it."""

    data: str = Field(min_length=1)
    """Rendered scenes are called so."""
    metric: str = Field(min_length=1)
    value: float
    n: int = Field(ge=1)
    """How many images or objects it was measured on."""
    command: str = ""
    images: Literal["rendered", "real"] = "rendered"
    object: str = Field(default="", max_length=60)
    """The class that it is about, as `output.classes` or a tool's data name it; empty for all of them."""
    gsd_m: tuple[float, float] | None = None
    """Least and greatest ground sampling distance of the images, metres; None where it is not known."""
    modality: Modality | None = None
    """Of the images; None for the first of `input.modality`."""


class FalseClaims(_Frozen):
    """On how many real images without an object a model claimed one."""

    object: str = Field(min_length=1, max_length=60)
    """A class of the output, or what else is claimed: a scene, a cover, a change."""
    ground: str = Field(min_length=1, max_length=60)
    """What the images show: water, forest, field, roofs, rock …; `all` for all of them together."""
    images: int = Field(ge=1)
    claimed: int = Field(ge=0)
    """Images with at least one claim at the score that counts as a finding."""
    gsd_m: tuple[float, float]
    """Least and greatest ground sampling distance of the images, metres."""
    from_mpx: float | None = Field(default=None, gt=0)
    """Of large images alone, the least size of them in millions of pixels: they have more places to be wrong
    in. None: of images of any size, most of them small."""
    command: str = ""

    @model_validator(mode="after")
    def _agree(self) -> FalseClaims:
        if self.claimed > self.images:
            raise ValueError(f"claimed in {self.claimed} of {self.images} images")
        _check_range(self.gsd_m)
        return self

    @property
    def share(self) -> float:
        """Claimed of the images, 0 to 1."""
        return self.claimed / self.images


class Threshold(_Frozen):
    """How sure a detector must be of a class at a ground sampling distance, beyond its least score.

    Set on real images without the object (data.models.training.claims), so that few of them get a claim. A
    claim wants one sure object; what is near it counts from the least score, as in hysteresis thresholding
    (Canny 1986).
    """

    object: str = Field(min_length=1, max_length=60)
    """A class of the output."""
    gsd_m: tuple[float, float]
    """Of what the model looks at, metres: from the first to below the second."""
    first: float = Field(ge=0, le=1)
    """The score from which an object is sure."""
    seen: float = Field(ge=0, le=1)
    """The same where the scene network sees such an object in the place."""
    area_mpx: float | None = Field(default=None, gt=0)
    """Up to how large an image, in millions of pixels as the model sees them, `first` and `seen` hold."""
    tail: float | None = Field(default=None, gt=0)
    """How fast false findings get rarer with their score: by e for each 1 / tail of its log odds."""
    length_m: tuple[float, float] | None = None
    """What is shorter or longer than this is none."""

    @model_validator(mode="after")
    def _agree(self) -> Threshold:
        _check_range(self.gsd_m)
        if self.seen > self.first:
            raise ValueError("a score where the object is seen must not be above the one where it is not")
        if (self.area_mpx is None) != (self.tail is None):
            raise ValueError("area_mpx and tail say together how thresholds grow with an image's area")
        return self


class Calibrated(_Frozen):
    """How far the confidence that is said is from the share that is right."""

    data: str = Field(min_length=1)
    ece: float = Field(ge=0, le=1)
    """Expected calibration error: the mean distance of the two over ten equal bins of confidence, weighted
    by how many fall into each (Guo et al. 2017, On calibration of modern neural networks)."""
    n: int = Field(ge=1)
    command: str = ""
    images: Literal["rendered", "real"] = "rendered"


class Card(_Frozen):
    """A model, as the tools choose it and people read of it."""

    name: str
    version: str = "1"
    title: str = Field(min_length=1, max_length=200)
    """One line: what it does."""
    tasks: tuple[Task, ...] = Field(min_length=1)
    architecture: str = Field(min_length=1)
    """The network, or the published method."""
    kind: Kind
    licence: str = Field(min_length=1)
    """SPDX identifier of the weights' or method's licence, or `unknown`."""
    weights: Weights = Weights()
    input: Input
    limits: Limits = Limits()
    output: Output = Output()
    trained_on: str = ""
    measured: tuple[Measured, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    false_claims: tuple[FalseClaims, ...] = ()
    calibrated: tuple[Calibrated, ...] = ()
    weak_points: tuple[str, ...] = ()
    citation: str = ""
    parameters: int | None = Field(default=None, ge=1)
    training: str | None = Field(default=None, pattern=r"^[a-z_][a-z0-9_]*$")
    """The module of data/models/training that made the weights."""
    address: str | None = None
    """Of a chat model: the base URL of the server, where it is not the configured one."""
    served_as: str | None = None
    """Of a chat model: what its server calls it, where that is not the card's name."""

    @field_validator("name")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError("a name is 2 to 64 of a-z 0-9 . _ -, a letter or digit first")
        return name

    @model_validator(mode="after")
    def _whole(self) -> Card:
        if self.kind not in ("method", "chat") and not (self.weights.file or self.weights.url):
            raise ValueError(f"a model of kind {self.kind} needs weights: a file or a url")
        bands = len(self.input.bands) * (2 if self.input.pairs else 1)
        for name in ("mean", "std"):
            numbers = len(getattr(self.input, name))
            if numbers and bands and numbers not in (1, len(self.input.bands), bands):
                raise ValueError(f"{name} holds {numbers} numbers for {len(self.input.bands)} bands")
        return self

    @property
    def score(self) -> float:
        """The best figure of its kind to rank models by: real images count before rendered ones."""
        shares = [each for each in self.measured if 0 <= each.value <= 1]
        real = [each.value for each in shares if each.images == "real"]
        return (1.0 + max(real)) if real else max((each.value for each in shares), default=0.0)


def read_card(path: Path) -> Card:
    """A card of a TOML file. Raises RasterError in one sentence for a file that is none."""
    try:
        return Card.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RasterError(f"{path.name} is no model card: {_first_line(error)}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the card"
        message = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        raise RasterError(f"{path.name} is no model card: {where}: {message}.") from None


def as_mlm(card: Card) -> dict[str, Any]:
    """The card as properties of a STAC item with the machine-learning-model extension, version 1.4."""
    scaling = [{"type": "processing", "expression": card.input.scaling}]
    side = card.input.size_px or -1
    names = [*card.input.bands]
    properties: dict[str, Any] = {
        "mlm:name": card.name,
        "mlm:architecture": card.architecture,
        "mlm:tasks": sorted({MLM_TASKS.get(each, "semantic-segmentation") for each in card.tasks}),
        "mlm:framework": _FRAMEWORKS.get(card.kind),
        "mlm:total_parameters": card.parameters,
        "mlm:batch_size_suggestion": card.input.batch,
        "mlm:pretrained": card.kind not in ("method",),
        "mlm:pretrained_source": card.trained_on or None,
        "mlm:input": [
            {
                "name": ", ".join(card.input.modality),
                "bands": names,
                "input": {
                    "shape": [-1, len(names) or -1, side, side],
                    "dim_order": ["batch", "bands", "height", "width"],
                    "data_type": card.input.dtype,
                },
                "value_scaling": scaling,
            }
        ],
        "mlm:output": [
            {
                "name": card.output.layout,
                "tasks": sorted({MLM_TASKS.get(each, "semantic-segmentation") for each in card.tasks}),
                "result": {"shape": [-1], "dim_order": ["batch"], "data_type": "float32"},
                "classification:classes": [
                    {"value": number, "name": name} for number, name in enumerate(card.output.classes)
                ],
                "post_processing_function": None,
            }
        ],
        "license": card.licence,
        "version": card.version,
        "title": card.title,
    }
    return {key: value for key, value in properties.items() if value is not None}


def _check_range(gsd_m: tuple[float, float]) -> None:
    """Raises ValueError where a range of ground sampling distances is none."""
    if not 0 < gsd_m[0] <= gsd_m[1]:
        raise ValueError("gsd_m is two lengths in metres, the smaller first")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


ModelName = Annotated[
    str | None,
    Field(max_length=100, description="A model by name; the best for the image when left out."),
]
"""The argument of a tool that lets its user pick a model."""
