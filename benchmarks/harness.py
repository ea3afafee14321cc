"""Side by side: our fit and a peer's, interleaved, on one BLAS thread; the median of ratios counts.

A case is only won at equal quality: both fits' relative suboptimality is worked out against an
optimum found once to much higher precision, and shown beside the ratio.
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotspots import hotspots

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before NumPy is imported

Fit = Callable[[], Any]
LARGE = 31 << 20  # bytes; glibc takes no notice of blocks above 32 MiB


@dataclass(frozen=True)
class Case:
    name: str
    peer: str  # with its settings
    ours: Fit
    theirs: Fit
    suboptimality: Callable[[Any], float]  # of what a fit returns, relative
    target: float  # ratio of times, ours/theirs
    within: float = 1e-8  # suboptimality that both must reach
    pairs: int = 7


@dataclass(frozen=True)
class Result:
    case: str
    peer: str
    ours_suboptimality: float
    peer_suboptimality: float
    ours_seconds: float
    peer_seconds: float
    ratio: float
    target: float
    met: bool

    def __str__(self) -> str:
        quality = f"{self.ours_suboptimality:8.1e} {self.peer_suboptimality:8.1e}"
        seconds = f"{self.ours_seconds:9.4f} {self.peer_seconds:9.4f}"
        verdict = "met" if self.met else "NOT MET"
        return (
            f"{self.case:<34} {self.peer:<30} {quality} {seconds} "
            f"{self.ratio:6.3f} {self.target:6.3f}  {verdict}"
        )


HEADER = (
    f"{'case':<34} {'peer':<30} {'ours off':>8} {'peer off':>8} "
    f"{'ours s':>9} {'peer s':>9} {'ratio':>6} {'target':>6}"
)


def compare(case: Case) -> Result:
    """Pairs of fits, each order in turn, so that a busy machine slows both alike."""
    ours, theirs = case.ours(), case.theirs()  # first: caches, imports
    repeat = max(1, min(200, round(0.02 / max(_time(case.theirs, 1), 1e-6))))
    times: list[tuple[float, float]] = []
    for k in range(case.pairs):
        if k % 2:
            a, b = _time(case.ours, repeat), _time(case.theirs, repeat)
        else:
            b, a = _time(case.theirs, repeat), _time(case.ours, repeat)
        times.append((a, b))
    ratio = statistics.median(a / b for a, b in times)
    off = case.suboptimality(ours), case.suboptimality(theirs)
    return Result(
        case.name,
        case.peer,
        *off,
        statistics.median(a for a, _ in times),
        statistics.median(b for _, b in times),
        ratio,
        case.target,
        ratio <= case.target and off[0] <= case.within,
    )


def run(cases: Iterable[Case], arguments: list[str]) -> int:
    """Print one line per case; `PATH.csv` among the arguments gets the same, other words select.

    With --profile no times are compared: each case shows where ours are spent.
    """
    paths = [a for a in arguments if a.endswith(".csv")]
    words = [a for a in arguments if not a.endswith(".csv") and a != "--profile"]
    chosen = (case for case in cases if not words or any(word in case.name for word in words))
    if "--profile" in arguments:
        for case in chosen:
            profile(case.name, case.ours)
        return 0
    keep_memory()
    print(HEADER)
    results = []
    for case in chosen:
        results.append(compare(case))
        print(results[-1], flush=True)
    for path in paths:
        write(results, Path(path))
    missed = [r.case for r in results if not r.met]
    print(f"{len(results) - len(missed)} of {len(results)} targets met", file=sys.stderr)
    return 0


def profile(name: str, fit: Fit) -> None:
    print(f"{name}\n{hotspots(fit)}\n", flush=True)


def keep_memory() -> None:
    """Let times not depend on the cases before.

    glibc returns free memory to the system, and asks for it again page by page, as long as no large
    block has been freed: up to a third of the time of either side. Freeing one ends that.
    """
    bytearray(LARGE)


def write(results: list[Result], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, fieldnames=list(Result.__dataclass_fields__))
        table.writeheader()
        table.writerows(vars(result) for result in results)


def _time(fit: Fit, repeat: int) -> float:
    start = time.process_time()  # of one thread, so other programs do not disturb it
    for _ in range(repeat):
        fit()
    return (time.process_time() - start) / repeat
