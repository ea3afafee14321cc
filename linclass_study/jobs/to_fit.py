"""The runs that a job will fit, for the line that `snakemake -n` prints about the job, and why, for its last lines.

They are known before the data: a run is fitted if its files are missing or were made with another entry, code,
evaluation or limits. Whether its rows have changed is known only when the job runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from linclass.counted import first_names, names_and_others
from linclass_study.jobs.bundles import Bundle
from linclass_study.runs.run_files import recorded_run

SHOWN = 40  # runs named in a line
NAMED = 5  # methods or data sets named in a line
WORDS = {
    "entry": "their entry",
    "code": "their code",
    "evaluation": "`evaluation:`",
    "limits": "`limits:`",
}


class ToFit:
    """Formats the name of a bundle. It ends with a full stop, as Snakemake interprets a final letter q or u.

    asked   method → digest of what the study specifies for its runs
    parts   method → digests of its parts
    """

    def __init__(
        self,
        results: Path,
        bundles: Mapping[str, Bundle],
        asked: Callable[[str], str],
        parts: Callable[[str], Mapping[str, str]],
    ) -> None:
        self.results, self.bundles, self.asked, self.parts = results, bundles, asked, parts

    def __format__(self, name: str) -> str:
        bundle = self.bundles[name[:-1]]
        found = {run: self._change(*run) for run in bundle.runs}
        new = [" × ".join(run) for run, change in found.items() if change is not None]
        total = len(bundle.runs)
        if not new:
            return f"{bundle.name}, none of {total} runs to fit unless their rows have changed"
        least, more = ("at least ", ", more if rows have changed") if len(new) < total else ("", "")
        return f"{bundle.name}, {least}{len(new)} of {total} runs to fit{more}: {first_names(new, SHOWN)}"

    def again(self, bundles: Iterable[str]) -> Iterator[str]:
        """A line for each change for which runs of these bundles are fitted again: of what, and which."""
        methods: dict[str, dict[str, None]] = defaultdict(dict)
        datasets: dict[str, dict[str, None]] = defaultdict(dict)
        for name in bundles:
            for dataset, method in self.bundles[name].runs:
                if change := self._change(dataset, method):
                    methods[change][method] = datasets[change][dataset] = None
        for change, those in methods.items():
            where = names_and_others([*datasets[change]], NAMED)
            yield f"fitted again, as {change} changed: {names_and_others([*those], NAMED)} on {where}"

    def _change(self, dataset: str, method: str) -> str | None:
        """What has changed since a run was fitted; '' if it was not, None if nothing has."""
        record = recorded_run(self.results / "runs" / dataset / method)
        if record is None:
            return ""
        if record["asked"] == self.asked(method):
            return None
        known, now = record.get("parts") or {}, self.parts(method)
        changed = [WORDS[part] for part in WORDS if known and known.get(part) != now.get(part)]
        return names_and_others(
            changed or [*WORDS.values()], len(WORDS), "and" if changed else "or"
        )
