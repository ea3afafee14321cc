"""bundles/{bundle}.json: the runs of a job and their files.

A manifest is the only output of a job, whatever the number of its runs. If it does not agree with the files, the job
runs again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.execution import run_files
from linclass_study.files.reading import read_json
from linclass_study.files.writing import atomic_write

FOLDER = "bundles"
LISTED = ("asked", "rows", "files")  # of a recorded run


def path_of(results: Path, bundle: str) -> Path:
    return results / FOLDER / f"{bundle}.json"


def write_manifest(path: Path, runs: Mapping[str, Mapping[str, Any]]) -> None:
    """`runs` maps dataset/method to run_files.recorded_run."""
    listed = {run: {part: about[part] for part in LISTED} for run, about in runs.items()}
    with atomic_write(path) as partial:
        partial.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def read_manifest(path: Path) -> dict[str, dict[str, Any]]:
    """The runs of a manifest; empty if the file is missing or invalid."""
    try:
        runs = dict(read_json(path))
        for about in runs.values():
            _ = [(file["bytes"], file["digest"]) for file in about["files"].values()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return runs


def is_current(results: Path, bundle: str, wanted: Mapping[str, str]) -> bool:
    """Whether the manifest lists exactly the wanted runs (run → digest of its specification) and their files exist.

    Snakemake detects changed parameters only while it has its own records; results that were moved, or whose
    .snakemake was deleted, are checked here.
    """
    runs = read_manifest(path_of(results, bundle))
    whole = (run_files.are_there(results / "runs" / run, runs[run]["files"]) for run in runs)
    return {run: about.get("asked") for run, about in runs.items()} == wanted and all(whole)
