"""How much better than bicubic an image is doubled: `python -m benches.vision_upscaling`.

Bands that nothing was trained on: tile 2 of dubai_seg, the eastern part of the NAIP scene (all years), and
a place of which nothing was trained on (Joplin). Each is made coarser as a sensor with pixels twice as wide
would see it (Gaussian blur of so many pixels, mean over 2 x 2), doubled, and compared with itself: mean PSNR
in dB of the band's own range, mean SSIM.
"""

from __future__ import annotations

from pathlib import Path

from data.models.training.upscaler import measured

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "data" / "models" / "weights" / "upscale-2x.onnx"
BLURS_PX = (0.0, 0.7)


if __name__ == "__main__":
    for blur_px in BLURS_PX:
        for place, row in measured(WEIGHTS, ROOT.parent / "shared" / "data", blur_px).items():
            print(
                f"{place}, {row['bands']} bands, blur {blur_px} px: network {row['psnr_db']:.2f} dB, SSIM "
                f"{row['ssim']:.4f}; bicubic {row['bicubic_psnr_db']:.2f} dB, SSIM {row['bicubic_ssim']:.4f}",
                flush=True,
            )
