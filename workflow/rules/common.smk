"""Read and check the study, and define the functions that rules use.

A job is rerun if its entry, the content of its code, or the content of its input has changed, but not if a file was
merely touched or a part that it does not use has changed.
"""

import atexit
import hashlib
import json
import sys
from functools import cache
from pathlib import Path

from snakemake.logging import logger

from linclass_study.data.entry import metadata
from linclass_study.data.fetch import fetch_attempts, fetch_inputs, retry_unavailable
from linclass_study.project import ROOT, refuse_another_copy
from linclass_study.refusal import Refused
from linclass_study.report import exhibits, page_tables
from linclass_study.report.exhibit import FILES
from linclass_study.results import across_tables, study_file
from linclass_study.runs import bundle as bundle_of_runs, manifest
from linclass_study.study import code, config as studies, lock, progress
from linclass_study.jobs import bundles, resources, slurm_jobs
from linclass_study.jobs.to_fit import ToFit
from linclass_study.textbook import course

SCRIPTS = ROOT / "workflow" / "scripts"

try:
    if workflow.is_main_process:
        refuse_another_copy(Path(workflow.basedir))
    STUDY = studies.read(config, workflow.configfiles, ROOT)
    if workflow.is_main_process:
        studies.check(STUDY)
except Refused as refused:
    sys.exit(str(refused))

config.update(results=STUDY.results, downloads=STUDY.downloads)  # expanded paths, for jobs

if workflow.is_main_process:
    lock.drop_stale()
    lock.explain_refusals(logger, STUDY.results)

DATASETS = list(STUDY.datasets)
METHODS = list(STUDY.methods)
FIGURES = exhibits.names()  # PER_DATASET → names of the figures
BUNDLES = bundles.of_study(STUDY)  # name → runs that share a job
DIVIDED = "[^/@]+@[^/@]+@[0-9]+"  # names of bundles whose run is divided among several jobs
BUNDLES_OF = bundles.of_datasets(BUNDLES.values())  # data set → bundles that contain its runs
PAGE_TABLES = page_tables.files(DATASETS)
TEXTBOOK = course.names()


pathvars:
    results=STUDY.results,


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    features="[^/]+",
    exhibit="[^/]+",
    bundle="[^/@]*(@[^/@]+)?",
    shard="[0-9]+",


def folder_of_results(wildcards):
    """For jobs that find their files by the names of runs."""
    return STUDY.results


def entry_of_dataset(wildcards):
    return as_text(metadata.without_metadata(STUDY.datasets[wildcards.dataset]))


def metadata_of_dataset(wildcards):
    """Licence and citation."""
    return as_text(metadata.licence_and_citation(STUDY.datasets[wildcards.dataset]))


def local_files(wildcards):
    """Local files that the entry names: an edit fetches the data set again."""
    return fetch_inputs.local_files(STUDY.datasets[wildcards.dataset], ROOT)


def content_of_local_files(wildcards):
    """Digest of their content, which detects copies with an old time stamp."""
    return fetch_inputs.content_of_local_files(STUDY.datasets[wildcards.dataset], ROOT)


def attempt(wildcards):
    """Increases when an unavailable data set has become available."""
    ask_again()
    return fetch_attempts.attempt(STUDY.results, wildcards.dataset)


@cache
def ask_again():
    """Retry once, in the main process of a real run: not in dry runs or jobs."""
    if not workflow.is_main_process or workflow.executor_plugin is None or workflow.dryrun:
        return
    asked = [name for name in DATASETS if fetch_attempts.was_unavailable(STUDY.results, name)]
    if asked:
        logger.info(f"Retrying unavailable data sets: {shortened(asked)}")
        entries = {name: metadata.without_metadata(STUDY.datasets[name]) for name in asked}
        for name in retry_unavailable.available_now(entries, config):
            logger.info(f"{name} is available now")
            fetch_attempts.increment(STUDY.results, name)


def code_of_dataset(wildcards):
    return code_of_fetch(entry_of_dataset(wildcards))


@cache
def code_of_fetch(entry):
    return code.of_script(SCRIPTS / "fetch.py", *fetch_inputs.modules(json.loads(entry)))


@cache
def evaluation_of_fits():
    """The evaluation without `rope`, which does not affect predictions."""
    return as_text({key: value for key, value in STUDY.evaluation.items() if key != "rope"})


def evaluation_of_split(wildcards):
    """The keys of the evaluation on which folds depend."""
    return as_text(
        {key: STUDY.evaluation[key] for key in ("protocols", "folds", "repeats", "seed")}
    )


def steps_of_features(wildcards):
    return as_text(STUDY.features[wildcards.features])


def code_of_features(wildcards):
    return code.of_features(STUDY.features[wildcards.features], SCRIPTS / "featurize.py")


def features_of_bundle(wildcards):
    runs = BUNDLES[wildcards.bundle].runs
    names = {(dataset, STUDY.features_of[method]): None for dataset, method in runs}
    return [f"<results>/features/{dataset}/{features}.npz" for dataset, features in names]


def about_of_bundle(wildcards):
    return [f"<results>/data/{name}.json" for name in BUNDLES[wildcards.bundle].datasets]


def folds_of_bundle(wildcards):
    return [f"<results>/folds/{name}.parquet" for name in BUNDLES[wildcards.bundle].datasets]


def shards_of_bundle(wildcards):
    return BUNDLES[wildcards.bundle].shards


def files_of_shards(wildcards):
    shards = range(1, BUNDLES[wildcards.bundle].shards + 1)
    return [f"<results>/shards/{wildcards.bundle}/{shard}.pickle" for shard in shards]


def runs_of_bundle(wildcards):
    """data set → method → entry, code and features. A change of one of them reruns the job, which then computes only
    the runs that are affected."""
    runs = {}
    for dataset, method in BUNDLES[wildcards.bundle].runs:
        runs.setdefault(dataset, {})[method] = about_method(method)
    return as_text(runs)


def limits_of_fits():
    return {name: value for name, value in STUDY.limits.items() if name.startswith("fit_")}


@cache
def about_method(method):
    entry = STUDY.methods[method]
    script = SCRIPTS / "cross_validate.py"
    return {
        "entry": entry,
        "code": code.of_method(entry, STUDY.evaluation["tune_metric"], script),
        "features": STUDY.features_of[method],
    }


@cache
def asked_of_method(method):
    about = about_method(method)
    return bundle_of_runs.asked_of(
        about["entry"], about["code"], json.loads(evaluation_of_fits()), limits_of_fits()
    )


FITS = ToFit(Path(STUDY.results), BUNDLES, asked_of_method)


def again_if_runs_are_other(wildcards):
    """An input function without files: it forces the job if its manifest does not agree with the study.

    Snakemake does not detect this for results that were moved, or whose .snakemake was deleted.
    """
    runs = BUNDLES[wildcards.bundle].runs
    wanted = {f"{dataset}/{method}": asked_of_method(method) for dataset, method in runs}
    if not manifest.holds(Path(STUDY.results), wildcards.bundle, wanted):
        force(f"{STUDY.results}/{manifest.FOLDER}/{wildcards.bundle}.json")
    return []


def again_if_study_is_other(wildcards):
    """The same for study.json."""
    if study_file.is_other(Path(STUDY.results), study_as_text()):
        force(f"{STUDY.results}/{study_file.NAME}")
    return []


def again_if_folds_are_other(wildcards):
    """The same for folds: study.json records how they were made."""
    asked = json.loads(evaluation_of_split(wildcards))
    known = study_file.evaluation(Path(STUDY.results))
    if known and any(known.get(key) != value for key, value in asked.items()):
        force(f"{STUDY.results}/folds/{wildcards.dataset}.parquet")
    return []


def force(file):
    """Force the job that makes a file. The file is not deleted before, so a dry run loses nothing."""
    if workflow.is_main_process:
        workflow.dag.forcefiles.add(file)


def memory_of_bundle(wildcards, input, attempt):
    """Memory that is requested from a cluster, from the sizes of the files once they exist."""
    data = resources.megabytes(input.features)
    return resources.memory_mb(data, STUDY.limits["fit_memory_mb"], attempt)


def minutes_of_bundle(wildcards, input, attempt):
    return resources.minutes_of_bundle(BUNDLES[wildcards.bundle], STUDY, attempt)


def manifests_of_dataset(wildcards):
    return [f"<results>/bundles/{one.name}.json" for one in BUNDLES_OF[wildcards.dataset]]


@cache
def code_of(script, *modules, reads=()):
    return code.of_script(SCRIPTS / script, *modules, reads=[ROOT / file for file in reads])


def code_of_exhibit(wildcards):
    """All of linclass: a script of the textbook may use any of it."""
    files = [course.script(wildcards.exhibit), *(ROOT / "linclass").rglob("*.py")]
    return code.digest([SCRIPTS / "exhibit.py", *files], [])


@cache
def names_in_mirrors():
    """Digest of the file names in the mirrors: an exhibit is rerun if a missing file may have been added."""
    folders = filter(Path.is_dir, map(Path, STUDY.mirrors))
    names = sorted(str(file) for folder in folders for file in folder.iterdir())
    return hashlib.blake2b("\n".join(names).encode(), digest_size=8).hexdigest()


def metric_modules():
    return sorted(
        f"linclass.metrics.{file.stem}" for file in (ROOT / "linclass" / "metrics").glob("[!_]*.py")
    )


@cache
def study_as_text():
    """The parts of the study that tables, figures and the report need."""
    parts = ("results", "datasets", "methods", "evaluation", "limits", "positions")
    return json.dumps({part: getattr(STUDY, part) for part in parts}, default=str)


def study_of_dataset(wildcards):
    """The same for a figure of one data set, without the other data sets."""
    study = json.loads(study_as_text())
    own = {wildcards.dataset: study["datasets"][wildcards.dataset]}
    return json.dumps(study | {"datasets": own, "part": wildcards.dataset})


def files_of_figures(pattern, figures):
    return expand(pattern, figure=figures, file=FILES)


def drawn_files(pattern, figures, subcategory=None):
    """The same as outputs; each SVG is included in `snakemake --report` with the caption of its figure."""
    files = []
    for figure in figures:
        svg, *others = expand(pattern, figure=figure, file=FILES)
        files += [reported(svg, figure, exhibits.section(figure), subcategory), *others]
    return files


def page_files():
    """The tables of the page in every format; each CSV is included in `snakemake --report`."""
    files = expand("<results>/tables/{table}.{ending}", table=PAGE_TABLES, ending=["md", "tex"])
    for table in PAGE_TABLES:
        files.append(reported(f"<results>/tables/{table}.csv", table, "Tables"))
    return files


def reported(file, name, category, subcategory=None):
    """Mark a file for `snakemake --report`; its caption is in workflow/report/captions."""
    captions = ROOT / "workflow" / "report" / "captions"
    general = "table" if file.endswith(".csv") else "figure"
    return report(
        file,
        caption=str(captions / f"{name if (captions / f'{name}.rst').is_file() else general}.rst"),
        category=category,
        subcategory=subcategory,
        labels={general: name.replace("_", " ")},
    )


def code_of_figures(figures):
    return code_of("draw.py", *(f"linclass_study.report.figures.{name}" for name in figures))


def files_of_study():
    """The YAML files of the study."""
    return list(map(str, STUDY.files))


def as_text(value):
    """JSON of a parameter. Order matters: that of classes defines their codes, that of candidates breaks ties."""
    return json.dumps(value, default=str)


def look_after_slurm_jobs():
    """Before the first job: cancel the jobs of a killed Snakemake, and store the name of our own."""
    try:
        slurm_jobs.end_left_behind(STUDY.results, logger.info)
    except Refused as refused:
        sys.exit(str(refused))
    name = getattr(workflow.scheduler._executor, "run_uuid", None)  # of the Slurm executor only
    if name:
        slurm_jobs.remember(name, STUDY.results)


def take_results():
    """Lock the results folder for this process."""
    try:
        lock.take(STUDY.results)
    except Refused as refused:
        sys.exit(str(refused))


def withdraw_other_study():
    """Before the first fit: delete the study.json of another study, which no longer describes the folder."""
    rules = {job.rule.name for job in workflow.dag.needrun_jobs()}
    results = Path(STUDY.results)
    if rules & {"cross_validate", "gather_shards", "aggregate"}:
        if study_file.is_other(results, study_as_text()):
            (results / study_file.NAME).unlink(missing_ok=True)


def say_progress():
    """Show the progress; a dry run lists the jobs in full instead."""
    jobs = workflow.dag.needrun_jobs()
    progress.attach(logger, {workflow.dag.jobid(job): (name_of(job), work_of(job)) for job in jobs})


def name_of(job):
    return " ".join([job.rule.name, *job.wildcards])


def work_of(job):
    """Expected seconds of a job; only fits are estimated."""
    if job.rule.name not in ("cross_validate", "cross_validate_shard"):
        return 0.0
    bundle = BUNDLES[job.wildcards.bundle]
    return bundle.work / bundle.shards


def shortened(names):
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def say_answer_last():
    """Print the answer of the study after all messages of Snakemake; if only a part was requested, its files."""
    answer = Path(STUDY.results, "answer.txt")
    if any(str(answer) in job.output for job in workflow.dag.jobs):
        text = answer.read_text(encoding="utf-8").rstrip()
        atexit.register(print, text, file=sys.stderr)
    elif made := sorted({str(file) for job in workflow.dag.targetjobs for file in job.output}):
        text = f"Made: {shortened(made)} | the report was not requested"
        atexit.register(print, text, file=sys.stderr)


def say_unfinished_last():
    """Say that the study is not finished, instead of printing the answer of an earlier run."""
    text = "The study is not finished: the errors above say which jobs failed. What was computed is kept; run again."
    atexit.register(print, text, file=sys.stderr)


def all_results():
    """All files of a study: those that were deleted are made again."""
    return [
        *expand("<results>/{file}", file=["report.html", "answer.txt", "scores.csv", "study.json"]),
        *expand("<results>/{file}.parquet", file=["scores", "fits"]),
        *expand(
            "<results>/tables/{file}.csv", file=["summary", "fits", "times", "tuned", "datasets"]
        ),
        *expand("<results>/tables/{file}.csv", file=[*across_tables.NAMES, *PAGE_TABLES]),
        *expand("<results>/data/{dataset}.{form}", dataset=DATASETS, form=["json", "npz"]),
        *expand("<results>/folds/{dataset}.parquet", dataset=DATASETS),
        *expand("<results>/bundles/{bundle}.json", bundle=BUNDLES),
    ]
