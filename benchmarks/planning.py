"""What the plan of a large study costs: time, length, Snakemake's records, and a run in which nothing is to be done.

    python benchmarks/planning.py [data sets] [methods]        250 × 40 = 10,000 runs by default

The study is drawn data × one method at many strengths. After the plan nothing is computed: every output is made up as
a file of the right name, and `snakemake --touch` notes that it is up to date. Exit code 1 if the plan or the records
are larger than the bars.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from linclass_study.command.run import checked_study
from linclass_study.execution.snakemake_internals import METADATA
from linclass_study.project import ROOT
from linclass_study.report.table import table_files
from linclass_study.workflow.rule_inputs import RuleInputs

MOST_LINES = 60  # of `snakemake -n --quiet rules`, whatever the size of the study
MOST_BYTES = 2000  # of records for each run: 20 MB for 10,000 runs
AVAILABLE = json.dumps(
    {"status": "available", "reason": "", "rows": 100, "drawn": {}, "not_drawn": {}}
)
STUDY = """
results: {folder}/results
datasets: ["drawn_{{k}}"]
methods: ["logistic_{{strength}}"]
define:
  datasets:
    drawn_{{k}}:
      grid: {{k: {datasets}}}
      source: {{generate: simplex, rows: [50, 50], features: 5}}
      seed: 1
  methods:
    logistic_{{strength}}:
      grid: {{strength: {strengths}}}
      classifier: linclass.LogisticRegression
      params: {{strength: "{{strength}}"}}
      transforms: [impute, one_hot, standardize]
"""


PLANS = (["-n"], ["-n", "--quiet", "rules"])


def main(datasets: int, methods: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder, "study.yaml")
        strengths = [round(0.001 * (k + 1), 6) for k in range(methods)]
        study.write_text(
            STUDY.format(folder=folder, datasets=list(range(datasets)), strengths=strengths)
        )
        print(f"{datasets} data sets × {methods} methods = {datasets * methods} runs", flush=True)
        print("plan:     ", timed(study, "-n", "--quiet", "all"), flush=True)
        whole, lines = (len(snakemake(study, *quiet).splitlines()) for quiet in PLANS)
        print(
            f"length:    {whole} lines; {lines} with --quiet rules, at most {MOST_LINES}",
            flush=True,
        )
        make_up(study, Path(folder, "results"))
        snakemake(study, "--touch")
        records = [*Path(folder, METADATA).iterdir()]
        size, most = sum(file.stat().st_size for file in records), MOST_BYTES * datasets * methods
        print(f"records:   {size:,} bytes in {len(records):,} files, at most {most:,}", flush=True)
        print("no change:", timed(study), flush=True)
    sys.exit(lines > MOST_LINES or size > most)


def make_up(study: Path, results: Path) -> None:
    """Every file that the study promises; manifests of its runs, which promise empty files."""
    manifests = made_up_manifests(study, results)
    for line in snakemake(study, "--summary").splitlines():
        path = Path(line.split("\t")[0])
        if path.is_relative_to(results):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(manifests[path.stem] if path.parent.name == "bundles" else AVAILABLE)
    for name in table_files(checked_study([study]).datasets):
        (results / "tables" / name).touch()


def made_up_manifests(file: Path, results: Path) -> dict[str, str]:
    """Name of a bundle → its manifest, with what the study asks of each run."""
    study = checked_study([file])
    inputs = RuleInputs(study, None)
    names = ("predictions.parquet", "fits.parquet")
    about = {"rows": "", "files": {name: {"bytes": 0, "digest": ""} for name in names}}
    asked = {method: inputs.run_spec(method).asked for method in study.methods}
    manifests = {}
    (results / "folds").mkdir(parents=True)
    for dataset in study.datasets:
        (results / "folds" / f"{dataset}.parquet").touch()
    for bundle in inputs.bundles.values():
        for dataset, method in bundle.runs:
            folder = results / "runs" / dataset / method
            folder.mkdir(parents=True, exist_ok=True)
            for name in names:
                (folder / name).touch()
        runs = {f"{d}/{method}": about | {"asked": asked[method]} for d, method in bundle.runs}
        manifests[bundle.name] = json.dumps(runs)
    return manifests


def timed(study: Path, *arguments: str) -> str:
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    output = snakemake(study, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    last = " / ".join(line for line in output.splitlines() if "to be done" in line)
    return f"{spent:.1f} s of processor time, {time.perf_counter() - begin:.1f} s in all   {last}"


def snakemake(study: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "snakemake", "--directory", str(study.parent)]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    done = subprocess.run(
        [*command, "--configfile", str(study), *arguments],
        cwd=study.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout + done.stderr


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (250, 40)))
