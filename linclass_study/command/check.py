"""`linclass check STUDY.yaml`: read a study as the workflow does, and print what it will compute, or its errors.

Snakemake reads the files of `--configfile` before any file of the project, and refuses what is not YAML without
naming the line. Here every error is one line with file, line and remedy.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from snakemake.utils import update_config

from linclass.base.messages import counted, first_names
from linclass_study.analysis.wording import direction_words
from linclass_study.checks.check_dataset import misleading
from linclass_study.checks.findings import (
    classes_without_order,
    columns_without_order,
    serious,
    unread_columns,
)
from linclass_study.config.entry_checks import columns_of_text, idle_of_method, small_dataset
from linclass_study.config.study import Study, read_config
from linclass_study.config.yaml_file import read_yaml
from linclass_study.data.search_folders import SearchFolders
from linclass_study.execution.folds import make_folds
from linclass_study.execution.jobs import plan_bundles
from linclass_study.pipeline.protocols import divides_test_rows, protocol_named, selected_protocols
from linclass_study.project import DEFAULT_STUDY, ROOT

NAMES = 12  # of data sets or methods that are listed


def checked_study(files: Sequence[Path]) -> Study:
    """The study of these files over the defaults, merged as by `--configfile`; one line per error in StudyError."""
    merged: dict[str, Any] = {}
    for file in (DEFAULT_STUDY, *files):
        content = read_yaml(file)
        if isinstance(content, dict):  # else refused below
            update_config(merged, content)
    return read_config(merged, [DEFAULT_STUDY, *files], ROOT)


def plan_lines(study: Study, files: Sequence[Path]) -> Iterator[str]:
    """What the study will compute, in a few lines."""
    jobs = plan_bundles(study).values()
    runs = len(study.datasets) * len(study.methods)
    yield f"{' '.join(map(str, files)) or DEFAULT_STUDY}: no errors"
    yield f"data sets   {_listed(study.datasets)}"
    yield f"methods     {_listed(study.methods)}"
    yield f"runs        {runs:,}, each a method on a data set, in {counted(len(jobs), 'job')}"
    yield f"fits        of each run {', '.join(_protocols(study))}"
    yield from _official_rows(study)
    yield from _columns(study)
    for name, entry in study.methods.items():
        yield from (f"warning     {name}: {text}" for text in idle_of_method(entry))
        if by_default := study.parameters[name].get("by_default"):
            yield (
                f"by default  of {name}: {', '.join(by_default)} is tuned along its path; a value under "
                "`params:` fixes it"
            )
    yield f"ranked by   {_directed(study.evaluation['tune_metric'])}"
    if others := study.evaluation.get("metrics"):
        yield f"scored by   {', '.join(map(_directed, others))}, and linclass's metrics"
    yield f"results     {study.results}"
    given = shlex.join(map(str, files))
    yield f"to run it   linclass run{f' {given}' if given else ''}"


def _protocols(study: Study) -> Iterator[str]:
    """5 by cv, 1 by official (only of data sets with a test set)"""
    for name, options in selected_protocols(study.evaluation).items():
        repeats, each = protocol_named(name).size(options)
        which = " (only of data sets with a test set)" if name == "official" else ""
        yield f"{repeats * each} by {name}{which}"


def _official_rows(study: Study) -> Iterator[str]:
    """Which data sets have an official test set that the protocol of the answer divides (`cv_rows: all`).

    Those of folders of texts and bags of words are known once their files are read.
    """
    first = next(iter(selected_protocols(study.evaluation)))
    own = [name for name, entry in study.datasets.items() if "test" in entry]
    if own and first != "official" and divides_test_rows(study.evaluation):
        yield (
            f"test rows   of {first_names(own, NAMES)}: {first}, hence the answer, trains on them, too "
            "(`cv_rows: all`); `cv_rows: train` keeps them unseen"
        )


def _columns(study: Study) -> Iterator[str]:
    """Protocols without folds, columns of text that no method reads, methods for ordered columns where there is no
    order, and columns and classes that the checks of the data will warn about.
    """
    folders = SearchFolders([Path(folder) for folder in study.mirrors], root=study.root)
    for name, entry in study.datasets.items():
        warnings: list[str] = []
        if (data := small_dataset(entry, folders)) is not None:
            warnings += serious(misleading(data))
            for protocol, reason in make_folds(data, name, study.evaluation)[1].items():
                if protocol != "official":  # of the test set, which is not read here
                    warnings.append(f"no fits by {protocol}: {reason}")
            warnings += classes_without_order(study.methods, entry, data.classes)
        texts, categories = columns_of_text(entry, folders)
        warnings += unread_columns(study.methods, texts, categories)
        warnings += columns_without_order(study.methods, entry, bool(texts), bool(categories))
        yield from (f"warning     {name}: {text}" for text in warnings)


def _directed(metric: str) -> str:
    """accuracy (greater is better)"""
    return f"{metric} ({direction_words(metric)})"


def _listed(names: Iterable[str]) -> str:
    """3: iris, heart, mine"""
    every = [*names]
    return f"{len(every)}: {first_names(every, NAMES)}"
