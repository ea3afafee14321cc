"""Write docs/report.png, the picture of the README: the first window of the report of the default study.

    snakemake && python docs/make_picture.py

Chromium draws it, and 256 colours make it small.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "report.png"
WINDOW = "1280,800"  # pixels


def main(report: Path = ROOT / "results" / "report.html") -> None:
    """Draw the report."""
    if not report.exists():
        raise SystemExit(f"{report} does not exist; run: snakemake")
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "report.png"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WINDOW}"]
        options.append("--virtual-time-budget=4000")  # for the scripts
        command = ["chromium", *options, f"--screenshot={drawn}", report.resolve().as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        with Image.open(drawn) as picture:
            picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(
                PICTURE, optimize=True
            )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
