"""The runs that a job will fit, for the line that `snakemake -n` prints about the job.

They are known before the data: a run is fitted if its files are missing or were made with another entry, code,
evaluation or limits. Whether its rows have changed is known only when the job runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from linclass.counted import first_names
from linclass_study.jobs.bundles import Bundle
from linclass_study.runs.run_files import recorded_run

SHOWN = 40  # runs named in a line


class ToFit:
    """Formats the name of a bundle. It ends with a full stop, as Snakemake interprets a final letter q or u."""

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
        total = len(bundle.runs)
        if not new:
            return f"{bundle.name}, none of {total} runs to fit unless their rows have changed"
        least, more = ("at least ", ", more if rows have changed") if len(new) < total else ("", "")
        return f"{bundle.name}, {least}{len(new)} of {total} runs to fit{more}: {first_names(new, SHOWN)}"

    def _is_new(self, dataset: str, method: str) -> bool:
        record = recorded_run(self.results / "runs" / dataset / method)
        return record is None or record["asked"] != self.asked(method)
