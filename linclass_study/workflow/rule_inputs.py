"""What the rules of the workflow ask for: input files, parameters, resources and priorities of their jobs.

A job is rerun if its entry, the content of its code, or the content of its input has changed, but not if a file was
merely touched or a part that it does not use has changed. So parameters are texts and digests of the parts that a job
uses. Names of files begin with `<results>`, which Snakemake replaces by the folder of results.

Some input functions return no file: they force a job whose outputs do not agree with the study or were lost. Snakemake
does not detect this for results that were moved, or whose .snakemake was deleted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from snakemake.utils import update_config

from linclass.evaluation import metrics
from linclass_study import entries
from linclass_study.analysis import study_file
from linclass_study.config import code
from linclass_study.config.study import AS_IS, Study, read_config
from linclass_study.data import fetch_inputs
from linclass_study.errors import StudyError
from linclass_study.execution import job_plan, locks, run_files, snakemake_internals
from linclass_study.execution.fit_forecast import ToFit
from linclass_study.execution.run_files import RunSpec
from linclass_study.files.digests import short_digest
from linclass_study.files.reading import refuse_broken_records
from linclass_study.files.resolved_study import as_text, digest_of_part
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import DEFAULT_STUDY, PACKAGES, ROOT, refuse_another_copy
from linclass_study.protocols import own_metrics
from linclass_study.report import contents, figure_files
from linclass_study.report.figure_files import figure_numbers
from linclass_study.report.table import table_files
from linclass_study.textbook import course

SCRIPTS = ROOT / "workflow" / "scripts"
FIRST = 1_000_000  # priority of the jobs on which all others wait; no expected time in seconds is above it
DIVIDED = "[^/@]+@[^/@]+@[0-9]+"  # names of bundles whose run is divided among several jobs
# keys of `evaluation:` that affect no prediction
NOT_OF_FITS = ("rope", "metrics", "focus", "strata")
# in tables, figures, report
SHOWN = ("methods", "evaluation", "limits", "parameters", "figure_style")


def open_study(workflow: Any, config: dict[str, Any], logger: Any) -> Study:
    """The study of Snakemake's `config`; exit with one line for each error in it.

    Jobs get the expanded paths and one order of sets.
    """
    is_main, files = workflow.is_main_process, workflow.configfiles
    # imported by another workflow, which gives `config:`
    if str(DEFAULT_STUDY) not in map(str, files):
        given = dict(config)
        config.update(read_yaml(DEFAULT_STUDY))
        update_config(config, given)
        files = [DEFAULT_STUDY]
    try:
        if provider := workflow.storage_settings.default_storage_provider:
            raise StudyError(
                f"--default-storage-provider {provider}: the results folder must be on a file system that all jobs "
                "see; leave out this option, and store an archive of the results (docs/cluster.md)"
            )
        if is_main and not (snakemake_internals.METADATA.exists() or os.access(".", os.W_OK)):
            raise StudyError(
                f"{os.getcwd()}: this folder cannot be written, and Snakemake keeps its records in it (.snakemake): "
                "make it writable, or run the study in another folder"
            )
        if is_main:
            refuse_another_copy(str(workflow.current_basedir))
        study = read_config(config, files, is_main)
        if is_main:
            refuse_broken_records(Path(study.results), study.datasets)
    except StudyError as error:
        sys.exit(str(error))
    config.update(results=study.results, downloads=study.downloads)
    os.environ.update(PYTHONHASHSEED="0")
    if is_main:
        locks.explain_read_only(logger, study.results)
        if not snakemake_internals.is_imported(workflow):
            snakemake_internals.switch_off_locks()
    return study


@cache
def code_of(script: str, *modules: str, reads: tuple[str, ...] = ()) -> str:
    """Digest of a script, of modules that it imports by name, and of other files that it reads."""
    return code.code_digest([SCRIPTS / script], modules, [ROOT / file for file in reads])


def code_of_figures(figures: Iterable[str]) -> str:
    return code_of("figures.py", *{contents.FIGURES[name].module: None for name in figures})


def code_of_exhibit(wildcards: Any) -> str:
    """All of linclass, which a script of the textbook may use; the script's docstring is its caption."""
    script = course.script(wildcards.exhibit)
    files = [SCRIPTS / "exhibit.py", script, *(PACKAGES / "linclass").rglob("*.py")]
    return code.code_digest(files, [], reads=[script])


@cache
def _code_of_fetch(entry: str) -> str:
    modules = fetch_inputs.modules_of_entry(json.loads(entry))
    return code.code_digest([SCRIPTS / "fetch.py"], modules)


class RuleInputs:
    """Input functions and parameters of a study; `workflow` is the object of this name in a Snakefile."""

    def __init__(self, study: Study, workflow: Any):
        self.study, self.results = study, Path(study.results)
        self._workflow = workflow
        self.bundles = job_plan.plan_bundles(study)
        self.bundles_of = job_plan.bundles_by_dataset(self.bundles.values())
        asked = figure_files.requested_figures(study.evaluation, study.methods)
        self.figures = figure_files.figure_names(asked)  # whether of single data sets → names
        self.run_spec = cache(self._run_spec)  # method → what the study specifies for its runs
        self.spec_of_method = cache(self._spec_of_method)
        self._digest_of_spec = cache(lambda method: digest_of_part(self.spec_of_method(method)))
        self.to_fit = ToFit(self.results, self.bundles, self.run_spec)

    def _force(self, file: str | Path) -> None:
        if self._workflow.is_main_process:
            snakemake_internals.force(self._workflow, str(file))

    # the study as a whole

    @cached_property
    def description(self) -> dict[str, Any]:
        """The study with all its data sets, its YAML files, and its own modules: names, paths and digests."""
        study = self.study
        shown = {part: getattr(study, part) for part in SHOWN}
        modules = code.own_modules(study.methods, study.evaluation)
        files = {"files": list(map(str, study.files)), "modules": modules}
        whole = {"whole": study.whole} if study.whole else {}
        return {"datasets": study.datasets} | whole | shown | files

    @cached_property
    def digest(self) -> str:
        return digest_of_part(self.description)

    @cached_property
    def _digest_of_shown(self) -> str:
        return digest_of_part({part: self.description[part] for part in SHOWN})

    def digest_for_dataset(self, wildcards: Any) -> str:
        """Digest of what a figure of one data set shows: the study without the other data sets."""
        return digest_of_part([self._digest_of_shown, self.entry(wildcards)])

    def metric_modules(self) -> list[str]:
        """Modules of linclass's metrics, and of those that the study names by import paths."""
        own = own_metrics(self.study.evaluation)
        modules = [module for name in own for module in metrics.modules_of(name)]
        return metrics.MODULES + modules

    # data sets

    def entry(self, wildcards: Any) -> str:
        return as_text(entries.without_metadata(self.study.datasets[wildcards.dataset]))

    def shown_metadata(self, wildcards: Any) -> str:
        return as_text(entries.shown_metadata(self.study.datasets[wildcards.dataset]))

    def local_files(self, wildcards: Any) -> list[str]:
        """Local files that the entry names: an edit fetches the data set again.

        Snakemake takes braces in a name for wildcards; edits of such a file are noticed by its content alone.
        """
        files = fetch_inputs.local_files(self.study.datasets[wildcards.dataset], ROOT)
        return [file for file in files if not {"{", "}"} & {*file}]

    def content_of_local_files(self, wildcards: Any) -> Any:
        """Digest of their content, which detects copies with an old time stamp."""
        return fetch_inputs.content_of_local_files(self.study.datasets[wildcards.dataset], ROOT)

    def fetch_attempt(self, wildcards: Any) -> int:
        """Increases when an unavailable data set has become available."""
        return fetch_inputs.current_attempt(self.study.results, wildcards.dataset)

    def retries(self, wildcards: Any) -> list[str]:
        """Requests a retry of each data set that could not be fetched, once in each run."""
        names = self.study.datasets
        due = [name for name in names if fetch_inputs.may_be_retried(self.study.results, name)]
        return [f"<results>/state/{name}.retried" for name in due]

    def code_of_dataset(self, wildcards: Any) -> str:
        return _code_of_fetch(self.entry(wildcards))

    def shared_rows(self) -> str:
        """Which data sets say that they share rows."""
        return as_text(entries.declared_shared_rows(self.study.datasets))

    def features_as_is(self) -> str | list[str]:
        """The file of features of the methods without feature maps, if the study has any."""
        return f"<results>/features/{{dataset}}/{AS_IS}.npz" if AS_IS in self.study.features else []

    def steps_of_features(self, wildcards: Any) -> str:
        return as_text(self.study.features[wildcards.features])

    def code_of_features(self, wildcards: Any) -> str:
        modules = code.modules_of_features(self.study.features[wildcards.features])
        return code.code_digest([SCRIPTS / "featurize.py"], modules)

    # fits

    @cached_property
    def _of_fits(self) -> dict[str, dict[str, Any]]:
        """What the fits of all methods depend on."""
        study = self.study
        evaluation = {k: v for k, v in study.evaluation.items() if k not in NOT_OF_FITS}
        limits = {name: v for name, v in study.limits.items() if name.startswith("fit_")}
        return {"evaluation": evaluation, "limits": limits}

    def _spec_of_method(self, method: str) -> dict[str, Any]:
        entry = entries.without_label(self.study.methods[method])
        tune_metric = self.study.evaluation["tune_metric"]
        return {
            "entry": entry,
            "code": code.code_digest([], code.modules_of_method(entry, tune_metric)),
            "tables": code_of("cross_validate.py"),
            "libraries": code.libraries_of_methods([entry]),
            "features": self.study.features_of[method],
        }

    def _run_spec(self, method: str) -> RunSpec:
        spec = self.spec_of_method(method)
        return RunSpec(spec["entry"], spec["code"], **self._of_fits, tables=spec["tables"])

    def description_of_fits(self) -> dict[str, Any]:
        """What the jobs that fit read: which runs each makes, and everything that fits depend on."""
        return {
            "bundles": {name: bundle.runs for name, bundle in self.bundles.items()},
            "specs": {method: self.spec_of_method(method) for method in self.study.methods},
            **self._of_fits,
        }

    @cached_property
    def _digest_of_evaluation(self) -> str:
        return digest_of_part(self._of_fits)

    def spec_digest(self, wildcards: Any) -> str:
        """Digest of what the study specifies for the runs of a bundle. A change reruns the job, which then computes
        only the runs that are affected."""
        runs = self.bundles[wildcards.bundle].runs
        specs = {f"{dataset}/{method}": self._digest_of_spec(method) for dataset, method in runs}
        return digest_of_part([specs, self._digest_of_evaluation])

    def features_of_bundle(self, wildcards: Any) -> list[str]:
        runs = self.bundles[wildcards.bundle].runs
        names = {(dataset, self.study.features_of[method]): None for dataset, method in runs}
        return [f"<results>/features/{dataset}/{features}.npz" for dataset, features in names]

    def about_of_bundle(self, wildcards: Any) -> list[str]:
        datasets = self.bundles[wildcards.bundle].datasets
        return [f"<results>/data/{name}.json" for name in datasets]

    def manifests_of_dataset(self, wildcards: Any) -> list[str]:
        bundles = self.bundles_of[wildcards.dataset]
        return [f"<results>/bundles/{bundle.name}.json" for bundle in bundles]

    def number_of_shards(self, wildcards: Any) -> int:
        return self.bundles[wildcards.bundle].shards

    def files_of_shards(self, wildcards: Any) -> list[str]:
        shards = range(1, self.number_of_shards(wildcards) + 1)
        return [f"<results>/shards/{wildcards.bundle}/{shard}.npz" for shard in shards]

    def memory_mb(self, wildcards: Any, input: Any, attempt: int) -> int:
        """Memory that is requested from a cluster, from the sizes of the files once they exist."""
        data = job_plan.megabytes(input.features)
        return job_plan.memory_mb(data, self.study.limits["fit_memory_mb"], attempt)

    def minutes(self, wildcards: Any, input: Any, attempt: int) -> int:
        return job_plan.minutes_of_bundle(self.bundles[wildcards.bundle], self.study, attempt)

    def longest_first(self, wildcards: Any) -> float:
        """The expected seconds of a job as its priority, so that no long job is left alone at the end."""
        return min(self.bundles[wildcards.bundle].work, FIRST)

    # input functions without files, which force a job

    def rerun_if_runs_differ(self, wildcards: Any) -> list[str]:
        """The manifest does not agree with the study or with the files of its runs and folds."""
        bundle = self.bundles[wildcards.bundle]
        path = run_files.manifest_path(self.results, bundle.name)
        if path.exists():
            wanted = {f"{d}/{method}": self.run_spec(method).asked for d, method in bundle.runs}
            folds = (self.results / "folds" / f"{name}.parquet" for name in bundle.datasets)
            current = all(map(Path.exists, folds))
            if not (current and run_files.is_current(self.results, bundle.name, wanted)):
                self._force(path)
        return []

    def rerun_if_study_differs(self, wildcards: Any) -> list[str]:
        """study.json describes another study."""
        if study_file.is_other(self.results, self.description):
            self._force(self.results / study_file.NAME)
        return []

    def draw_again_if_files_are_lost(self, wildcards: Mapping[str, str]) -> list[str]:
        """A file of the exhibits of a data set, or of all data sets together, was deleted."""
        dataset = wildcards.get("dataset", "")
        if figure_files.lost_files(self.results, dataset):
            self._force(figure_files.record_of(self.results, dataset))
        return []

    def draw_again_if_figure_is_lost(self, wildcards: Any) -> list[str]:
        """The figure of an exhibit of the textbook was deleted."""
        folder = self.results / "textbook" / wildcards.exhibit
        if figure_numbers(folder) and not (folder / "figure.svg").is_file():
            self._force(folder / "numbers.json")
        return []

    def rerun_if_tables_are_missing(self, wildcards: Any) -> list[str]:
        """A table of the page was deleted.

        The tables are not outputs of the rule: Snakemake would store all inputs of the page with each of them.
        """
        folder, page = self.results / "tables", self.results / "report.html"
        there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
        if not {*table_files(self.study.datasets)} <= there and page.exists():
            self._force(page)
        return []

    def names_in_mirrors(self) -> str:
        """Digest of the file names in the mirrors: an exhibit is rerun if a missing file may have been added."""
        folders = filter(Path.is_dir, map(Path, self.study.mirrors))
        names = sorted(str(file) for folder in folders for file in folder.iterdir())
        return short_digest("\n".join(names), size=8)
