"""bundles/{bundle}.json: which runs a job has brought up to date, and what files they have.

A manifest is the one output of a job, however many runs it holds. It is a promise: the job of one that does not
hold is done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.runs import run_files

FOLDER = "bundles"


def write(path: Path, runs: Mapping[str, Mapping[str, Any]]) -> None:
    """runs: dataset/method → what run_files.recorded says of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    os.replace(partial, path)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Nothing, where the file is not there or is no manifest."""
    try:
        runs = dict(json.loads(path.read_text(encoding="utf-8")))
        for about in runs.values():
            _ = [(file["bytes"], file["digest"]) for file in about["files"].values()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return runs


def holds(results: Path, bundle: str, wanted: Mapping[str, str]) -> bool:
    """Whether the files of exactly the wanted runs are there, asked for in the same way: run → asked.

    Snakemake compares what a job was asked only while it has its own records. Results that were moved, or whose
    .snakemake is gone, must speak for themselves.
    """
    runs = read(results / FOLDER / f"{bundle}.json")
    whole = (run_files.are_there(results / "runs" / run, runs[run]["files"]) for run in runs)
    return {run: about.get("asked") for run, about in runs.items()} == wanted and all(whole)
