"""The study, checked whole before any work, and the only functions that rules use.

A job is re-run when its entry, the content of the code it runs, or the content of its input changes:
never for a touched file, and never for a part that it does not use.
"""

import json
import sys
from functools import cache
from pathlib import Path

from linclass_study import code, config as studies, exhibits, fetching, lock
from linclass_study.refusal import Refused

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"

try:
    STUDY = studies.read(config, workflow.configfiles, ROOT)
    if workflow.is_main_process:
        studies.check(STUDY)
except Refused as refused:
    sys.exit(str(refused))

if workflow.is_main_process and not workflow.dryrun:
    lock.drop_stale()

DATASETS = list(STUDY.datasets)
METHODS = list(STUDY.methods)
EXHIBITS = exhibits.plan(DATASETS)  # figure → its exhibits


pathvars:
    results=STUDY.results,


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    features="[^/]+",


def entry_of_dataset(wildcards):
    return as_text(STUDY.datasets[wildcards.dataset])


def local_files(wildcards):
    """Files of the user or of resources/ that the entry names: an edit fetches the data set again."""
    return fetching.local_files(STUDY.datasets[wildcards.dataset], ROOT)


def attempt(wildcards):
    """Counts up while the data set is unavailable, so that it is tried again; then stands still."""
    return fetching.attempt(STUDY.results, wildcards.dataset)


def code_of_dataset(wildcards):
    return code_of_fetch(entry_of_dataset(wildcards))


@cache
def code_of_fetch(entry):
    return code.of_script(SCRIPTS / "fetch.py", *fetching.modules(json.loads(entry)))


def steps_of_features(wildcards):
    return as_text(STUDY.features[wildcards.features])


def code_of_features(wildcards):
    return code.of_features(STUDY.features[wildcards.features], SCRIPTS / "featurize.py")


def entry_of_method(wildcards):
    return as_text(STUDY.methods[wildcards.method])


def features_of_run(wildcards):
    name = STUDY.features_of[wildcards.method]
    return f"<results>/features/{wildcards.dataset}/{name}.npz"


@cache
def code_of_method_named(method):
    entry, metric = STUDY.methods[method], STUDY.evaluation["tune_metric"]
    return code.of_method(entry, metric, SCRIPTS / "cross_validate.py")


def code_of_method(wildcards):
    return code_of_method_named(wildcards.method)


@cache
def code_of(script, *modules, reads=()):
    return code.of_script(SCRIPTS / script, *modules, reads=[ROOT / file for file in reads])


def metric_modules():
    return sorted(
        f"linclass.metrics.{file.stem}" for file in (ROOT / "linclass" / "metrics").glob("[!_]*.py")
    )


@cache
def study_as_text():
    """What a table, a figure or the report needs to know of the study."""
    parts = ("results", "datasets", "methods", "evaluation", "limits", "positions")
    return json.dumps({part: getattr(STUDY, part) for part in parts}, default=str)


def as_text(value):
    """Compared as text: the order in which keys are written is no change."""
    return json.dumps(value, sort_keys=True, default=str)


def print_answer():
    answer = Path(STUDY.results, "answer.txt")
    if answer.exists():
        print(f"\n{answer.read_text(encoding='utf-8').rstrip()}", file=sys.stderr)
