"""Inputs and parameters of the rules that fit and predict."""

from functools import cache
from pathlib import Path

from linclass_study.execution import jobs
from linclass_study.execution.to_fit import ToFit
from linclass_study.execution import run_files
from linclass_study.execution.run_spec import RunSpec
from linclass_study.config import code


@cache
def evaluation_of_fits():
    """The evaluation without the keys that do not affect predictions."""
    beside = ("rope", "metrics", "focus")
    return {key: value for key, value in STUDY.evaluation.items() if key not in beside}


def features_of_bundle(wildcards):
    runs = BUNDLES[wildcards.bundle].runs
    names = {(dataset, STUDY.features_of[method]): None for dataset, method in runs}
    return [f"<results>/features/{dataset}/{features}.npz" for dataset, features in names]


def about_of_bundle(wildcards):
    return [f"<results>/data/{name}.json" for name in BUNDLES[wildcards.bundle].datasets]


def shards_of_bundle(wildcards):
    return BUNDLES[wildcards.bundle].shards


def files_of_shards(wildcards):
    shards = range(1, BUNDLES[wildcards.bundle].shards + 1)
    return [f"<results>/shards/{wildcards.bundle}/{shard}.npz" for shard in shards]


def spec_digest_of_bundle(wildcards):
    """Digest of what the study specifies for these runs. A change reruns the job, which then computes only the runs
    that are affected."""
    runs = BUNDLES[wildcards.bundle].runs
    own = {f"{dataset}/{method}": digest_of_spec(method) for dataset, method in runs}
    return digest_of_part([own, digest_of_evaluation()])


@cache
def digest_of_spec(method):
    return digest_of_part(spec_of_method(method))


@cache
def digest_of_evaluation():
    return digest_of_part([evaluation_of_fits(), limits_of_fits()])


def described_fits():
    """What the jobs that fit read: which runs each makes, and everything that fits depend on."""
    return {
        "bundles": {name: bundle.runs for name, bundle in BUNDLES.items()},
        "specs": {method: spec_of_method(method) for method in METHODS},
        "evaluation": evaluation_of_fits(),
        "limits": limits_of_fits(),
    }


def limits_of_fits():
    return {name: value for name, value in STUDY.limits.items() if name.startswith("fit_")}


@cache
def spec_of_method(method):
    entry = STUDY.methods[method]
    return {
        "entry": entry,
        "code": code.digest_of_fits(entry, STUDY.evaluation["tune_metric"]),
        "tables": code_of("cross_validate.py"),
        "libraries": code.libraries_of_methods([entry]),
        "features": STUDY.features_of[method],
    }


@cache
def specified_of_method(method):
    """Everything that the study specifies for the runs of a method."""
    spec = spec_of_method(method)
    return RunSpec(
        spec["entry"], spec["code"], evaluation_of_fits(), limits_of_fits(), spec["tables"]
    )


FITS = ToFit(Path(STUDY.results), BUNDLES, specified_of_method)


def rerun_if_runs_differ(wildcards):
    """An input function without files: it forces the job if its manifest does not agree with the study or with the
    files of its runs and folds.

    Snakemake does not detect this for results that were moved, or whose .snakemake was deleted.
    """
    results, bundle = Path(STUDY.results), BUNDLES[wildcards.bundle]
    path = run_files.path_of(results, bundle.name)
    if path.exists():
        wanted = {f"{d}/{method}": specified_of_method(method).asked for d, method in bundle.runs}
        folds = (results / "folds" / f"{dataset}.parquet" for dataset in bundle.datasets)
        if not (
            all(map(Path.exists, folds)) and run_files.is_current(results, bundle.name, wanted)
        ):
            force(str(path))
    return []


def memory_of_bundle(wildcards, input, attempt):
    """Memory that is requested from a cluster, from the sizes of the files once they exist."""
    data = jobs.megabytes(input.features)
    return jobs.memory_mb(data, STUDY.limits["fit_memory_mb"], attempt)


def minutes_of_bundle(wildcards, input, attempt):
    return jobs.minutes_of_bundle(BUNDLES[wildcards.bundle], STUDY, attempt)


def longest_first(wildcards):
    """The expected seconds of a job as its priority, so that no long job is left alone at the end."""
    return min(BUNDLES[wildcards.bundle].work, FIRST)


def manifests_of_dataset(wildcards):
    return [f"<results>/bundles/{one.name}.json" for one in BUNDLES_OF[wildcards.dataset]]
