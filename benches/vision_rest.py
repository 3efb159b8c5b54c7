"""The vision methods that no other bench measures: `python -m benches.vision_rest [PART ...]`.

floods: pixels under water in rendered pairs (no imagery) before and after, multispectral of 20 m and radar
of 10 m. edges: thinned edges against the borders of land covers and objects, rendered with noise, and of
the Dubai tile that no network was trained on. land: spectral rules on rendered multispectral scenes. roads:
ridges on rendered scenes and the Dubai tile. quantities: the formulas turned round on rendered scenes.
likeness: a picture found again among others after it was turned, made noisy or half cut away. measures: the
order of the noise and the blur that were put in. impulses and speckle: what filtering leaves. clouds:
pixels under clouds that were drawn in. quality: the values of a quality band as its handbook explains them.
Rendered seeds are from 970,000 on; nothing was trained or set on them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benches.vision_cleaning import PSNR, SHARED, likeness, middle, read, write
from benches.vision_cleaning import REAL as PICTURES
from benches.vision_segmenting import KEPT_OUT, ROAD_BUFFER_PX, buffered, iou, made, show
from data.progress import Unheard
from data.scenes import COVERS, pair, render

FIRST_SEED, SCENES, SIDE = 970_000, 8, 256
PICTURED = 6
BUFFER_PX = 2
Mask = NDArray[np.bool_]


def floods(folder: Path) -> None:
    """IoU of flooded pixels (with a date before) and of all water (without)."""
    from data.vision.flood import map_flood

    for name, sensor, gsd_m in (("optical", "multispectral", 20.0), ("radar", "sar", 10.0)):
        said: dict[str, list[tuple[Mask, Mask]]] = {"two dates, flood": [], "one date, water": []}
        for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
            both = pair(seed, "flood", SIDE, gsd_m, sensor=sensor)  # type: ignore[arg-type]
            before, after = both.before.write(folder / "b.tif"), both.after.write(folder / "a.tif")
            found = made(map_flood, after, folder, before=before)
            said["two dates, flood"].append((both.changed[found != 255], (found == 1)[found != 255]))
            found = made(map_flood, after, folder)
            wet = both.after.landcover == COVERS.index("water")
            said["one date, water"].append((wet[found != 255], (found == 1)[found != 255]))
        for what, pairs in said.items():
            show(f"rendered floods, {name} of {gsd_m:g} m, {SCENES} pairs, {what}", scores(pairs))


def scores(pairs: list[tuple[Mask, Mask]]) -> dict[str, float]:
    """Of masks (truth, said), all pixels together: intersection over union, precision, recall."""
    truth, said = (np.concatenate([each[at].ravel() for each in pairs]) for at in (0, 1))
    hit = float((truth & said).sum())
    return {"IoU": iou(truth, said), "precision": hit / said.sum(), "recall": hit / truth.sum()}


def edges(folder: Path) -> None:
    """F1 of thinned edges within 2 pixels of the true borders, all images together."""
    from data.vision.edges import find_edges

    for sigma in (5.0, 20.0):
        found: dict[str, list[tuple[Mask, Mask]]] = {"canny": [], "sobel": []}
        for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
            scene = render(seed, "optical", SIDE, plain=True, noise=sigma)
            truth = borders(scene.landcover) | borders(scene.instances) | borders(scene.building_map)
            for method, pairs in found.items():
                pairs.append((truth, thinned(scene.write(folder / "s.tif"), folder, method)))
        for method, pairs in found.items():
            show(f"rendered scenes, {SCENES}, noise of {sigma:g}, {method}", nearness(pairs))
    radar = []
    for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
        scene = render(seed, "sar", SIDE)
        find_edges(Unheard(), scene.write(folder / "s.tif"), folder / "e.tif", method="ratio", radar=True)
        radar.append((borders(scene.landcover, apart_db=3.0), read(folder / "e.tif")[0] == 1))
    show(f"rendered radar, {SCENES}, borders of 3 dB, ratio of averages", nearness(radar))
    paths = sorted((SHARED / "dubai_seg" / f"tile_{KEPT_OUT}" / "images").glob("*.jpg"))
    for method in ("canny", "sobel") if paths else ():
        real = [(borders(classes_of(path)), thinned(path, folder, method)) for path in paths]
        show(f"Dubai, tile {KEPT_OUT}, {len(paths)} pictures, borders of classes, {method}", nearness(real))


def thinned(path: Path, folder: Path, method: str) -> Mask:
    """Canny's edges; of Sobel's gradient what passes the upper limit that find_edges tells, thinned."""
    from skimage.morphology import skeletonize

    from data.vision.edges import find_edges

    how: Any = method
    done = find_edges(Unheard(), path, folder / "e.tif", method=how)
    values = read(folder / "e.tif")[0]
    if method == "canny":
        return np.asarray(values == 1)
    mask: Mask = skeletonize(values >= done.high)  # type: ignore[no-untyped-call]
    return mask


def borders(labels: NDArray[Any], apart_db: float = 0.0) -> Mask:
    """Where a pixel's label differs from that to its right or below it; with `apart_db`, of covers whose
    backscatter lies so far apart."""
    from data.scenes.spectra import BACKSCATTER_DB

    values = labels.astype(np.float64)
    if apart_db:
        values = np.array([BACKSCATTER_DB[each] for each in COVERS])[labels]
    result = np.zeros(labels.shape, bool)
    least = max(apart_db, 1e-9)
    result[:, :-1] |= np.abs(np.diff(values, axis=1)) >= least
    result[:-1] |= np.abs(np.diff(values, axis=0)) >= least
    return result


def nearness(pairs: list[tuple[Mask, Mask]]) -> dict[str, float]:
    """Precision, recall and F1 of (true, found) lines within BUFFER_PX, and F1 of all pixels as edges."""
    from scipy.ndimage import distance_transform_edt

    counts = np.zeros(4)
    every = np.zeros(2)
    for truth, said in pairs:
        near = distance_transform_edt(~truth) <= BUFFER_PX
        reached = distance_transform_edt(~said) <= BUFFER_PX if said.any() else np.zeros_like(said)
        counts += (said & near).sum(), said.sum(), (truth & reached).sum(), truth.sum()
        every += near.sum(), near.size
    precision, recall = counts[0] / max(counts[1], 1), counts[2] / max(counts[3], 1)
    share = every[0] / every[1]
    return {
        "precision": precision, "recall": recall,
        "F1": 2 * precision * recall / max(precision + recall, 1e-9),
        "F1 of a line everywhere": 2 * share / (1 + share),
    }  # fmt: skip


def classes_of(path: Path) -> NDArray[Any]:
    """The class of each pixel of a picture of Dubai, as a number of its colour."""
    import cv2

    mask = cv2.imread(str(path.parents[1] / "masks" / f"{path.stem}.png"))
    assert mask is not None
    return np.asarray(mask.astype(np.int32) @ np.array([1, 256, 65536], dtype=np.int32))


def land(folder: Path) -> None:
    """IoU by class of spectral rules; plants are one class, since the truth knows no density."""
    from data.vision.segment import land_use

    classes = {
        "water": ((1,), ("water",)), "plants": ((2, 3), ("grass", "crops", "trees")),
        "built-up": ((4,), ("building", "road", "paved")), "bare soil": ((5,), ("soil", "sand")),
    }  # fmt: skip
    themes = ("town", "fields", "harbour", "woods", "suburb", "depot")
    for gsd_m, side in ((10.0, 128), (20.0, 64)):
        table: dict[str, list[tuple[Mask, Mask]]] = {each: [] for each in classes}
        for seed in range(FIRST_SEED, FIRST_SEED + len(themes)):
            scene = render(seed, "multispectral", side, gsd_m, theme=themes[seed % len(themes)])
            said = made(land_use, scene.write(folder / "s.tif"), folder)
            for name, (numbers, covers) in classes.items():
                truth = np.isin(scene.landcover, [COVERS.index(each) for each in covers])
                table[name].append((truth, np.isin(said, numbers)))
        found = {name: scores(pairs)["IoU"] for name, pairs in table.items()}
        title = f"rendered scenes, {len(themes)}, {gsd_m:g} m, spectral rules, IoU"
        show(title, {**found, "mean": np.mean(list(found.values()))})


def roads(folder: Path) -> None:
    """Centre lines by ridges within 3 pixels; the mean over images."""
    from data.vision.roads import RIDGES, road_mask

    names, found = ("completeness", "correctness", "F1"), []
    for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
        scene = render(seed, "optical", SIDE, 1.0, theme=("town", "fields")[seed % 2])
        said = made(road_mask, scene.write(folder / "s.tif"), folder, model=RIDGES) == 1
        found.append(buffered(scene.landcover == COVERS.index("road"), said, ROAD_BUFFER_PX))
    title = f"within {ROAD_BUFFER_PX} px, ridges"
    show(f"rendered towns and fields, {SCENES}, 1 m, {title}", table_of(names, found))
    found = []
    for path in sorted((SHARED / "dubai_seg" / f"tile_{KEPT_OUT}" / "images").glob("*.jpg")):
        truth = classes_of(path) == 0x6EC1E4
        found.append(buffered(truth, made(road_mask, path, folder, model=RIDGES) == 1, ROAD_BUFFER_PX))
    if found:
        show(f"Dubai, tile {KEPT_OUT}, {len(found)} pictures, {title}", table_of(names, found))


def table_of(names: tuple[str, ...], rows: list[Any]) -> dict[str, float]:
    """The mean of each column under its name."""
    return dict(zip(names, (float(each) for each in np.mean(rows, axis=0)), strict=True))


def quantities(folder: Path) -> None:
    """Temperature and moisture that were put into rendered scenes and are computed back, and the order of the
    leaf area. Both are put in by the formulas turned round: the arithmetic and the fitted edges are measured,
    not whether the formulas hold outdoors."""
    from data.vision.inversion import invert

    kelvin, moisture, ordered = [], [], 0
    plants = [COVERS.index(each) for each in ("grass", "crops", "trees")]
    for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
        scene = render(seed, "multispectral", SIDE, 20.0, theme="fields", season="summer")
        bands = scene.pixels.astype(np.float64) / 10_000
        index = (bands[3] - bands[2]) / (bands[3] + bands[2])
        smooth = field(seed)
        hot = 285.0 + 30.0 * smooth
        cover = np.clip((index - 0.2) / 0.3, 0, 1) ** 2
        emits = np.where(index > 0.5, 0.99, np.where(index < 0.2, 0.97, 0.986 + 0.004 * cover))
        emits[index < 0] = 0.991
        # Planck's law at the band's wavelength, what the ground emits of it, and the temperature of that.
        c1, reach = 1.191042e8, 14_387.77 / 10.895
        radiance = emits * c1 / 10.895**5 / np.expm1(reach / hot)
        seen = reach / np.log1p(c1 / 10.895**5 / radiance)
        stack = np.concatenate([bands[[2, 3]], seen[None]]).astype(np.float32)
        write(folder / "s.tif", stack, ("red", "nir", "lwir11"))
        kelvin.append(
            float(np.sqrt(np.nanmean((made(invert, folder / "s.tif", folder, quantity="lst") - hot) ** 2)))
        )
        wet = 0.4 + 4.6 * smooth + (0.5 + 2.0 * smooth) * index
        swir = (1 + wet) - np.sqrt((1 + wet) ** 2 - 1)
        write(
            folder / "s.tif",
            np.stack([bands[2], bands[3], swir]).astype(np.float32),
            ("red", "nir", "swir22"),
        )
        told = made(invert, folder / "s.tif", folder, quantity="soil_moisture")
        known = np.isfinite(told)
        moisture.append(float(np.sqrt(((told - smooth)[known] ** 2).mean())))
        leaves = made(invert, scene.write(folder / "s.tif"), folder, quantity="lai")
        green = np.isin(scene.landcover, plants)
        ordered += bool(
            leaves[green].mean() > leaves[~green & (scene.landcover != COVERS.index("water"))].mean()
        )
    show(f"rendered fields, {SCENES}, temperature put in, root mean square error", {"K": np.mean(kelvin)})
    show(
        f"rendered fields, {SCENES}, moisture put in, root mean square error",
        {"of 0 to 1": np.mean(moisture)},
    )
    show(
        f"rendered fields, {SCENES}, more leaf area on plants than on bare ground",
        {"share": ordered / SCENES},
    )


def field(seed: int) -> NDArray[np.float64]:
    """(SIDE, SIDE) from 0 to 1, smooth over some 30 pixels, every value as often."""
    from scipy.ndimage import gaussian_filter

    rough = gaussian_filter(np.random.default_rng(seed).normal(size=(SIDE, SIDE)), 12, mode="wrap")
    return np.asarray(rough.ravel().argsort().argsort().reshape(SIDE, SIDE) / (SIDE * SIDE - 1.0))


def pictures() -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """(rendered or real, (3, rows, columns) of bytes): rendered without noise or blur, then real ones."""
    for seed in range(FIRST_SEED, FIRST_SEED + PICTURED):
        yield "rendered", render(seed, "optical", 192, plain=True).pixels
    for name in PICTURES[:PICTURED]:
        path = SHARED / name
        path = next(iter(sorted(path.rglob("*.png"))), path) if path.is_dir() else path
        if path.is_file():
            yield "real", middle(path)


def likenesses(folder: Path) -> None:
    """Share of pictures that are the likest of all to what was made of them; none has a place."""
    from data.vision.similarity import compare

    random = np.random.default_rng(0)
    changes: dict[str, Any] = {
        "turned by 90 degrees": lambda image: np.rot90(image, axes=(1, 2)),
        "noise of 15": lambda image: np.clip(image + random.normal(0, 15, image.shape), 1, 255).astype(
            np.uint8
        ),
        "its left half": lambda image: image[:, :, : image.shape[2] // 2],
    }
    every = list(pictures())
    for kind in ("rendered", "real"):
        images = [image for each, image in every if each == kind]
        paths = [write(folder / f"{kind}{at}.tif", image) for at, image in enumerate(images)]
        shares = {}
        for name, change in changes.items():
            right = 0
            for at, image in enumerate(images):
                asked = write(folder / "asked.tif", np.ascontiguousarray(change(image)))
                alike = [compare(Unheard(), asked, path).likeness for path in paths]
                right += int(np.argmax(alike)) == at
            shares[name] = right / max(len(images), 1)
        if images:
            show(
                f"{kind}, {len(images)} pictures, first is the right one",
                {**shares, "mean": np.mean(list(shares.values()))},
            )


def measures(folder: Path) -> None:
    """Rank correlation (Spearman) of what is measured with what was put in, over pictures times levels."""
    from scipy.ndimage import gaussian_filter
    from scipy.stats import spearmanr

    from data.vision.quality import measure_quality

    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for at, (kind, image) in enumerate(pictures()):
        random = np.random.default_rng(at)
        for sigma in (3.0, 6.0, 12.0, 24.0):
            noisy = np.clip(image + random.normal(0, sigma, image.shape), 0, 255).round().astype(np.uint8)
            told = measure_quality(Unheard(), write(folder / "p.tif", noisy), clouds=False)
            noise = float(np.mean([each.noise_sigma for each in told.bands]))
            rows.setdefault((kind, "noise"), []).append((sigma, noise))
        for sigma in (0.5, 1.0, 2.0, 3.0):
            soft = np.stack([gaussian_filter(each.astype(np.float32), sigma) for each in image])
            told = measure_quality(
                Unheard(), write(folder / "p.tif", soft.round().astype(np.uint8)), clouds=False
            )
            rows.setdefault((kind, "blur, by the Laplacian"), []).append((sigma, -told.laplacian_variance))
            if np.isfinite(told.edge_width_px):
                rows.setdefault((kind, "blur, by edge widths"), []).append((sigma, told.edge_width_px))
    for (kind, what), values in rows.items():
        put, told_of = np.array(values).T
        figures = {"rank correlation": float(spearmanr(put, told_of).statistic)}
        if what == "noise":
            figures["median relative error"] = float(np.median(np.abs(told_of / put - 1)))
        show(f"{kind}, {len(values)} measured, {what}", figures)


def impulses(folder: Path) -> None:
    """PSNR in dB and SSIM of pictures with salt and pepper, without and with the median."""
    from data.vision.denoise import denoise

    for share in (0.03, 0.1):
        rows: dict[str, list[tuple[float, ...]]] = {}
        for at, (kind, clean) in enumerate(pictures()):
            random = np.random.default_rng(at)
            hit = random.random(clean.shape) < share
            noisy = np.where(hit, random.choice([0, 255], clean.shape), clean).astype(np.uint8)
            denoise(Unheard(), write(folder / "n.tif", noisy), folder / "d.tif", method="median")
            rows.setdefault(kind, []).append(
                (*likeness(clean, noisy), *likeness(clean, read(folder / "d.tif")))
            )
        for kind, each in rows.items():
            names = ("PSNR before", "SSIM before", "PSNR", "SSIM")
            show(f"{kind}, {len(each)}, salt and pepper of {100 * share:g} %", table_of(names, each))


def speckle(folder: Path) -> None:
    """PSNR of amplitudes, and the equivalent number of looks (mean² / variance) of even ground."""
    import rasterio

    from data.raster.speckle import estimate_looks
    from data.vision.denoise import denoise

    for looks in (1.0, 4.0):
        rows = []
        for seed in range(FIRST_SEED, FIRST_SEED + SCENES):
            scene = render(seed, "sar", SIDE, looks=looks, plain=True)
            top = float(np.quantile(scene.clean, 0.99))
            write(folder / "s.tif", scene.pixels.astype(np.float32) * 1000 / top, ("amplitude",))
            denoise(Unheard(), folder / "s.tif", folder / "d.tif", radar=True)
            clean = np.clip(scene.clean / top, 0, 1).astype(np.float32)
            shown = [scene.pixels / top, read(folder / "d.tif") / 1000]
            decibels = [PSNR(clean, np.clip(each, 0, 1).astype(np.float32), data_range=1) for each in shown]
            rows.append((*decibels, *(even_looks(each[0], scene.clean[0]) for each in shown)))
        names = ("PSNR before", "PSNR", "looks before", "looks")
        show(f"rendered radar, {SCENES}, {looks:g} looks, refined Lee", table_of(names, rows))
    path, rows = SHARED / "spacenet" / "sar_hh.tif", []
    for each in sorted(path.parent.glob("sar_[hv][hv].tif")):
        with rasterio.open(each) as reader:
            write(folder / "s.tif", np.abs(reader.read(1)).astype(np.float32)[None], ("amplitude",))
        denoise(Unheard(), folder / "s.tif", folder / "d.tif", radar=True)
        rows.append(tuple(estimate_looks(folder / name, "amplitude") for name in ("s.tif", "d.tif")))
    if rows:
        show(f"SpaceNet Rotterdam, {len(rows)} bands, refined Lee", table_of(("looks before", "looks"), rows))


def even_looks(amplitude: NDArray[Any], clean: NDArray[Any]) -> float:
    """Mean² / variance of the intensity over the true one, where the ground is even over 9 x 9 pixels."""
    from scipy.ndimage import maximum_filter, minimum_filter

    even = maximum_filter(clean, 9) <= 1.3 * minimum_filter(clean, 9)
    ratio = (np.square(amplitude) / np.square(clean))[even]
    return float(ratio.mean() ** 2 / ratio.var())


def clouds(folder: Path) -> None:
    """Under clouds drawn in: the share found, and there the root mean square error in 255ths of the cloudy
    picture, of the mean colour of what is clear, and of what two other dates or the filling put in. First
    with a quality band that tells the clouds, then with those that are found by colour."""
    years = ("20150926", "20160816", "20140720", "20090818", "20200831", "20190904")
    paths = [SHARED / "naip" / f"m_4709963_se_14_1_{each}.tif" for each in years]
    dates = [middle_of(path) for path in paths if path.is_file()]
    cloudy = [covered(image, FIRST_SEED + at) for at, image in enumerate(dates)]
    for told in (True, False):
        rows: dict[str, list[tuple[float, ...]]] = {}
        for at, image in enumerate(dates):
            others = [dated(folder / f"o{by}.tif", *cloudy[(at + by) % len(dates)], told) for by in (1, 2)]
            source = dated(folder / "c.tif", *cloudy[at], told)
            row = uncovered(source, image, *cloudy[at], others)
            rows.setdefault("NAIP, two other dates", []).append(row)
        for at, (kind, image) in enumerate(pictures()):
            one = covered(image, FIRST_SEED + at)
            row = uncovered(dated(folder / "c.tif", *one, told), image, *one, [])
            rows.setdefault(f"{kind}, inpainted", []).append(row)
        names = ("share found", "cloudy", "mean colour", "put back")
        for name, each in rows.items():
            kept = [row for row in each if np.isfinite(row).all()]
            title = f"clouds {'told' if told else 'found'}, {name}, {len(kept)} of {len(each)}"
            show(title, table_of(names, kept) if kept else {})


def dated(path: Path, cloudy: NDArray[np.uint8], mask: Mask, told: bool) -> Path:
    """The picture as a file; `told` with a quality band that tells its clouds."""
    if not told:
        return write(path, cloudy)
    quality_band = np.where(mask, 22280, 21824)[None]
    values = np.concatenate([cloudy, quality_band]).astype(np.uint16)
    return write(path, values, ("red", "green", "blue", "QA_PIXEL"))


def middle_of(path: Path) -> NDArray[np.uint8]:
    """The middle 256 x 256 pixels of the first three bands, 1 at least."""
    values = read(path)[:3]
    top, left = ((each - SIDE) // 2 for each in values.shape[1:])
    return np.asarray(np.maximum(values[:, top : top + SIDE, left : left + SIDE], 1), np.uint8)


def covered(image: NDArray[np.uint8], seed: int) -> tuple[NDArray[np.uint8], Mask]:
    """The image with clouds over 15 % of it, and where they hide a quarter of the light or more."""
    from data.scenes.weather import clouded

    rows, columns = image.shape[1:]
    _, through = clouded(np.zeros((rows, columns, 3), np.float32), 0.15, np.random.default_rng(seed))
    share = through[np.newaxis]
    return np.clip(image * share + 237 * (1 - share), 1, 255).round().astype(np.uint8), np.asarray(
        through <= 0.75
    )


def uncovered(
    source: Path, clear: NDArray[np.uint8], cloudy: NDArray[np.uint8], mask: Mask, others: list[Path]
) -> tuple[float, ...]:
    """The share of the clouds that was replaced, and the errors there; not-a-number where none was."""
    from data.vision.declouding import TAKEN, remove_clouds

    target = source.with_name("r.tif")
    remove_clouds(Unheard(), source, target, others)
    values = read(target)
    replaced = mask & (values[-1] != TAKEN) & (values[-1] != 0)
    if not replaced.any():
        return (0.0, np.nan, np.nan, np.nan)
    flat = np.broadcast_to(cloudy[:, ~mask].mean(axis=1)[:, None, None], clear.shape)
    errors = [(each.astype(float) - clear)[:, replaced] for each in (cloudy, flat, values[:3])]
    return (float(replaced.sum() / mask.sum()), *(float(np.sqrt((each**2).mean())) for each in errors))


QA_PIXEL = {
    21824: "clear", 21888: "clear", 21826: "cloud", 21890: "cloud", 22280: "cloud", 24344: "cloud",
    24472: "cloud", 54596: "cloud", 54852: "cloud", 55052: "cloud", 56856: "cloud", 56984: "cloud",
    57240: "cloud", 23888: "shadow", 23952: "shadow", 30048: "snow", 1: "no value",
}  # fmt: skip
"""Values of Landsat 8's quality band and what the handbook says they mean (USGS LSDS-1619, table 6-3)."""
SCL = {
    0: "no value", 1: "clear", 2: "clear", 3: "shadow", 4: "clear", 5: "clear", 6: "clear", 7: "clear",
    8: "cloud", 9: "cloud", 10: "cloud", 11: "snow",
}  # fmt: skip
"""Sentinel-2's scene classification: 7 is unclassified, 8 to 10 cloud of medium and high chance, cirrus."""


def quality(folder: Path) -> None:
    """The share of pixels told as the product's handbook explains the values that were written into them."""
    from data.vision.clouds import find_clouds

    numbers = {"clear": 0, "cloud": 1, "shadow": 2, "snow": 0, "no value": 255}
    for name, table in (("QA_PIXEL", QA_PIXEL), ("SCL", SCL)):
        values = np.random.default_rng(0).choice(list(table), (SIDE, SIDE)).astype(np.uint16)
        source = write(folder / "q.tif", values[None], (name,))
        said = made(find_clouds, source, folder)
        truth = np.vectorize(lambda value, table=table: numbers[table[value]])(values)
        show(
            f"{name}, {len(table)} values, read as the handbook says",
            {"share": float((said == truth).mean())},
        )


PARTS = {
    "floods": floods, "edges": edges, "land": land, "roads": roads, "quantities": quantities,
    "likeness": likenesses, "measures": measures, "impulses": impulses, "speckle": speckle, "clouds": clouds,
    "quality": quality,
}  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with TemporaryDirectory(prefix="azimuth-bench-") as room:
        for part in sys.argv[1:] or list(PARTS):
            PARTS[part](Path(room))
