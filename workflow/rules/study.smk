"""Read and check the study, and define the functions that all rules share.

A job is rerun if its entry, the content of its code, or the content of its input has changed, but not if a file was
merely touched or a part that it does not use has changed.
"""

import json
import sys
from functools import cache
from pathlib import Path

from snakemake.logging import logger

from linclass import metrics
from linclass_study.jobs import bundles
from linclass_study.own_metrics import metrics_of, own_metrics
from linclass_study.project import ROOT, refuse_another_copy
from linclass_study.refusal import Refused
from linclass_study.report import exhibits, page_tables
from linclass_study.study import code, config as studies, lock
from linclass_study.study.own_modules import own_modules
from linclass_study.textbook import course

SCRIPTS = ROOT / "workflow" / "scripts"

try:
    if workflow.is_main_process:
        refuse_another_copy(Path(workflow.basedir))
    STUDY = studies.read_config(config, workflow.configfiles, ROOT, workflow.is_main_process)
except Refused as refused:
    sys.exit(str(refused))

config.update(results=STUDY.results, downloads=STUDY.downloads)  # expanded paths, for jobs

if workflow.is_main_process:
    lock.remove_stale_locks()
    lock.explain_refusals(logger, STUDY.results)

DATASETS = list(STUDY.datasets)
METHODS = list(STUDY.methods)
FIGURES = exhibits.figure_names(
    exhibits.asked_figures(STUDY.evaluation, STUDY.methods)
)  # PER_DATASET → names of the figures
BUNDLES = bundles.of_study(STUDY)  # name → runs that share a job
DIVIDED = "[^/@]+@[^/@]+@[0-9]+"  # names of bundles whose run is divided among several jobs
BUNDLES_OF = bundles.of_datasets(BUNDLES.values())  # data set → bundles that contain its runs
PAGE_TABLES = page_tables.table_files(DATASETS)
TEXTBOOK = course.script_names()


pathvars:
    results=STUDY.results,


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    features="[^/]+",
    exhibit="[^/]+",
    bundle="[^/@]*(@[^/@]+)?",
    shard="[0-9]+",


def as_text(value):
    """JSON of a parameter. Order matters: that of classes defines their codes, that of candidates breaks ties."""
    return json.dumps(value, default=str)


@cache
def code_of(script, *modules, reads=()):
    return code.of_script(SCRIPTS / script, *modules, reads=[ROOT / file for file in reads])


def metric_modules():
    """Modules of linclass's metrics, and of those that the study names by import paths."""
    files = (ROOT / "linclass" / "metrics").glob("[!_]*.py")
    own = [module for name in own_metrics(STUDY.evaluation) for module in metrics.modules_of(name)]
    return sorted(f"linclass.metrics.{file.stem}" for file in files) + own


@cache
def study_as_text():
    """The parts of the study that tables, figures and the report need."""
    parts = ("results", "datasets", "methods", "evaluation", "limits", "positions")
    return json.dumps({part: getattr(STUDY, part) for part in parts}, default=str)


def whole_study(wildcards):
    """The same as a function: in a plain text Snakemake takes {3,} of a pattern, or {Iris} of a citation, for wildcards."""
    return study_as_text()


def study_of_dataset(wildcards):
    """The same for a figure of one data set, without the other data sets."""
    study = json.loads(study_as_text())
    own = {wildcards.dataset: study["datasets"][wildcards.dataset]}
    return json.dumps(study | {"datasets": own, "part": wildcards.dataset})


def files_of_study(wildcards):
    """The YAML files of the study."""
    return list(map(str, STUDY.files))


def modules_of_study(wildcards):
    """Names, paths and digests of the study's own modules."""
    return own_modules(STUDY)


def force(file):
    """Force the job that makes a file. The file is not deleted before, so a dry run loses nothing."""
    if workflow.is_main_process:
        workflow.dag.forcefiles.add(file)
