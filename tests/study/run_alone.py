"""Runs of methods on made-up data sets, in a child process of their own or in this process."""

from importlib import import_module
from pathlib import Path

from linclass_study.execution import worker
from linclass_study.execution.features import NOWHERE, FeatureFile, compute_features
from linclass_study.execution.fit_jobs import compute_bundle
from linclass_study.execution.fit_run import PlannedRun, SharedChild, fit_and_predict, task
from linclass_study.execution.folds import make_folds, read_plan, write_folds
from linclass_study.execution.run_files import OTHERS
from linclass_study.processes.guard import GuardedResult
from linclass_study.processes.guarded_child import answer_of_call

LIMITS = {"fit_seconds": 60, "fit_memory_mb": 1000}
EVALUATION = {
    "protocols": ["cv"], "folds": 3, "repeats": 1, "inner_folds": 2,
    "tune_metric": "accuracy", "tune_rule": "best", "seed": 7,
}  # fmt: skip
TWICE = EVALUATION | {"repeats": 2}
STEPS = ["impute", "one_hot", "standardize"]
ENTRIES = {
    "lda": {"classifier": "linclass.LinearDiscriminantAnalysis"},
    "svm": {
        "classifier": "linclass.LinearSVM",
        "tune": {"strength": [0.1, 1]},
        "transforms": STEPS,
    },
    "theirs": {"classifier": "sklearn.linear_model.SGDClassifier"},  # draws from a seed
    "own": {"classifier": "odd_estimators.Remembers"},
}
METHODS = {
    name: {"entry": entry, "code": "c", "features": "as_is"} for name, entry in ENTRIES.items()
}


def rows_file(folder, table, y, **more):
    """A file of these rows, as runs read it, without a plane to draw boundaries on."""
    FeatureFile(table, y, *NOWHERE, **more).save(Path(folder) / "as_is.npz")
    return str(Path(folder) / "as_is.npz")


def run_alone(entry, path, plan, task, limits=LIMITS, name="m", **options):
    """The records of the fits of this method on the rows of the file."""
    with SharedChild(limits) as child:
        return fit_and_predict(PlannedRun("d", name, entry, path, plan, task, 1, **options), child)


def planned(data, folder, evaluation=EVALUATION):
    """The plan and the task of all runs on this data set."""
    about = {"status": "available", "test_rows": int(data.split.sum()), "classes": data.classes}
    about["positive"] = data.classes[data.positive]
    file = str(folder / "folds.parquet")
    write_folds(*make_folds(data, "d", evaluation), file)
    return read_plan(file, about, evaluation), task(about, evaluation)


def run_on(data, folder, entry, evaluation=EVALUATION):
    """The records of the fits of this method on the data set."""
    features = str(folder / "features.npz")
    compute_features(data, entry.get("features", [])).save(features)
    return run_alone(entry, features, *planned(data, folder, evaluation))


def compute(results, evaluation, *methods, limits=LIMITS, **changes):
    """Make the runs of some METHODS, with these changes, in the folder of the fixture `results`."""
    specs = {method: METHODS[method] | changes for method in methods}
    return compute_bundle(results, {"d": specs}, evaluation, limits)


def files(results):
    """The content of all files of the runs without seconds and memory in them."""
    paths = sorted(path for name in OTHERS for path in results.glob(f"runs/d/*/{name}"))
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in paths}


def call_here(guard, *arguments):
    """Guard.call without a process of its own, for tests that are not about processes and limits."""
    if not guard._built:
        worker.loaded.clear()
        module, _, name = guard.target.partition(":")
        make = getattr(import_module(module), name)
        built, guard.state = answer_of_call(lambda: make(**guard.arguments))
        guard._built = True
        if built[0] != "ok":
            guard._unbuilt = GuardedResult(*built)
    return guard._unbuilt or GuardedResult(*answer_of_call(guard.state, *arguments)[0])
