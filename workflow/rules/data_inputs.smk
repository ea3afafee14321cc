"""Inputs and parameters of the rules that fetch and check data sets."""

import json
from time import time_ns
from functools import cache
from pathlib import Path

from linclass_study.data.entry import metadata
from linclass_study.data.fetch import fetch_attempts, fetch_inputs
from linclass_study.project import ROOT
from linclass_study.config import code
from linclass_study.config.study import AS_IS

FIRST = 1_000_000  # priority of the jobs on which all others wait; no expected time in seconds is above it


def entry_of_dataset(wildcards):
    return as_text(metadata.without_metadata(STUDY.datasets[wildcards.dataset]))


def metadata_of_dataset(wildcards):
    """Licence and citation."""
    return as_text(metadata.licence_and_citation(STUDY.datasets[wildcards.dataset]))


def local_files(wildcards):
    """Local files that the entry names: an edit fetches the data set again.

    Snakemake takes braces in a name for wildcards; of such a file the content alone, a parameter, notices edits.
    """
    files = fetch_inputs.local_files(STUDY.datasets[wildcards.dataset], ROOT)
    return [file for file in files if not {"{", "}"} & {*file}]


def content_of_local_files(wildcards):
    """Digest of their content, which detects copies with an old time stamp."""
    return fetch_inputs.content_of_local_files(STUDY.datasets[wildcards.dataset], ROOT)


def attempt(wildcards):
    """Increases when an unavailable data set has become available."""
    return fetch_attempts.current_attempt(STUDY.results, wildcards.dataset)


def retries(wildcards):
    """Requests a retry of each data set that could not be fetched, once in each run."""
    names = [name for name in DATASETS if fetch_attempts.may_be_retried(STUDY.results, name)]
    return [f"<results>/state/{name}.retried" for name in names]


def code_of_dataset(wildcards):
    return code_of_fetch(entry_of_dataset(wildcards))


@cache
def code_of_fetch(entry):
    return code.of_script(SCRIPTS / "fetch.py", *fetch_inputs.modules_of_entry(json.loads(entry)))


def features_as_is():
    """The file of features of the methods without feature maps, if the study has any."""
    return f"<results>/features/{{dataset}}/{AS_IS}.npz" if AS_IS in STUDY.features else []


def steps_of_features(wildcards):
    return as_text(STUDY.features[wildcards.features])


def code_of_features(wildcards):
    return code.of_features(STUDY.features[wildcards.features], SCRIPTS / "featurize.py")
