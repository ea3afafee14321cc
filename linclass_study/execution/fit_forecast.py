"""The runs that `snakemake -n` says will be fitted, and why.

A fit is repeated if its recipe, protocol or seed is new, or if its outcome is not valid under the limits of the study.
Whether its rows have changed is known only when the job runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from linclass.base.messages import counted, names_and_others
from linclass_study.execution.fit_store import OF_FIT, FittedRun, RunsOfDataset, outcome_holds
from linclass_study.execution.job_plan import Bundle
from linclass_study.execution.run_files import GRID, Limits, RunSpec, extras_of, recorded_run
from linclass_study.files.reading import read_about
from linclass_study.protocols import kind, planned_fits

SHOWN = 12  # data sets that have a line
NAMED = 5  # methods or data sets named in a line
WORDS = {"entry": "their entry", "code": "their code", "evaluation": "`evaluation:`"}
NEW = "new"  # change of a run that was never fitted
HOLDS = ""  # change of a fit whose outcome can be used


class ToFit:
    """`specified` maps a method to what the study specifies for its runs."""

    def __init__(
        self, results: Path, bundles: Mapping[str, Bundle], specified: Callable[[str], RunSpec]
    ) -> None:
        self.results, self.bundles, self.specified = results, bundles, specified
        self._runs = cache(lambda dataset: RunsOfDataset(results, dataset))
        self.changes = cache(self._changes)

    def lines(self, bundles: Iterable[str]) -> Iterator[str]:
        """A line for each data set of these bundles: how many of its runs are fitted, and which."""
        methods: dict[str, list[str]] = defaultdict(list)
        for dataset, method in self._runs_of(bundles):
            methods[dataset].append(method)
        for dataset, of_dataset in [*methods.items()][:SHOWN]:
            changes_by_method = {method: self.changes(dataset, method) for method in of_dataset}
            new = [
                method + ("" if NEW in changes else f" ({counted(sum(changes.values()), 'fit')})")
                for method, changes in changes_by_method.items()
                if changes
            ]
            total, least, more = counted(len(of_dataset), "run"), "", ""
            if new and len(new) < len(of_dataset):
                least, more = "at least ", ", more if rows have changed"
            which = f"none of {total} to fit unless their rows have changed"
            if new:
                which = f"{least}{len(new)} of {total} to fit{more}: {names_and_others(new, NAMED)}"
            yield f"{dataset}: {which}"
        if len(methods) > SHOWN:
            yield f"and {counted(len(methods) - SHOWN, 'other data set')}"

    def again(self, bundles: Iterable[str]) -> Iterator[str]:
        """A line for each change that makes fits of these bundles necessary: how many, and of which runs."""
        fits_by_change: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for dataset, method in self._runs_of(bundles):
            for change, number in self.changes(dataset, method).items():
                fits_by_change[change].append((dataset, method, number))
        fits_by_change.pop(NEW, None)
        for change, of_change in fits_by_change.items():
            datasets, methods, numbers = zip(*of_change, strict=True)
            what, where = (
                names_and_others([*dict.fromkeys(names)], NAMED) for names in (methods, datasets)
            )
            fits = counted(sum(numbers), "fit")
            yield f"{change}: {what} on {where} ({fits})"

    def _runs_of(self, bundles: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in bundles:
            yield from self.bundles[name].runs

    def _changes(self, dataset: str, method: str) -> Mapping[str, int]:
        """Change since the last fits of a run → number of fits that it makes necessary; NEW for a new run."""
        record = recorded_run(self.results / "runs" / dataset / method)
        spec = self.specified(method)
        if record is not None and record["asked"] == spec.asked:
            return {}
        runs = [*self._runs(dataset).by_recipe(method, spec.recipe)]
        if not (runs or record):
            return {NEW: 1}
        try:
            about = read_about(self.results / "data" / f"{dataset}.json")
        except (OSError, ValueError):
            return {NEW: 1}
        planned = [*planned_fits(spec.evaluation, about)]
        known_by_run = [known_fits(run, spec, planned) for run in runs]
        missing = [fit for fit in planned if not any(one.get(fit) == HOLDS for one in known_by_run)]
        why = {fit: change for one in known_by_run for fit, change in one.items()}
        otherwise = "new fits, as `evaluation:` changed"
        if record is not None and record.get("recipe") != spec.recipe:
            parts = record.get("parts") or {}
            changed = [WORDS[part] for part in WORDS if parts.get(part) != spec.parts[part]]
            otherwise = f"fitted again, as {names_and_others(changed, len(WORDS))} changed"
        return Counter(why.get(fit, otherwise) for fit in missing)


def known_fits(
    run: FittedRun, spec: RunSpec, planned: list[tuple[str, int, int]]
) -> dict[tuple[str, int, int], str]:
    """Planned fits that a run contains → HOLDS, or why they are repeated."""
    limits = Limits.of(spec.limits)
    traced = spec.evaluation["tune_metric"] if spec.evaluation.get("traces") else ""
    on_plane = next((name for name, *_ in planned if kind(name) != "leave_one_out"), "")
    drawn = (extra for made in run.made for extra in made.extras if extra.startswith(GRID))
    grid = next(drawn, "").removeprefix(GRID)
    fits = {}
    for row, made in zip(run.rows, run.made, strict=True):
        fit = tuple(row[column] for column in OF_FIT)
        if run.record["protocols"].get(fit[0]) != spec.protocols.get(fit[0]):
            continue
        needed = extras_of(spec.entry, traced, on_plane, fit, grid)
        if not outcome_holds(row, made.limits, limits):
            fits[fit] = "fitted again, as `limits:` changed"
        elif {*needed} - {*made.extras}:
            fits[fit] = "fitted again, as `evaluation:` changed"
        else:
            fits[fit] = HOLDS
    return fits
