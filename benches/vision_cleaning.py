"""How well images are cleaned: noise, haze and clouds put in, and what is left of them.

`python -m benches.vision_cleaning [noise|haze|clouds|removal]` prints a table on rendered scenes (held-out
seeds, no imagery) and, where ../shared/data is there, on real pictures with the damage added; the clouds of
real pictures are false alarms, since none of these pictures has any. `--small` takes a few scenes only.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skimage import metrics

from data.progress import Unheard

SHARED = Path(__file__).parents[2] / "shared" / "data"
PSNR: Any = metrics.peak_signal_noise_ratio
SSIM: Any = metrics.structural_similarity
SEED = 90_000
SIDE = 192
REAL = (
    "dubai_seg/tile_2/images/image_part_001.jpg", "dota/P0706.png", "naip/m_4709963_se_14_1_20150926.tif",
    "landsat/2020.tif", "planet_ships/scene_1.png", "dubai_seg/tile_2/images/image_part_005.jpg",
    "naip/m_4709963_se_14_1_20200831.tif", "dubai_seg/tile_7/images/image_part_003.jpg", "landsat/2015.tif",
    "levir_cd",
)  # fmt: skip
Image = NDArray[np.uint8]


def pictures(small: bool) -> Iterator[tuple[str, str, Image]]:
    """(kind, name, (3, 192, 192) of bytes): rendered scenes without weather or noise, then real pictures."""
    for seed in range(SEED, SEED + (6 if small else 20)):
        scene = rendered(seed)
        if scene is not None:
            yield "rendered", f"{scene.theme} {seed}", scene.pixels
    for name in REAL[: 5 if small else None]:
        path = SHARED / name
        if path.is_dir():
            path = next(iter(sorted(path.rglob("*.png"))), path)
        if path.is_file():
            yield "real", name, middle(path)


def rendered(seed: int, kind: Any = "optical", **more: Any) -> Any:
    """A rendered scene with the weather asked for alone; None where its theme cannot be drawn."""
    from data.scenes.rendering import render

    try:
        return render(seed, kind, SIDE, plain=True, maps=False, **more)
    except ValueError:
        return None


def middle(path: Path) -> Image:
    """The middle of a picture's first three bands."""
    import rasterio
    from rasterio.windows import Window

    with rasterio.open(path) as source:
        window = Window((source.width - SIDE) // 2, (source.height - SIDE) // 2, SIDE, SIDE)
        return np.asarray(np.maximum(source.read((1, 2, 3), window=window), 1), np.uint8)


def write(path: Path, values: NDArray[Any], names: tuple[str, ...] = ("red", "green", "blue")) -> Path:
    """A GeoTIFF of these bands."""
    import rasterio

    profile = {"driver": "GTiff", "count": len(values), "height": values.shape[1], "width": values.shape[2]}
    with rasterio.open(path, "w", dtype=values.dtype.name, **profile) as target:
        target.write(values)
        target.descriptions = names[: len(values)]
    return path


def read(path: Path) -> NDArray[Any]:
    """All bands."""
    import rasterio

    with rasterio.open(path) as source:
        return np.asarray(source.read())


def likeness(truth: NDArray[Any], made: NDArray[Any]) -> tuple[float, float]:
    """PSNR in dB and SSIM of bytes."""
    if np.array_equal(truth, made):
        return float("inf"), 1.0
    return (
        float(PSNR(truth, made, data_range=255)),
        float(SSIM(truth, made, channel_axis=0, data_range=255)),
    )


def damages() -> dict[str, Callable[[Image, np.random.Generator], NDArray[Any]]]:
    """Each kind of noise, as a function of a picture."""

    def white(sigma: float) -> Callable[[Image, np.random.Generator], NDArray[Any]]:
        return lambda image, random: image + random.normal(0, sigma, image.shape)

    def salt(image: Image, random: np.random.Generator) -> NDArray[Any]:
        hit = random.random(image.shape) < 0.03
        return np.where(hit, random.choice([0.0, 255.0], image.shape), image)

    return {
        "white noise, sigma 10": white(10),
        "white noise, sigma 25": white(25),
        "shot noise, 60 counts at 255": lambda image, random: random.poisson(image / 255 * 60) / 60 * 255,
        "salt and pepper, 3 %": salt,
        "salt and pepper, 3 %, and white 10": lambda image, random: salt(
            np.asarray(np.clip(white(10)(image, random), 0, 255).round(), np.uint8), random
        ),
    }


def bench_noise(folder: Path, small: bool) -> None:
    """PSNR and SSIM against the clean picture, without and with the filter."""
    from data.vision.denoise import denoise

    methods: tuple[Any, ...] = ("auto", "nlm")
    print("| noise | images | n | no filter PSNR / SSIM | auto | non-local means | auto better than none |")
    print("|---|---|---|---|---|---|---|")
    for name, damage in damages().items():
        rows: dict[str, list[list[tuple[float, float]]]] = {}
        for number, (kind, _, clean) in enumerate(pictures(small)):
            noisy = np.clip(damage(clean, np.random.default_rng(number)), 0, 255).round().astype(np.uint8)
            source = write(folder / "noisy.tif", noisy)
            found = [likeness(clean, noisy)]
            for method in methods:
                denoise(Unheard(), source, folder / "made.tif", method=method)
                found.append(likeness(clean, read(folder / "made.tif")))
            rows.setdefault(kind, []).append(found)
        for kind, every in rows.items():
            table = np.array(every)
            cells = [f"{psnr:.2f} / {ssim:.3f}" for psnr, ssim in table.mean(axis=0)]
            better = int((table[:, 1] > table[:, 0]).all(axis=1).sum())
            print(f"| {name} | {kind} | {len(every)} | {' | '.join(cells)} | {better} of {len(every)} |")
    _speckle(folder, small)


def _speckle(folder: Path, small: bool) -> None:
    """Rendered radar scenes: amplitudes against those without speckle."""
    from data.vision.denoise import denoise

    found = []
    for seed in range(SEED, SEED + (3 if small else 10)):
        scene = rendered(seed, "sar", looks=4)
        if scene is None:
            continue
        top = float(np.quantile(scene.clean, 0.99))
        write(folder / "sar.tif", scene.pixels.astype(np.float32) * 1000 / top, ("amplitude",))
        denoise(Unheard(), folder / "sar.tif", folder / "made.tif", radar=True)
        clean = np.clip(scene.clean / top, 0, 1)
        pairs = (scene.pixels / top, read(folder / "made.tif") / 1000)
        made = [np.clip(each, 0, 1).astype(np.float32) for each in pairs]
        found.append(
            [
                (
                    PSNR(clean.astype(np.float32), each, data_range=1),
                    SSIM(clean[0].astype(np.float32), each[0], data_range=1),
                )
                for each in made
            ]
        )
    if found:
        before, after = np.array(found).mean(axis=0)
        print(
            f"| speckle of 4 looks | rendered | {len(found)} | {before[0]:.2f} / {before[1]:.3f} | "
            f"{after[0]:.2f} / {after[1]:.3f} (refined Lee) | - | - |"
        )


def bench_haze(folder: Path, small: bool) -> None:
    """PSNR and SSIM against the picture without haze, and the transmission told against the true one."""
    from data.vision.haze import dehaze

    air = np.array([215.0, 220.0, 225.0])[:, None, None]
    print("| haze | images | n | hazy PSNR / SSIM | dehazed | better | mean error of the transmission |")
    print("|---|---|---|---|---|---|---|")
    for name, through in (
        ("none", 1.0),
        ("even, 70 % comes through", 0.7),
        ("even, 50 %", 0.5),
        ("uneven", None),
    ):
        rows: dict[str, list[tuple[float, ...]]] = {}
        for number, (kind, _, clean) in enumerate(pictures(small)):
            share = np.full((SIDE, SIDE), through) if through else _uneven(number)
            hazy = np.clip(clean * share + air * (1 - share), 0, 255).round().astype(np.uint8)
            found = dehaze(Unheard(), write(folder / "hazy.tif", hazy), folder / "made.tif")
            before, after = likeness(clean, hazy), likeness(clean, read(folder / "made.tif"))
            error = abs(found.transmission - float(share.mean()))
            rows.setdefault(kind, []).append((*before, *after, error))
        for kind, every in rows.items():
            table = np.array(every)
            mean = table.mean(axis=0)
            better = int((table[:, 2] > table[:, 0]).sum())
            start = "-" if not np.isfinite(mean[0]) else f"{mean[0]:.2f} / {mean[1]:.3f}"
            print(
                f"| {name} | {kind} | {len(every)} | {start} | {mean[2]:.2f} / {mean[3]:.3f} | "
                f"{better} of {len(every)} | {mean[4]:.3f} |"
            )


def _uneven(seed: int) -> NDArray[Any]:
    import cv2

    field = np.random.default_rng(seed).random((4, 4)).astype(np.float32)
    large = cv2.resize(field, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(1 - 0.7 * large, 0.25, 1))


def bench_clouds(folder: Path, small: bool) -> None:
    """IoU and F1 of the mask against clouds that hide a quarter of the light or more; all pixels together."""
    from data.vision.clouds import find_clouds

    print("| clouds | images | n | IoU | F1 | share told without any cloud |")
    print("|---|---|---|---|---|---|")
    for kind, seeds in (("optical", 20), ("multispectral", 12)):
        hit = made = true = 0
        alarms, count = [], 0
        method = ""
        for seed in range(SEED, SEED + (8 if small else seeds)):
            cloudy, clear = rendered(seed, kind, clouds=0.3), rendered(seed, kind)
            if cloudy is None or clear is None:
                continue
            count += 1
            mask = find_clouds(Unheard(), cloudy.write(folder / "c.tif"), folder / "m.tif")
            found = read(folder / "m.tif")[0] == 1
            hit += int((found & cloudy.clouds).sum())
            made += int(found.sum())
            true += int(cloudy.clouds.sum())
            alarms.append(
                find_clouds(Unheard(), clear.write(folder / "c.tif"), folder / "m.tif").cloud_percent
            )
            method = mask.method
        print(
            f"| {kind}, by {method} | rendered | {count} | {hit / (made + true - hit):.3f} | "
            f"{2 * hit / (made + true):.3f} | {np.mean(alarms):.2f} % |"
        )
    shares = [
        find_clouds(Unheard(), write(folder / "c.tif", image), folder / "m.tif").cloud_percent
        for kind, _, image in pictures(small)
        if kind == "real"
    ]
    if shares:
        print(f"| colour, by colour | real | {len(shares)} | - | - | {np.mean(shares):.2f} % |")


def bench_removal(folder: Path, small: bool) -> None:
    """How far the pixels under clouds are off, with other dates and without; root mean square in 255ths."""
    from data.scenes.weather import clouded
    from data.vision.declouding import INVENTED, OTHER, remove_clouds

    print("| other dates | images | n | under the cloud | from other dates | invented |")
    print("|---|---|---|---|---|---|")
    years = ("20150926", "20160816", "20140720")
    paths = [SHARED / "naip" / f"m_4709963_se_14_1_{each}.tif" for each in years]
    if not paths[0].is_file():
        return
    size = 400 if not small else 200
    truth: list[NDArray[Any]] = []
    for at, path in enumerate(paths):
        clean = np.maximum(read(path)[:3, 150 : 150 + size, 200 : 200 + size], 1)
        _, through = clouded(np.zeros((size, size, 3), np.float32), 0.15, np.random.default_rng(at))
        share = through[np.newaxis]
        cloudy = np.clip(clean * share + 237 * (1 - share), 1, 255).round().astype(np.uint8)
        write(folder / f"d{at}.tif", cloudy)
        truth.append(clean)
        if at == 0:
            damaged = cloudy
    for count in (0, 1, 2):
        others = [folder / f"d{at}.tif" for at in range(1, count + 1)]
        remove_clouds(Unheard(), folder / "d0.tif", folder / "made.tif", others)
        values = read(folder / "made.tif")
        cells: list[str] = []
        for mask in (values[3] != 1, values[3] == OTHER, values[3] == INVENTED):
            against = damaged if not cells else values[:3]
            error = (against.astype(float) - truth[0])[:, mask]
            cells.append(
                f"{np.sqrt((error**2).mean()):.1f} ({100 * mask.mean():.1f} %)" if mask.any() else "-"
            )
        print(f"| {count} | NAIP, clouds drawn in | 1 | {' | '.join(cells)} |")


BENCHES = {"noise": bench_noise, "haze": bench_haze, "clouds": bench_clouds, "removal": bench_removal}


def main(arguments: list[str]) -> None:
    """Print the tables that are asked for, or all of them."""
    warnings.simplefilter("ignore")
    wanted = [each for each in arguments if each in BENCHES] or list(BENCHES)
    with TemporaryDirectory(prefix="azimuth-bench-") as folder:
        for name in wanted:
            BENCHES[name](Path(folder), "--small" in arguments)
            print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
