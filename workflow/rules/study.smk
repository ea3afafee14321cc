"""Read and check the study, and define the functions that all rules share.

A job is rerun if its entry, the content of its code, or the content of its input has changed, but not if a file was
merely touched or a part that it does not use has changed.
"""

import os
import sys
from functools import cache
from pathlib import Path
from pkgutil import iter_modules

from snakemake.logging import logger

from linclass.evaluation import metrics
from linclass_study.execution import jobs
from linclass_study.pipeline.own_metrics import metrics_of, own_metrics
from linclass_study.project import ROOT, refuse_another_copy
from linclass_study.errors import StudyError
from linclass_study.report import figure_files
from linclass_study.files.resolved_study import as_text, digest_of_part
from linclass_study.files.reading import refuse_broken_records
from linclass_study.config import code
from linclass_study.config import study
from linclass_study.execution import locks
from linclass_study.execution import snakemake_internals
from linclass_study.config.code import own_modules
from linclass_study.textbook import course

SCRIPTS = ROOT / "workflow" / "scripts"

try:
    if workflow.is_main_process:
        refuse_another_copy(Path(workflow.basedir))
    STUDY = study.read_config(config, workflow.configfiles, ROOT, workflow.is_main_process)
    if workflow.is_main_process:
        refuse_broken_records(Path(STUDY.results), STUDY.datasets)
except StudyError as refused:
    sys.exit(str(refused))

config.update(results=STUDY.results, downloads=STUDY.downloads)  # expanded paths, for jobs

os.environ.update(PYTHONHASHSEED="0")  # of jobs, so that sets have one order in them

if workflow.is_main_process:
    locks.remove_stale_locks()
    locks.explain_refusals(logger, STUDY.results)

DATASETS = list(STUDY.datasets)
METHODS = list(STUDY.methods)
FIGURES = figure_files.figure_names(
    figure_files.requested_figures(STUDY.evaluation, STUDY.methods)
)  # PER_DATASET → names of the figures
BUNDLES = jobs.plan_bundles(STUDY)  # name → runs that share a job
DIVIDED = "[^/@]+@[^/@]+@[0-9]+"  # names of bundles whose run is divided among several jobs
BUNDLES_OF = jobs.bundles_by_dataset(BUNDLES.values())  # data set → bundles that contain its runs
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


@cache
def code_of(script, *modules, reads=()):
    return code.of_script(SCRIPTS / script, *modules, reads=[ROOT / file for file in reads])


def metric_modules():
    """Modules of linclass's metrics, and of those that the study names by import paths."""
    names = [module.name for module in iter_modules(metrics.__path__) if module.name[0] != "_"]
    own = [module for name in own_metrics(STUDY.evaluation) for module in metrics.modules_of(name)]
    return [f"linclass.evaluation.metrics.{name}" for name in names] + own


# parts of the study that tables, figures and the report need
NAMES = ("methods", "evaluation", "limits", "positions", "parameters")
PARTS = {part: getattr(STUDY, part) for part in NAMES}


@cache
def description_of_study():
    """The study with all its data sets, its YAML files, and its own modules: names, paths and digests."""
    files = {
        "files": list(map(str, STUDY.files)),
        "modules": own_modules(STUDY.methods, STUDY.evaluation),
    }
    return {"datasets": STUDY.datasets} | PARTS | files


@cache
def digest_of_study():
    return digest_of_part(description_of_study())


@cache
def digest_of_methods():
    return digest_of_part(PARTS)


def study_of_dataset(wildcards):
    """Digest of what a figure of one data set shows: the study without the other data sets."""
    return digest_of_part([digest_of_methods(), entry_of_dataset(wildcards)])


def folder_of_results(wildcards):
    """Of a job, which reads the study from it (linclass_study/files/resolved_study.py)."""
    return STUDY.results


def force(file):
    """Force the job that makes a file."""
    if workflow.is_main_process:
        snakemake_internals.force(workflow, file)
