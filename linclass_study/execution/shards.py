"""A heavy run whose planned fits are distributed to several jobs and gathered afterwards.

The fits of such a run are independent (execution/bundles.py) and have their own seeds, so the files of the run are
those of the undivided run, byte for byte.

shards/{dataset}@{method}@{shards}/{shard}.npz    outcomes of its fits; deleted when the run's files exist
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from linclass_study.errors import StudyError
from linclass_study.execution import feature_file, fit_store, unfinished_run
from linclass_study.execution.outcomes_file import outcomes_from_bytes, outcomes_to_bytes
from linclass_study.execution.records import Added, Records
from linclass_study.execution.run import fit_and_predict
from linclass_study.execution.run_files import current_run, recorded_run
from linclass_study.execution.run_lock import run_lock
from linclass_study.execution.shared_child import SharedChild
from linclass_study.execution.shared_inputs import MethodSpec, SharedInputs
from linclass_study.execution.slurm_memory import enough_memory
from linclass_study.execution.unfinished_run import UnfinishedRun
from linclass_study.files.disk_space import refuse_for_full_disk
from linclass_study.files.tables import FIT
from linclass_study.files.writing import atomic_write


def compute_shard(
    shared: SharedInputs,
    method: str,
    spec: MethodSpec,
    limits: Mapping[str, float],
    part: tuple[int, int],
    out: Path,
) -> None:
    """Compute the fits of `part`, (number, total), of a run; none if its files are up to date."""
    inputs = shared.inputs_of(spec, limits)
    with run_lock(out):
        added: list[Added] | None = None
        unfinished = UnfinishedRun(out.with_name(f"{out.stem}.{unfinished_run.FILE}"))
        if current_run(shared.folder(method), inputs) is None:
            earlier = shared.earlier_fits(method, spec, limits, unfinished)
            with enough_memory(), SharedChild(limits) as child:
                records = fit_and_predict(shared.run_of(method, spec), child, part, earlier)
            refuse_for_full_disk(records.reasons(), out)
            added = records.added
        with atomic_write(out) as partial:
            partial.write_bytes(outcomes_to_bytes(added))
        unfinished.forget()


def gather(
    shared: SharedInputs,
    method: str,
    spec: MethodSpec,
    limits: Mapping[str, float],
    parts: Iterable[Path],
) -> dict[str, dict[str, Any]]:
    """Write the run's files from those of its shards; return its entry in the manifest."""
    inputs, folder = shared.inputs_of(spec, limits), shared.folder(method)
    found = {part: outcomes_from_bytes(part, part.read_bytes()) for part in parts}
    with run_lock(folder):
        if current_run(folder, inputs) is None:
            _refuse_without_fits(found, f"{shared.dataset} × {method}")
            axes, _ = feature_file.axes_and_reason(shared.features(spec["features"]))
            records = _in_order(
                [one for part in found.values() for one in part or ()], shared, axes
            )
            fit_store.replace(shared.results, shared.dataset, method, records.added)
            records.write(folder, inputs)
            fit_store.forget_contained(shared.results, shared.dataset, inputs.recipe, records.added)
    record = recorded_run(folder)
    assert record is not None
    return {f"{shared.dataset}/{method}": record}


def _refuse_without_fits(found: Mapping[Path, list[Added] | None], run: str) -> None:
    """Refuse shards without fits: the run's files were up to date then, and have been deleted since."""
    if without := [part for part, added in found.items() if added is None]:
        for part in without:
            part.unlink()
        raise StudyError(f"{run}: its files were deleted meanwhile; run again to fit it again")


def _in_order(added: list[Added], shared: SharedInputs, axes: Any) -> Records:
    """Records in the order of the undivided run."""
    by_fit = {tuple(one[0][name] for name in FIT[2:]): one for one in added}
    records = Records(axes, shared.plan.on_plane)
    for rows in shared.plan.fits:
        records.add(*by_fit[rows.protocol, rows.repeat, rows.fold])
    return records
