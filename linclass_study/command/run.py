"""`linclass init | run | status | report`: start a study from files of one's own, run it, and look at its results."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
import webbrowser
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from snakemake.utils import update_config

from linclass.base.messages import counted, first_names
from linclass_study.analysis import study_file
from linclass_study.analysis.data_warnings import classes_without_order, serious, unread_columns
from linclass_study.analysis.wording import direction_words
from linclass_study.checks.check_dataset import misleading
from linclass_study.command.results_folder import ResultsFolder, Run, open_results
from linclass_study.config.parts import divide
from linclass_study.config.schema import schema_for_editors
from linclass_study.config.selected_entries import checked_method, small_dataset
from linclass_study.config.study import KINDS, Study, read_config
from linclass_study.data.formats.csv import header_columns
from linclass_study.errors import StudyError, Unavailable
from linclass_study.execution.folds import make_folds
from linclass_study.execution.job_plan import plan_bundles, run_seconds
from linclass_study.files.writing import yaml_text
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import DEFAULT_STUDY, ROOT
from linclass_study.protocols import divides_test_rows, selected_protocols, size_of
from linclass_study.statuses import UNFITTED

STARTER = ROOT / "config" / "starter"
NOTHING: Mapping[str, Any] = MappingProxyType({})
EARLIER = "of an earlier version of this study: run the study to its end"
SCHEMA = "study.schema.json"  # for editors; the first line of study.yaml names it
STUDY_OF_CSV = """\
# yaml-language-server: $schema=study.schema.json
# Made by `linclass init`; `linclass check study.yaml` lists what will be computed.
results: results
datasets: [{name}]
methods: [majority, lda, logistic, svm, least_squares]
evaluation: {{folds: 5, inner_folds: 3}}
define:
  datasets:
    {name}:
      source: {{file: {file}}}
      format: csv{dialect}
      target: {target}
"""


def init(folder: Path, csv: Path | None = None, target: str = "") -> Iterator[str]:
    """Write the starter files into a folder, or a study of a CSV file; yields what was written.

    A file that exists is never overwritten.
    """
    catalogues = {kind: read_yaml(ROOT / "config" / f"{kind}.yaml") for kind in KINDS}
    if csv is None:
        files = sorted(STARTER.glob("*.*"))
        texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    else:
        texts = {"study.yaml": _study_of_csv(folder, csv, target, catalogues["datasets"])}
    texts[SCHEMA] = json.dumps(schema_for_editors(catalogues), indent=1)
    if there := [name for name in texts if (folder / name).exists()]:
        raise StudyError(f"{folder / there[0]} exists; give another folder, or move the file away")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        yield f"wrote {folder / name}"
    where = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    yield f"next  {where}linclass run study.yaml"


def _study_of_csv(folder: Path, csv: Path, target: str, taken: Iterable[str]) -> str:
    refused = []
    for separator in ",;\t|":
        try:
            columns = header_columns(csv, {"separator": separator})
            break
        except Unavailable as error:
            refused.append(f"{csv}: {error}")
    else:
        raise StudyError(refused[0])
    if target not in columns:
        raise StudyError(
            f"{csv} has no column '{target}'; its columns are {first_names(columns, 12)}: give one as --target"
        )
    name = re.sub("[^a-z0-9]", "_", csv.stem.lower()).strip("_")
    path = csv.resolve()
    shown = path.relative_to(folder.resolve()) if path.is_relative_to(folder.resolve()) else path
    dialect = f"\n      csv: {{separator: {json.dumps(separator)}}}" * (separator != ",")
    return STUDY_OF_CSV.format(
        name=yaml_text(f"my_{name}" if name in taken else name or "data"),
        file=yaml_text(shown),
        dialect=dialect,
        target=yaml_text(target),
    )


def run(files: Sequence[Path], options: Sequence[str], part: Mapping[str, Any]) -> NoReturn:
    """Check a study, or a part of it, and run it by Snakemake with these options.

    This process becomes Snakemake, so that signals reach it, and its exit code is Snakemake's.
    """
    checked_study(files, part)
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    if files:
        command += ["--configfile", *map(str, files)]
    # Snakemake takes the last --config alone
    place = next((i for i, name in enumerate(options) if name in ("--config", "-C")), None)
    given = [f"{key}={json.dumps(value)}" for key, value in part.items()]
    if place is not None:
        options = [*options[: place + 1], *given, *options[place + 1 :]]
    elif given:
        command[4:4] = ["--config", *given]
    os.execv(sys.executable, [*command, *options])


@contextmanager
def results_of(
    given: str, part: Mapping[str, Any]
) -> Iterator[tuple[ResultsFolder, list[Run], bool]]:
    """The results and the planned runs of a study file, or of a results folder that has its study.json, and whether
    the page is of this study."""
    if Path(given).suffix in (".yaml", ".yml"):
        study = checked_study([Path(given).expanduser()], part)
        planned = [(d, m) for d in study.datasets for m in study.methods]
        results = ResultsFolder(str(study.results), Path(study.results))
        asked = {name: getattr(study, name) for name in study_file.PARTS}
        written = (results.folder / study_file.NAME).exists()
        yield results, planned, written and not study_file.is_other(results.folder, asked)
        return
    if part:
        raise StudyError(f"{given}: a results folder has no parts; leave out --only and --part")
    with open_results(given) as results:
        outcome = results.study.outcome
        yield results, [(d, m) for d in outcome.datasets for m in outcome.methods], True


def status_lines(results: ResultsFolder, planned: Sequence[Run], is_current: bool) -> Iterator[str]:
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
    about = page if is_current else f"{page} is {EARLIER}"
    yield f"page     {about if page.exists() else 'not written yet: run the study to its end'}"


def is_complete(results: ResultsFolder, planned: Sequence[Run], is_current: bool) -> bool:
    """Whether every planned run has fits, and the page is written and of this study."""
    files = [results.path(run, "fits.parquet") for run in planned]
    return is_current and all(file.exists() for file in [*files, results.folder / "report.html"])


def report_lines(results: ResultsFolder, browser: bool) -> Iterator[str]:
    """The answer of a study and the path of its page, which is opened in a browser if asked for."""
    page = results.folder / "report.html"
    if not page.exists():
        raise StudyError(f"{results.given} has no report.html; run the study to its end")
    answer = results.folder / "answer.txt"
    lines = answer.read_text(encoding="utf-8").splitlines() if answer.exists() else []
    yield from [line for line in lines if not line.startswith("report: ")]
    if not (results.folder / study_file.NAME).exists():  # an unfinished run of an edited study
        yield f"The page is {EARLIER}"
    yield f"report: {page}"
    if browser and not webbrowser.open(page.resolve().as_uri()):
        yield "no browser was found; open the page by hand"


# `linclass check STUDY.yaml`: read a study as the workflow does, and print what it will compute, or its errors.
#
# Snakemake reads the files of `--configfile` before any file of the project, and refuses what is not YAML without
# naming the line. Here every error is one line with file, line and remedy.

NAMES = 12  # of data sets or methods that are listed
PART = 7200.0  # expected seconds of a part: a longer study is divided


def checked_study(files: Sequence[Path], part: Mapping[str, Any] = NOTHING) -> Study:
    """The study of these files over the defaults, merged as by `--configfile`; one line per error in StudyError."""
    merged: dict[str, Any] = {}
    for file in (DEFAULT_STUDY, *files):
        content = read_yaml(file)
        if isinstance(content, dict):  # else refused below
            update_config(merged, content)
    merged |= part
    return read_config(merged, [DEFAULT_STUDY, *files])


def plan_lines(
    study: Study, files: Sequence[Path], part: Mapping[str, Any] = NOTHING
) -> Iterator[str]:
    """What the study, or a part of it, will compute, in a few lines."""
    jobs = plan_bundles(study).values()
    runs = len(study.datasets) * len(study.methods)
    yield f"{' '.join(map(str, files)) or DEFAULT_STUDY}: no errors"
    yield f"data sets   {_listed(study.datasets)}"
    yield f"methods     {_listed(study.methods)}"
    yield f"runs        {runs:,}, each a method on a data set, in {counted(len(jobs), 'job')}"
    yield f"time        {expected_time([job.work for job in jobs])}"
    if not part and (lines := _parts(study, sum(job.work for job in jobs))):
        yield lines
    protocols = selected_protocols(study.evaluation)
    fits = [
        f"{math.prod(size_of(name, options))} by {name}"
        + " (only of data sets with a test set)" * (name == "official")
        for name, options in protocols.items()
    ]
    yield f"fits        of each run {', '.join(fits)}"
    # test sets of folders of texts and bags of words are known once their files are read
    first, own = next(iter(protocols)), [n for n, one in study.datasets.items() if "test" in one]
    if own and first != "official" and divides_test_rows(study.evaluation):
        yield (
            f"test rows   of {first_names(own, NAMES)}: {first}, hence the answer, trains on them, too "
            "(`cv_rows: all`); `cv_rows: train` keeps them unseen"
        )
    yield from _columns(study)
    for name, entry in study.methods.items():
        yield from (f"warning     {name}: {text}" for text in checked_method(entry)["idle"])
        if tuned := study.parameters[name].get("by_default"):
            how = "is tuned along its path; a value under `params:` fixes it"
            yield f"by default  of {name}: {', '.join(tuned)} {how}"
    yield f"ranked by   {_directed(study.evaluation['tune_metric'])}"
    if others := study.evaluation.get("metrics"):
        yield f"scored by   {', '.join(map(_directed, others))}, and linclass's metrics"
    yield f"results     {study.results}"
    words = [*map(str, files)]
    for key, value in part.items():
        words += [f"--{key}", value if isinstance(value, str) else ",".join(value)]
    given = shlex.join(words)
    yield f"to run it   linclass run{f' {given}' if given else ''}"


def _parts(study: Study, seconds: float) -> str:
    """in parts    --part 1/8 to --part 8/8, 66 to 70 minutes each; empty for a study that needs none"""
    number = 1
    while seconds / number > PART and math.isfinite(seconds):
        number *= 2
    number = min(number, len(study.datasets))
    if number == 1:
        return ""
    work = run_seconds(study)
    of_parts = [
        sum(work[name, method] for name in names for method in study.methods) / 60
        for names in divide(study.datasets, number)
    ]
    least, most = round(min(of_parts)), round(max(of_parts))
    minutes = f"{least} to {most} minutes" if least < most else counted(most, "minute")
    return f"in parts    --part 1/{number} to --part {number}/{number}, {minutes} each; `linclass merge` joins them"


def expected_time(seconds: Sequence[float]) -> str:
    """about 3 hours on one core, within a factor of five; infinite seconds are of data of unknown size"""
    known = [job for job in seconds if math.isfinite(job)]
    if not known:
        return "unknown, as the sizes of the data are"
    total, unknown = sum(known), len(seconds) - len(known)
    hours, minutes = round(total / 3600), max(round(total / 60), 1)
    long = f"{hours:,} hours" if hours >= 3 else counted(minutes, "minute")
    without = f"; without {counted(unknown, 'job')} on data of unknown size" if unknown else ""
    return f"about {long} on one core, within a factor of five{without}"


def _columns(study: Study) -> Iterator[str]:
    """Protocols without folds, columns of text that no method reads, and columns and classes that the checks of the
    data will warn about.
    """
    for name, entry in study.datasets.items():
        warnings: list[str] = []
        data, texts, categories = small_dataset(entry, study.folders)
        if isinstance(data, str):
            warnings += [f"it will be unavailable: {data}"] * bool(data)
        else:
            warnings += serious(misleading(data))
            for protocol, reason in make_folds(data, name, study.evaluation)[1].items():
                if protocol != "official":  # of the test set, which is not read here
                    warnings.append(f"no fits by {protocol}: {reason}")
            warnings += classes_without_order(study.methods, entry, data.classes)
        warnings += unread_columns(study.methods, texts, categories)
        yield from (f"warning     {name}: {text}" for text in warnings)


def _directed(metric: str) -> str:
    """accuracy (greater is better)"""
    return f"{metric} ({direction_words(metric)})"


def _listed(names: Iterable[str]) -> str:
    """3: iris, heart, mine"""
    every = [*names]
    return f"{len(every)}: {first_names(every, NAMES)}"
