"""Where our side of a case spends its time: functions by the share of what they do themselves.

A fit at the floor of NumPy shows products (`@` counts for the function it stands in, BLAS and LAPACK
calls for themselves) and exponentials on top; one that is not shows calls, checks and copies.
"""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 1.0  # of fits, at least, so that small ones are seen through the noise
ROWS = 12


def hotspots(fit: Callable[[], Any]) -> str:
    """A short table: share, calls per fit, milliseconds per fit, function."""
    fit()  # caches, imports
    start = time.perf_counter()
    fit()
    fits = max(1, round(SECONDS / (time.perf_counter() - start)))
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(fits):
        fit()
    profile.disable()
    stats = pstats.Stats(profile)
    total = stats.total_tt  # type: ignore[attr-defined]
    entries = sorted(stats.stats.items(), key=lambda e: -e[1][2])  # type: ignore[attr-defined]
    lines = [f"{'share':>7} {'calls':>8} {'ms':>9}  function, per fit"]
    for (file, line, name), (_, calls, own, *_) in entries[:ROWS]:
        where = name if file == "~" else f"{Path(file).stem}.{name}:{line}"
        per_fit = f"{calls / fits:8.1f} {1e3 * own / fits:9.3f}"
        lines.append(f"{own / total:7.1%} {per_fit}  {where}")
    return "\n".join(lines)
