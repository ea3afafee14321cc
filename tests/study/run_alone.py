"""A run in a child process of its own, or in this process."""

from importlib import import_module
from pathlib import Path

from linclass_study.execution import worker
from linclass_study.execution.feature_file import NOWHERE, FeatureFile
from linclass_study.execution.fit_run import PlannedRun, SharedChild, fit_and_predict
from linclass_study.processes.guard import GuardedResult
from linclass_study.processes.guarded_child import answer_of_call


def run_alone(limits, *planned, **options):
    """The records of PlannedRun(*planned, **options)."""
    with SharedChild(limits) as child:
        return fit_and_predict(PlannedRun(*planned, **options), child)


def rows_file(folder, table, y, **more):
    """A file of these rows, as runs read it, without a plane to draw boundaries on."""
    FeatureFile(table, y, *NOWHERE, **more).save(Path(folder) / "as_is.npz")
    return str(Path(folder) / "as_is.npz")


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
