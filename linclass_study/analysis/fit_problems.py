"""Problems of fits: fits with the same status and reason are grouped, and so are failed candidates of the tuning."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from linclass.base.messages import counted, first_names
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import tuning_found
from linclass_study.files.environment import environment, numerical
from linclass_study.files.tables import FIT
from linclass_study.statuses import FITTED, UNFITTED

# a reason without its numbers (addresses, times, sizes), which may differ between the folds of one problem
KIND = pl.col("reason").str.replace_all(r"(?i)0x[0-9a-f]+|\d[\d.,]*(e[-+]?\d+)?", "#")


@dataclass(frozen=True)
class FitProblem:
    """`fits` fits of these methods on these data sets have this status and reason; `kind` is it without numbers. Of the
    tuning, `candidates` failed for this reason: C=0.1, kernel=rbf."""

    status: str
    reason: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    fits: int
    kind: str = ""
    candidates: tuple[str, ...] = ()


IN_PROTOCOL = {
    "cv": "in cross-validation",
    "official": "with the official test set",
    "hold_out": "in repeated hold-out",
    "leave_one_out": "in leave-one-out",
    "learning_curve": "for learning curves",
}


def planned_words(fits: pl.DataFrame) -> str:
    """What the fits of each method are for: 70 in cross-validation (7 data sets), 1 with …"""
    of_one = fits.select("dataset", "protocol", "repeat", "fold").unique()
    kinds = of_one.group_by(pl.col("protocol").str.split("@").list.first())
    counts = kinds.agg(pl.len(), pl.col("dataset").n_unique()).rows_by_key("protocol", unique=True)
    several = fits["dataset"].n_unique() > 1
    return ", ".join(
        f"{counts[name][0]:,} {words}" + f" ({counted(counts[name][1], 'data set')})" * several
        for name, words in IN_PROTOCOL.items()
        if name in counts
    )


def planned_sentence(fits: pl.DataFrame) -> str:
    words = planned_words(fits)
    return f"Fits planned for each method: {words}; those of the tuning are not counted."


def fit_problems(fits: pl.DataFrame, statuses: Iterable[str] = UNFITTED) -> list[FitProblem]:
    """Distinct problems, in the order of `statuses`, then of data sets and methods.

    Within a run, reasons that differ only in numbers are one problem, and the first one is shown. Problems of several
    runs are joined only if their reasons are identical: first over methods, then over data sets. Exceptions of the same
    methods are one problem even if their numbers differ; the message names the data set of the numbers it shows.
    """
    problems: list[FitProblem] = []
    for status in statuses:
        stripped = pl.col("reason").fill_null("").str.strip_chars()
        reason = pl.when(stripped == "").then(pl.lit("no reason was given")).otherwise(stripped)
        of_run = (
            fits.filter(status=status)
            .sort(FIT)
            .with_columns(reason=reason)
            .group_by("dataset", "method", kind=KIND, maintain_order=True)
            .agg(pl.col("reason").first(), fits=pl.len())
        )
        parts = [
            FitProblem(status, text, (dataset,), (method,), count, kind)
            for dataset, method, kind, text, count in of_run.iter_rows()
        ]
        parts = _joined(parts, lambda part: (part.datasets, part.reason))
        parts = _joined(parts, lambda part: (part.methods, part.reason))
        if status == "failed":
            datasets_alone = {part.datasets for part in parts}
            parts = _joined(parts, lambda part: (part.methods, part.kind))
            for i, one in enumerate(parts):
                if one.datasets not in datasets_alone:
                    parts[i] = replace(one, reason=f"on {one.datasets[0]}: {one.reason}")
        problems += parts
    return problems


def _joined(parts: list[FitProblem], key: Callable[[FitProblem], object]) -> list[FitProblem]:
    """Join problems with the same key; the reason is that of the first."""
    joined: dict[object, FitProblem] = {}
    for part in parts:
        if first := joined.get(key(part)):
            datasets = tuple(dict.fromkeys(first.datasets + part.datasets))
            methods = tuple(dict.fromkeys(first.methods + part.methods))
            part = replace(first, datasets=datasets, methods=methods, fits=first.fits + part.fits)
        joined[key(part)] = part
    return [*joined.values()]


FOLDER = Path("logs") / "cross_validate"


def log_of_problem(results: Path, problem: FitProblem) -> str:
    """The log of the first run that failed so, relative to the results; '' if there is none with its traceback.

    A job that runs again overwrites its log. Of runs that it does not repeat, it prints the kept logs (files/logs.py).
    """
    if problem.status != "failed":
        return ""
    dataset, method = problem.datasets[0], problem.methods[0]
    # names of bundles, as in execution/job_plan.py
    alone, shared = f"{dataset}@{method}", (dataset, f"{dataset}~*", "~*")
    for name in (alone, f"{alone}@*/*", *shared):
        for log in sorted((results / FOLDER).glob(f"{name}.log")):
            text = log.read_text(encoding="utf-8", errors="replace")
            if name in shared:
                of_run = text.partition(f"== {dataset} × {method}\n")[2]
                text = of_run.partition("\n== ")[0]
            if "Traceback" in text:
                return str(log.relative_to(results))
    return ""


def failed_candidates(outcome: Outcome) -> list[FitProblem]:
    """Candidates of the tuning that failed, in the order of methods; reasons that differ only in numbers are one."""
    failed = tuning_found(outcome).filter(pl.col("failure").is_not_null())
    of_run = (
        failed.rename({"failure": "reason"})
        .group_by("method", "dataset", kind=KIND, maintain_order=True)
        .agg(
            pl.col("value").unique(maintain_order=True),
            pl.col("reason").first(),
            fits=pl.struct(FIT[2:]).n_unique(),
        )
    )
    methods, datasets = [*outcome.methods], [*outcome.datasets]
    rows = sorted(of_run.rows(), key=lambda row: (methods.index(row[0]), datasets.index(row[1])))
    parts = []
    for method, dataset, kind, values, reason, fits in rows:
        settings = (json.loads(value).items() for value in values)
        candidates = tuple(
            ", ".join(f"{name}={value}" for name, value in setting) for setting in settings
        )
        parts.append(FitProblem("failed", reason, (dataset,), (method,), fits, kind, candidates))
    return _joined(parts, lambda part: (part.methods, part.candidates, part.kind))


# Whether the fits of a ranking were made in environments that may give different numbers.

UNRECORDED = "unrecorded"  # id of the environment of fits that name none
SHOWN = 5  # runs that are named
THREADS = re.compile(r", \d+ threads? per job")  # of environment.blas


def mixed_environments(
    fits: pl.DataFrame, environments: Mapping[str, Mapping[str, str]], results: str
) -> list[str]:
    """Differences between the environments of the fits with predictions, the runs that differ, and how to refit them
    in the folder `results`; empty if all environments are equivalent.

    Runs differ from the present environment or, if it has no fit, from that of most fits. `environments` maps ids to
    properties.
    """
    known_id = pl.col("environment").fill_null(UNRECORDED)
    ranked = fits.filter(pl.col("status").is_in(FITTED)).with_columns(known_id)
    by_count = ranked.group_by("environment").len().sort(-pl.col("len").cast(int), "environment")
    kinds = {name: numerical(environments.get(name, {})) for name in by_count["environment"]}
    counts: dict[str, int] = {}
    for name, count in by_count.iter_rows():
        same = next(other for other in kinds if kinds[other] == kinds[name])
        counts[same] = counts.get(same, 0) + count
    if len(counts) < 2:
        return []
    present = _without_threads(numerical(environment()))
    equal = [name for name in counts if _without_threads(kinds[name]) == present]
    reference = (equal or [max(counts, key=counts.__getitem__)])[0]
    others = [name for name in kinds if kinds[name] != kinds[reference]]
    runs = ranked.filter(pl.col("environment").is_in(others)).select("dataset", "method")
    names = [" × ".join(run) for run in runs.unique().sort(pl.all()).iter_rows()]
    ordered = [kinds[name] for name in sorted(kinds)]
    values = {
        name: [*dict.fromkeys(properties.get(name, "not recorded") for properties in ordered)]
        for name in dict.fromkeys(name for properties in ordered for name in properties)
    }
    differing = [f"{name} {' or '.join(of)}" for name, of in values.items() if len(of) > 1]
    command = shlex.join(["linclass", "clean", results, "--environment", *sorted(others)])
    differ = f"{'differs' if len(names) == 1 else 'differ'} from {'the present environment' if equal else 'most'}"
    return [
        f"The ranking mixes fits of different environments ({'; '.join(differing)})",
        f"{counted(len(names), 'run')} {differ}: {first_names(names, SHOWN)}",
        f"To fit them again in the present environment: `{command}`, then the study's snakemake command",
    ]


def _without_threads(properties: Mapping[str, str]) -> dict[str, str]:
    """This process may have more threads than the jobs that fit."""
    return {name: THREADS.sub("", value) for name, value in properties.items()}
