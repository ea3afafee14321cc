"""`linclass init | run | status | report`: start a study from files of one's own, run it, and look at its results."""

from __future__ import annotations

import json
import subprocess
import sys
import webbrowser
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from linclass.base.messages import counted, first_names
from linclass_study.command.check import checked_study
from linclass_study.command.open_results import open_results
from linclass_study.command.results_folder import ResultsFolder, Run
from linclass_study.config.schema import schema_for_editors
from linclass_study.config.study import KINDS
from linclass_study.config.yaml_file import read_yaml
from linclass_study.errors import StudyError
from linclass_study.project import ROOT
from linclass_study.statuses import UNFITTED

STARTER = ROOT / "config" / "starter"
SCHEMA = "study.schema.json"  # for editors; the first line of study.yaml names it
STUDY_OF_CSV = """\
# yaml-language-server: $schema=study.schema.json
# Made by `linclass init`; `linclass check {study}` lists what will be computed.
results: results
datasets: [{name}]
methods: [majority, lda, logistic, svm, least_squares]
evaluation: {{folds: 5, inner_folds: 3}}
define:
  datasets:
    {name}:
      source: {{file: {file}}}
      format: csv
      target: {target}
"""


def init(folder: Path, csv: Path | None = None, target: str = "") -> Iterator[str]:
    """Write the starter files into a folder, or a study of a CSV file; yields what was written.

    A file that exists is never overwritten.
    """
    if csv is None:
        files = sorted(STARTER.glob("*.*"))
        texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    else:
        texts = {"study.yaml": _study_of_csv(folder, csv, target)}
    catalogues = {kind: read_yaml(ROOT / "config" / f"{kind}.yaml") for kind in KINDS}
    texts[SCHEMA] = json.dumps(schema_for_editors(catalogues), indent=1)
    if there := [name for name in texts if (folder / name).exists()]:
        raise StudyError(f"{folder / there[0]} exists; give another folder, or move the file away")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        yield f"wrote {folder / name}"
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    yield f"next  {where}linclass run study.yaml"


def _study_of_csv(folder: Path, csv: Path, target: str) -> str:
    try:
        with csv.open(encoding="utf-8") as file:
            columns = [column.strip().strip('"') for column in file.readline().split(",")]
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{csv}: cannot be read ({error})") from None
    if target not in columns:
        raise StudyError(
            f"{csv} has no column '{target}'; its columns are {first_names(columns, 12)}: give one as --target"
        )
    name = "".join(letter if letter.isalnum() else "_" for letter in csv.stem).lower().strip("_")
    path = csv.resolve()
    shown = path.relative_to(folder.resolve()) if path.is_relative_to(folder.resolve()) else path
    quoted = f'"{target}"' if not target.isidentifier() else target
    return STUDY_OF_CSV.format(
        study="study.yaml", name=name or "data", file=f'"{shown}"', target=quoted
    )


def run(files: Sequence[Path], options: Sequence[str]) -> int:
    """Check a study and run it by Snakemake with these options; returns Snakemake's exit code."""
    checked_study(files)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    if files:
        command += ["--configfile", *map(str, files)]
    return subprocess.run([*command, *options], check=False).returncode


@contextmanager
def results_of(given: str) -> Iterator[tuple[ResultsFolder, list[Run]]]:
    """The results and the planned runs of a study file, or of a results folder that has its study.json."""
    if Path(given).suffix in (".yaml", ".yml"):
        study = checked_study([Path(given).expanduser()])
        planned = [(d, m) for d in study.datasets for m in study.methods]
        yield ResultsFolder(str(study.results), Path(study.results)), planned
        return
    with open_results(given) as results:
        outcome = results.study.outcome
        yield results, [(d, m) for d in outcome.datasets for m in outcome.methods]


def status_lines(results: ResultsFolder, planned: Sequence[Run]) -> Iterator[str]:
    """How much of a study is done: runs with fits, the status of the fits, and the page."""
    done = [run for run in planned if results.path(run, "fits.parquet").exists()]
    missing = ["/".join(run) for run in planned if run not in done]
    remaining = f"; to do: {first_names(missing, 6)}" if missing else ""
    yield f"runs     {len(done)} of {len(planned)} done{remaining}"
    fits: Counter[str] = Counter()
    for one in done:
        fits.update(results.run_table("fits", one)["status"])
    yield "fits     " + (", ".join(f"{n:,} {status}" for status, n in fits.most_common()) or "none")
    if failed := sum(n for status, n in fits.items() if status in UNFITTED):
        yield f"failed   {counted(failed, 'fit')}; the page and tables/failures.csv have the reasons"
    page = results.folder / "report.html"
    yield f"page     {page if page.exists() else 'not written yet: run the study to its end'}"


def is_complete(results: ResultsFolder, planned: Sequence[Run]) -> bool:
    """Whether every planned run has fits, and the page is written."""
    files = [results.path(run, "fits.parquet") for run in planned]
    return all(file.exists() for file in [*files, results.folder / "report.html"])


def report_lines(results: ResultsFolder, browser: bool) -> Iterator[str]:
    """The answer of a study and the path of its page, which is opened in a browser if asked for."""
    page = results.folder / "report.html"
    if not page.exists():
        raise StudyError(f"{results.given} has no report.html; run the study to its end")
    answer = results.folder / "answer.txt"
    lines = answer.read_text(encoding="utf-8").splitlines() if answer.exists() else []
    yield from [line for line in lines if not line.startswith("report: ")]
    yield f"report: {page}"
    if browser and not webbrowser.open(page.resolve().as_uri()):
        yield "no browser was found; open the page by hand"
