"""Time to read a CSV, beside its lower bound: Polars' reader, and sorting the rows into canonical order.

    python benchmarks/reading.py [rows] [columns] [repeats]

The file has a text column, the class, and numbers of 6 decimals. What is measured alternates, and the
table shows medians, so that other work on the machine falls on all of it alike.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass_study.data.build_dataset import canonical_order, content_digest, normalized
from linclass_study.data.dataset import Dataset
from linclass_study.data.source_reader import obtain_dataset


def write(path: Path, rows: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns - 1)).round(6)
    numbers = {f"x{j + 1}": X[:, j] for j in range(columns - 1)}
    pl.DataFrame({**numbers, "class": rng.choice(["no", "yes"], rows)}).write_csv(path)


def in_order(found: Dataset, shuffle: np.ndarray) -> str:
    """What canonical order is: one bit pattern per value, hashes, sorting, the rows moved, the digest."""
    table = normalized(found.table.rows(shuffle))
    y, split = found.y[shuffle], found.split[shuffle]
    order = canonical_order(table, y, split)
    return content_digest(table.rows(order), y[order], split[order], found.classes)


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - processor


def main(rows: int = 1_000_000, columns: int = 30, repeats: int = 5) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write(path, rows, columns)
        entry = {"source": {"file": str(path)}, "target": "class"}
        found = obtain_dataset(entry, [], Path(folder), Path(folder))
        shuffle = np.random.default_rng(1).permutation(rows)
        assert in_order(found, shuffle) == found.digest
        calls: dict[str, Callable[[], Any]] = {
            "polars.read_csv": lambda: pl.read_csv(path),
            "canonical order": lambda: in_order(found, shuffle),
            "from the file to the data set": lambda: obtain_dataset(
                entry, [], Path(folder), Path(folder)
            ),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
        for _ in range(repeats):
            for name, call in calls.items():
                times[name].append(timed(call))
    print(f"{rows:,} rows × {columns} columns, medians of {repeats}")
    print(f"{'':32}{'seconds':>10}{'of processor':>14}")
    medians = {
        name: [statistics.median(each) for each in zip(*t, strict=True)]
        for name, t in times.items()
    }
    for name, (wall, processor) in medians.items():
        print(f"{name:32}{wall:10.2f}{processor:14.2f}")
    least = [sum(medians[name][i] for name in list(calls)[:2]) for i in range(2)]
    ours = medians["from the file to the data set"]
    print(f"{'ours / (read_csv + order)':32}{ours[0] / least[0]:10.2f}{ours[1] / least[1]:14.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
