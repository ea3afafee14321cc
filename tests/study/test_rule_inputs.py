"""Inputs of the rules, without starting Snakemake."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from linclass_study.command.run import checked_study
from linclass_study.workflow.rule_inputs import RuleInputs

STUDY = {
    "results": "results",
    "datasets": ["gaussians", "iris"],
    "methods": ["lda", "gaussian_nb", "quadratic"],
    "evaluation": {"folds": 3},
    "define": {
        "methods": {
            "quadratic": {
                "classifier": "linclass.LinearDiscriminantAnalysis",
                "features": ["quadratic"],
            }
        }
    },
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


def digests(inputs):
    return {name: inputs.spec_digest(SimpleNamespace(bundle=name)) for name in inputs.bundles}


def changed(inputs_of, **changes):
    before, after = (digests(inputs_of(**each)[0]) for each in ({}, changes))
    return {name for name in before if before[name] != after.get(name)}


@pytest.mark.parametrize(("changes", "rerun"), [
    ({"evaluation": {"folds": 3, "rope": 0.02, "focus": ["lda"]}}, set()),
    ({"limits": {"store_mb": 1}}, set()),
    ({"results": "elsewhere"}, set()),
    ({"evaluation": {"folds": 4}}, {"gaussians", "iris"}),
    ({"limits": {"fit_seconds": 5}}, {"gaussians", "iris"}),
], ids=["other metrics and focus", "size of the store", "folder", "folds", "limits"])  # fmt: skip
def test_only_settings_that_affect_fits_change_the_parameter_of_their_jobs(
    inputs_of, changes, rerun
):
    assert changed(inputs_of, **changes) == rerun


def test_a_job_reads_the_features_of_its_methods(inputs_of):
    inputs, _ = inputs_of()
    (iris,) = (bundle for bundle in inputs.bundles.values() if bundle.datasets == ["iris"])
    asked = SimpleNamespace(bundle=iris.name)
    assert sorted(inputs.features_of_bundle(asked)) == [
        "<results>/features/iris/as_is.npz",
        "<results>/features/iris/quadratic.npz",
    ]
    assert inputs.about_of_bundle(asked) == ["<results>/data/iris.json"]
    dataset = SimpleNamespace(dataset="iris")
    assert inputs.manifests_of_dataset(dataset) == [f"<results>/bundles/{iris.name}.json"]


def test_jobs_read_from_the_resolved_study_what_their_parameters_are_digests_of(inputs_of):
    inputs, _ = inputs_of()
    described = json.loads(json.dumps(inputs.description_of_fits(), default=str))
    assert {tuple(run) for runs in described["bundles"].values() for run in runs} == {
        (dataset, method) for dataset in STUDY["datasets"] for method in STUDY["methods"]
    }
    assert described["specs"]["quadratic"]["features"] == "quadratic"
    assert "focus" not in described["evaluation"]
    assert all(name.startswith("fit_") for name in described["limits"])


def test_a_label_or_the_style_of_figures_changes_no_fit_and_fetches_nothing(inputs_of):
    quadratic = STUDY["define"]["methods"]["quadratic"]
    labelled = {"methods": {"quadratic": {**quadratic, "label": "Ours"}}}
    assert changed(inputs_of, define=labelled) == set()
    other = {"methods": {"quadratic": {**quadratic, "params": {"shrinkage": "ledoit_wolf"}}}}
    assert changed(inputs_of, define=other) == {"gaussians", "iris"}
    before, after = (inputs_of(**given)[0] for given in ({}, {"figure_style": {"width": "3.3in"}}))
    assert changed(inputs_of, figure_style={"width": "3.3in"}) == set()
    dataset = SimpleNamespace(dataset="iris")
    for digest in (lambda inputs: inputs.digest, lambda inputs: inputs.digest_for_dataset(dataset)):
        assert digest(before) != digest(after), "figures are drawn again"
    for_label = {}
    for label in ("", "Fisher’s iris"):
        flowers = {"source": {"sklearn": "iris"}} | ({"label": label} if label else {})
        define = STUDY["define"] | {"datasets": {"flowers": flowers}}
        inputs, _ = inputs_of(datasets=["flowers"], define=define)
        for_label[label] = inputs.entry(SimpleNamespace(dataset="flowers"))
    assert len(set(for_label.values())) == 1


def write_run(inputs, asked):
    """A manifest and folds of gaussians, as if these specifications had been computed."""
    (bundle,) = (b for b in inputs.bundles.values() if b.datasets == ["gaussians"])
    runs = {
        f"gaussians/{method}": {"asked": digest, "rows": "", "files": {}}
        for (_, method), digest in zip(bundle.runs, asked, strict=True)
    }
    for folder in ("folds", "bundles"):
        (inputs.results / folder).mkdir(parents=True, exist_ok=True)
    (inputs.results / "folds" / "gaussians.parquet").touch()
    path = inputs.results / "bundles" / f"{bundle.name}.json"
    path.write_text(json.dumps(runs))
    return path


def test_a_manifest_of_other_runs_or_without_folds_forces_the_job(inputs_of):
    inputs, forced = inputs_of()
    (bundle,) = (b for b in inputs.bundles.values() if b.datasets == ["gaussians"])
    right = [inputs.run_spec(method).asked for _, method in bundle.runs]
    asked = SimpleNamespace(bundle=bundle.name)
    assert inputs.rerun_if_runs_differ(asked) == [], "without a manifest the job runs anyhow"
    path = write_run(inputs, right)
    inputs.rerun_if_runs_differ(asked)
    assert not forced
    write_run(inputs, [*right[:-1], "other"])
    inputs.rerun_if_runs_differ(asked)
    assert forced == {str(path)}
    forced.clear()
    write_run(inputs, right)
    (inputs.results / "folds" / "gaussians.parquet").unlink()
    inputs.rerun_if_runs_differ(asked)
    assert forced == {str(path)}


def test_lost_tables_force_the_page_and_another_study_its_file(inputs_of):
    inputs, forced = inputs_of()
    inputs.rerun_if_tables_are_missing(None)
    inputs.rerun_if_study_differs(None)
    assert not forced, "nothing was made yet"
    inputs.results.mkdir()
    (inputs.results / "report.html").touch()
    for study, changes in (
        (inputs.description, set()),
        (inputs.description | {"methods": {}}, {"results/study.json"}),
    ):
        (inputs.results / "study.json").write_text(json.dumps(study, default=str))
        inputs.rerun_if_study_differs(None)
        assert forced == changes
    inputs.rerun_if_tables_are_missing(None)
    assert forced == {"results/report.html", "results/study.json"}
