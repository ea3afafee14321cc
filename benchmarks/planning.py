"""Time that Snakemake needs to plan a large study: all jobs, and a run in which nothing is to be done.

    python benchmarks/planning.py [data sets] [methods]        250 × 40 = 10,000 runs by default

The study is drawn data × one method at many strengths. For the second number nothing is computed: every output is
made up as a file of the right name, and `snakemake --touch` notes that it is up to date.
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

from linclass_study.project import ROOT

AVAILABLE = json.dumps({"status": "available", "reason": "", "rows": 100})
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


def main(datasets: int, methods: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder, "study.yaml")
        strengths = [round(0.001 * (k + 1), 6) for k in range(methods)]
        study.write_text(
            STUDY.format(folder=folder, datasets=list(range(datasets)), strengths=strengths)
        )
        print(f"{datasets} data sets × {methods} methods = {datasets * methods} runs", flush=True)
        print("plan:     ", timed(study, "-n", "--quiet", "all"), flush=True)
        make_up(study, Path(folder, "results"))
        snakemake(study, "--touch")
        print("no change:", timed(study), flush=True)


def make_up(study: Path, results: Path) -> None:
    """Every file that the study promises; manifests that promise empty files of their runs."""
    lines = snakemake(study, "--summary").splitlines()
    for line in lines:
        path = Path(line.split("\t")[0])
        if not path.is_relative_to(results):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made_up_manifest(results) if path.parent.name == "bundles" else AVAILABLE)


def made_up_manifest(results: Path) -> str:
    """Of 40 runs that share their two files, so that as many files are checked as in a real study."""
    folder = results / "runs" / "d" / "m"
    folder.mkdir(parents=True, exist_ok=True)
    names = ("predictions.parquet", "fits.parquet")
    for name in names:
        (folder / name).touch()
    about = {"asked": "", "rows": "", "files": {name: {"bytes": 0} for name in names}}
    return json.dumps({"d/m" + "/." * k: about for k in range(40)})


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
