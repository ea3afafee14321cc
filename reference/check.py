"""Check an archive that somebody adds to the reference study:  python reference/check.py ARCHIVE [--runs 3]

It must have the data sets and folds of the reference, a row for each planned fit, and certificates within the
tolerance; some of its runs, drawn by its digest among the data sets of at most 1,000 rows, are computed again and must
give the same scores. This runs the code that the archive's configuration names: do it in a sandbox.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from linclass.base.messages import counted
from linclass_study.command.results_folder import ResultsFolder, Run, open_results
from linclass_study.command.verify import data_differences, environment_differences
from linclass_study.files.tables import FIT
from linclass_study.statuses import FITTED

HERE = Path(__file__).resolve().parent
REFERENCE = HERE / "2026.1"
LARGEST = 1000  # rows of a data set on which runs are computed again
GAP = 1e-6  # the tolerance of linclass's certificates


def problems(theirs: ResultsFolder, reference: ResultsFolder) -> Iterator[str]:
    """What an archive lacks or contradicts."""
    known = {*reference.study.outcome.datasets}
    for name in theirs.datasets:
        if name not in known:
            yield f"data set {name}: the reference study does not have it"
        else:
            yield from data_differences(name, theirs, reference, ("the archive", "the reference"))
    outcome = theirs.study.outcome
    planned = {(dataset, method) for dataset in outcome.datasets for method in outcome.methods}
    lacking = sorted(planned - {*theirs.runs})
    if lacking:
        runs = counted(len(lacking), "planned run")
        yield f"{runs} without rows, the first {' × '.join(lacking[0])}"
    for run in theirs.runs:
        fits = theirs.run_table("fits", run)
        folds = reference.study.outcome.evaluation["folds"]
        if fits.filter(protocol="cv").select(FIT).unique().height != folds:
            yield f"{' × '.join(run)}: not a row for each of {folds} folds"
        open_ = fits.filter(status="converged", certificate_kind="duality_gap")
        if (open_["certificate"].fill_null(1) > GAP).any():
            yield f"{' × '.join(run)}: a converged fit has a duality gap above {GAP}"


def sample(theirs: ResultsFolder, number: int) -> list[Run]:
    """Runs with predictions on small data sets, drawn by the digest of the archive's fits."""
    fits = pl.concat([theirs.run_table("fits", run) for run in theirs.runs])
    small = {
        name for name in theirs.datasets if (theirs.about(name) or {}).get("rows", 0) <= LARGEST
    }
    made = fits.filter(pl.col("status").is_in(FITTED), pl.col("dataset").is_in([*small]))
    runs = sorted(set(made.select("dataset", "method").iter_rows()))
    key = fits.select(*FIT, "objective", "status").sort(FIT).write_csv()
    draw = random.Random(hashlib.sha256(key.encode()).digest())
    return draw.sample(runs, min(number, len(runs)))


def recomputed(archive: str, theirs: ResultsFolder, run: Run) -> bool:
    """Whether the run gives the same again, computed from the configuration in the archive."""
    configuration = theirs.folder / "configuration"
    studies = [str(configuration / name) for study in theirs.study.studies for name in study]
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one.yaml"
        results = Path(folder) / "results"
        one.write_text(f"results: {results}\nmethods: [{run[1]}]\n", encoding="utf-8")
        command = [sys.executable, "-m", "linclass_study.command", "run", *studies, str(one)]
        made = subprocess.run([*command, "--only", run[0]], cwd=configuration, check=False)
        if made.returncode:
            return False
        (part,) = Path(folder).glob("results-only-*")
        verify = [sys.executable, "-m", "linclass_study.command", "verify", str(part), archive]
        return not subprocess.run(
            [*verify, "--part", "--tolerance", "1e-6"], check=False
        ).returncode


def main() -> int:
    """Print what is wrong; the exit code says whether anything is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("archive")
    parser.add_argument("--runs", type=int, default=3, help="how many runs are computed again")
    options = parser.parse_args()
    with open_results(options.archive) as theirs, open_results(str(REFERENCE)) as reference:
        found = [*problems(theirs, reference)]
        print(*environment_differences(theirs, reference), sep="\n")
        for run in [] if found else sample(theirs, options.runs):
            print(f"computing {' × '.join(run)} again", flush=True)
            if not recomputed(options.archive, theirs, run):
                found.append(f"{' × '.join(run)}: computed again, it differs")
    print(*found or [f"{options.archive}: nothing is wrong"], sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
