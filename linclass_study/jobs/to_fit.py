"""What a job will fit, in the line that Snakemake says of it: `snakemake -n` names each run.

Known before there are any data: a run is fitted whose files are not there or were made of another entry, other
code, another evaluation or other limits. If the job runs because its rows are new, they tell more than this does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from linclass_study.jobs.bundles import Bundle
from linclass_study.runs import run_files

SHOWN = 40  # runs named in a line


class ToFit:
    """Formatted with the name of a bundle and a full stop: Snakemake reads a last letter q or u as its own."""

    def __init__(
        self, results: Path, bundles: Mapping[str, Bundle], asked: Callable[[str], str]
    ) -> None:
        self.results, self.bundles, self.asked = results, bundles, asked

    def __format__(self, name: str) -> str:
        bundle = self.bundles[name[:-1]]
        new = [
            f"{dataset} × {method}"
            for dataset, method in bundle.runs
            if self._is_new(dataset, method)
        ]
        shown = ", ".join(new[:SHOWN]) + (f" and {len(new) - SHOWN} more" if new[SHOWN:] else "")
        what = shown or "what has other rows than before"
        return f"{bundle.name}, {len(new)} of {len(bundle.runs)} runs to fit: {what}"

    def _is_new(self, dataset: str, method: str) -> bool:
        told = run_files.recorded(self.results / "runs" / dataset / method)
        return told is None or told["asked"] != self.asked(method)
