"""What is planned without starting Snakemake: inputs and parameters of the rules, and the fits that a dry run lists.

A dry run lists at least these fits, as rows are known only when they have been read."""

import json
import logging
import os
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from cases import each

from linclass_study.command.run import checked_study
from linclass_study.execution import fit_forecast
from linclass_study.execution.fit_forecast import ToFit
from linclass_study.execution.job_plan import Bundle
from linclass_study.execution.run_files import RunSpec
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import DEFAULT_STUDY, ROOT
from linclass_study.report.table import table_files
from linclass_study.workflow.rule_inputs import RuleInputs, open_study

QUADRATIC = {"classifier": "linclass.LinearDiscriminantAnalysis", "features": ["quadratic"]}
STUDY = {
    "results": "results",
    "datasets": ["gaussians", "iris"],
    "methods": ["lda", "gaussian_nb", "quadratic"],
    "evaluation": {"folds": 3},
    "define": {"methods": {"quadratic": QUADRATIC}},
}


@pytest.fixture
def inputs_of(tmp_path, monkeypatch):
    """The inputs of a study with changes, and a workflow that records what is forced."""
    monkeypatch.chdir(tmp_path)

    def made(**changes):
        Path("study.yaml").write_text(yaml.safe_dump(STUDY | changes))
        forced = set()
        workflow = SimpleNamespace(is_main_process=True, dag=SimpleNamespace(forcefiles=forced))
        return RuleInputs(checked_study([Path("study.yaml")]), workflow), forced

    return made


def redefined(**changes):
    return {"define": {"methods": {"quadratic": QUADRATIC | changes}}}


@each(("changes", "rerun"), [
    ({"evaluation": {"folds": 3, "rope": 0.02, "focus": ["lda"]}}, set()),
    ({"limits": {"store_mb": 1}}, set()),
    ({"results": "elsewhere"}, set()),
    (redefined(label="Ours"), set()),
    ({"figure_style": {"width": "3.3in"}}, set()),
    (redefined(params={"shrinkage": "ledoit_wolf"}), {"gaussians", "iris"}),
    ({"evaluation": {"folds": 4}}, {"gaussians", "iris"}),
    ({"limits": {"fit_seconds": 5}}, {"gaussians", "iris"}),
])  # fmt: skip
def test_only_settings_that_affect_fits_change_the_parameter_of_their_jobs(
    inputs_of, changes, rerun
):
    before, after = (
        {name: inputs.spec_digest(SimpleNamespace(bundle=name)) for name in inputs.bundles}
        for inputs, _ in (inputs_of(), inputs_of(**changes))
    )
    assert {name for name in before if before[name] != after.get(name)} == rerun


def test_another_style_draws_figures_again_and_a_label_fetches_nothing(inputs_of):
    before, after = (inputs_of(**given)[0] for given in ({}, {"figure_style": {"width": "3.3in"}}))
    dataset = SimpleNamespace(dataset="iris")
    assert before.digest != after.digest
    assert before.digest_for_dataset(dataset) != after.digest_for_dataset(dataset)
    entries = set()
    for label in ({}, {"label": "Fisher’s iris"}):
        define = STUDY["define"] | {
            "datasets": {"flowers": {"source": {"sklearn": "iris"}} | label}
        }
        inputs, _ = inputs_of(datasets=["flowers"], define=define)
        entries.add(inputs.entry(SimpleNamespace(dataset="flowers")))
    assert len(entries) == 1


def test_a_job_reads_the_features_of_its_methods(inputs_of):
    inputs, _ = inputs_of()
    (iris,) = (bundle for bundle in inputs.bundles.values() if bundle.datasets == ["iris"])
    asked = SimpleNamespace(bundle=iris.name)
    assert sorted(inputs.features_of_bundle(asked)) == [
        "<results>/features/iris/as_is.npz",
        "<results>/features/iris/quadratic.npz",
    ]
    assert inputs.about_of_bundle(asked) == ["<results>/data/iris.json"]
    manifests = inputs.manifests_of_dataset(SimpleNamespace(dataset="iris"))
    assert manifests == [f"<results>/bundles/{iris.name}.json"]
    assert "linclass.evaluation.metrics.confusion" in inputs.metric_modules()


def test_jobs_read_from_the_resolved_study_what_their_parameters_are_digests_of(inputs_of):
    inputs, _ = inputs_of()
    described = json.loads(json.dumps(inputs.description_of_fits(), default=str))
    assert {tuple(run) for runs in described["bundles"].values() for run in runs} == {
        (dataset, method) for dataset in STUDY["datasets"] for method in STUDY["methods"]
    }
    assert described["specs"]["quadratic"]["features"] == "quadratic"
    assert "focus" not in described["evaluation"]
    assert all(name.startswith("fit_") for name in described["limits"])


def test_a_manifest_of_other_runs_or_without_folds_forces_the_job(inputs_of):
    inputs, forced = inputs_of()
    (bundle,) = (b for b in inputs.bundles.values() if b.datasets == ["gaussians"])
    path, folds = Path(f"results/bundles/{bundle.name}.json"), Path("results/folds")
    right = {
        f"{d}/{method}": {"asked": inputs.run_spec(method).asked, "rows": "", "files": {}}
        for d, method in bundle.runs
    }
    wrong, lost = (
        right | {"gaussians/lda": right["gaussians/lda"] | change}
        for change in ({"asked": "other"}, {"files": {"boundary.npz": {"bytes": 1}}})
    )

    def is_forced():
        forced.clear()
        assert inputs.rerun_if_runs_differ(SimpleNamespace(bundle=bundle.name)) == []
        return forced == {str(path)}

    assert not is_forced(), "without a manifest the job runs anyhow"
    path.parent.mkdir(parents=True)
    folds.mkdir()
    (folds / "gaussians.parquet").touch()
    for runs, expected in ((right, False), (wrong, True), (lost, True)):
        path.write_text(json.dumps(runs))
        assert is_forced() == expected
    path.write_text(json.dumps(right))
    (folds / "gaussians.parquet").unlink()
    assert is_forced()


def test_lost_tables_force_the_page_and_another_study_its_file(inputs_of):
    inputs, forced = inputs_of()
    inputs.rerun_if_tables_are_missing(None)
    inputs.rerun_if_study_differs(None)
    assert not forced, "nothing was made yet"
    tables = Path("results/tables")
    tables.mkdir(parents=True)
    Path("results/report.html").touch()
    for name in table_files(STUDY["datasets"]):
        (tables / name).touch()
    for study, changes in (
        (inputs.description, set()),
        (inputs.description | {"methods": {}}, {"results/study.json"}),
    ):
        Path("results/study.json").write_text(json.dumps(study, default=str))
        inputs.rerun_if_study_differs(None)
        inputs.rerun_if_tables_are_missing(None)
        assert forced == changes
    for name in table_files(STUDY["datasets"]):
        forced.clear()
        (tables / name).unlink()
        inputs.rerun_if_tables_are_missing(None)
        assert forced == {"results/report.html"}, name
        (tables / name).touch()


# The fits that a dry run lists

EVALUATION = {
    "protocols": ["cv"], "folds": 3, "repeats": 1, "seed": 1,
    "inner_folds": 2, "tune_metric": "accuracy", "tune_rule": "best",
}  # fmt: skip
ENTRY = {"classifier": "a"}
TUNED = ENTRY | {"tune": {"b": [1, 2]}}
SPEC = RunSpec(TUNED, "code", EVALUATION)


@pytest.fixture
def changes(tmp_path, monkeypatch):
    """changes(specs, records): a ToFit on iris and wine, given what the runs on both record."""

    def make(specs, records):
        known = {
            tmp_path / "runs" / dataset / method: record
            for dataset in ("iris", "wine")
            for method, record in records.items()
        }
        monkeypatch.setattr(fit_forecast, "recorded_run", known.get)
        (tmp_path / "data").mkdir(exist_ok=True)
        for dataset in ("iris", "wine"):
            (tmp_path / "data" / f"{dataset}.json").write_text("{}")
        runs = {d: tuple((d, method) for method in specs) for d in ("iris", "wine")}
        bundles = {d: Bundle(d, own, 1.0) for d, own in runs.items()}
        return ToFit(tmp_path, bundles, specs.__getitem__)

    return make


@each(("fitted", "line"), [
    ("", "iris: 3 of 3 runs to fit: a, b and c"),
    ("ab", "iris: at least 1 of 3 runs to fit, more if rows have changed: c"),
    ("abc", "iris: none of 3 runs to fit unless their rows have changed"),
])  # fmt: skip
def test_a_plan_states_only_known_numbers_of_fits(changes, fitted, line):
    found = changes(dict.fromkeys("abc", SPEC), {m: {"asked": SPEC.asked} for m in fitted})
    assert [*found.lines(["iris"])] == [line]


def test_a_plan_states_the_number_of_refits_and_the_reason(changes):
    before = {"asked": "before", "recipe": SPEC.recipe + "?", "parts": SPEC.parts}
    specs = {
        "a": RunSpec(TUNED, "edited", EVALUATION),
        "b": RunSpec(TUNED | {"params": {"c": 1}}, "code", EVALUATION | {"inner_folds": 9}),
        "c": SPEC,
    }
    found = changes(specs, {"a": before, "b": before})
    assert [*found.again(["iris", "wine"])] == [
        "fitted again, as their code changed: a on iris and wine (6 fits)",
        "fitted again, as their entry and `evaluation:` changed: b on iris and wine (6 fits)",
    ]
    (line,) = found.lines(["iris"])
    assert line == "iris: 3 of 3 runs to fit: a (3 fits), b (3 fits) and c"
    assert found.changes("iris", "c") == Counter({fit_forecast.NEW: 1})


def test_settings_unused_by_a_method_change_neither_its_task_nor_its_recipe():
    def differing(entry, **changes):
        one, other = (RunSpec(entry, "code", EVALUATION | new) for new in ({}, changes))
        return {name for name in ("asked", "recipe") if getattr(one, name) != getattr(other, name)}

    rule = {"tune_rule": "one_standard_error"}
    assert differing(ENTRY, inner_folds=3, tune_metric="log_loss", **rule) == set()
    for changes in ({"inner_folds": 3}, rule):
        assert differing(TUNED, **changes) == {"asked", "recipe"}
    for changes in ({"repeats": 2}, {"protocols": ["cv", "hold_out"]}, {"seed": 2}, {"folds": 4}):
        assert differing(TUNED, **changes) == {"asked"}
    assert differing(ENTRY, traces=True) == {"asked"}


def test_repeats_and_other_protocols_do_not_change_how_a_protocol_divides_rows():
    def protocols(**changes):
        return RunSpec(ENTRY, "code", EVALUATION | changes).protocols

    cv = protocols()["cv"]
    curve = {"learning_curve": {"sizes": [0.5, 0.7]}}
    assert protocols(repeats=2, protocols=["hold_out", "cv", curve])["cv"] == cv
    for changes in ({"folds": 4}, {"seed": 2}, {"cv_rows": "all"}):
        assert protocols(**changes)["cv"] != cv


def test_a_folder_that_cannot_be_written_is_refused_before_snakemake_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write to any folder
    storage = SimpleNamespace(default_storage_provider=None)
    workflow = SimpleNamespace(
        is_main_process=True,
        configfiles=[DEFAULT_STUDY],
        storage_settings=storage,
        current_basedir=ROOT / "workflow" / "rules",
    )
    with pytest.raises(SystemExit, match=f"^{tmp_path}: this folder cannot be written"):
        open_study(workflow, read_yaml(DEFAULT_STUDY), logging.getLogger("of this test"))
