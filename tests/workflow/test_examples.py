"""The worked examples of README, CONTRIBUTING and the pages of docs/ work as they stand."""

import itertools
import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import yaml
from page_examples import shown_files
from projects import ROOT
from scipy import stats

PAGES = (
    "docs/study.md", "docs/new_parts.md", "docs/features.md", "docs/texts.md", "docs/scale.md",
    "docs/estimators.md", "docs/evaluation.md", "docs/tuning.md", "docs/metrics.md", "docs/results.md",
)  # fmt: skip


@pytest.fixture
def with_examples(project):
    for page in PAGES:
        for name, text in shown_files(page).items():
            project.write(name, text)
    about = (ROOT / "docs" / "new_parts.md").read_text(encoding="utf-8")
    entries = re.findall(r'`"(\w+)":\s+(Part\("(?:[^`]+)\))`', about)
    assert [name for name, _ in entries] == ["sizes", "classes"]
    listed = zip(("FIGURES", "TABLES"), entries, strict=True)
    lines = [f'{table}["{name}"] = {" ".join(part.split())}\n' for table, (name, part) in listed]
    project.append("linclass_study/report/contents.py", "".join(lines))
    about = about.partition("## A metric")[2]
    (function,) = re.findall(r"```python\n(def error.*?)```", about, re.DOTALL)
    (entry,) = re.findall(r'`"error": (.*?)`', about)
    metric = f'\n\n{function}\nMETRICS["error"] = {entry}\n'
    project.append("linclass/evaluation/metrics/confusion.py", metric)
    return project


def run(project, name, *options, target="fits.parquet", **env):
    """Run an example to this file; its results and what it printed."""
    results = f"results/{name}"
    output = project.snakemake(*options, "--", f"{results}/{target}", study=f"{name}.yaml", **env)
    assert output.code == 0, output.text
    return project.folder / results, output


def statuses(results):
    """(data set, method) → how its fits ended."""
    fits = pl.read_parquet(results / "fits.parquet")
    return {pair: set(own["status"]) for pair, own in fits.group_by("dataset", "method")}


def plan_after_edit(project, file, old, new, name, **env):
    path = project.folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return project.snakemake("-n", study=f"{name}.yaml", **env)


@pytest.mark.slow
def test_a_study_runs_with_a_metric_a_figure_and_an_estimator_in_another_folder(
    with_examples, tmp_path
):
    (tmp_path / "elsewhere").mkdir()
    (with_examples.folder / "means.py").rename(tmp_path / "elsewhere/means.py")
    env = {"PYTHONPATH": f"{with_examples.folder}:{tmp_path / 'elsewhere'}"}
    results, _ = run(with_examples, "means", target="report.html", **env)
    ended = {pair: found for pair, found in statuses(results).items() if pair[1] == "means"}
    assert len(ended) == 2
    assert all(found == {"converged"} for found in ended.values())
    scores = pl.read_parquet(results / "scores.parquet").pivot("metric", values="value")
    assert (scores["accuracy"] + scores["error"] - 1).abs().max() < 1e-12
    assert (results / "exhibits/sizes/figure.svg").stat().st_size > 1000
    file = tmp_path / "elsewhere/means.py"
    output = plan_after_edit(with_examples, file, "** 2", "** 4", "means", **env)
    assert output.runs == ended.keys()
    assert not {"fetch", "featurize"} & set(output.jobs)


@pytest.mark.slow
def test_a_study_runs_with_transforms_and_a_feature_by_import_path(with_examples):
    results, _ = run(with_examples, "steps")
    ended = statuses(results)
    assert ended
    assert all(found == {"converged"} for found in ended.values())
    output = plan_after_edit(with_examples, "steps.py", "X[:, over] /", "2 * X[:, over] /", "steps")
    assert output.runs == {("iris", "clipped")}
    assert output.jobs["featurize"] == 1  # for `ratios`, which is fitted again if they differ


@pytest.mark.slow
def test_a_study_runs_with_metrics_by_import_path(with_examples):
    results, output = run(with_examples, "clinic", target="answer.txt")
    assert "Best f2 " in output.text
    scores = pl.read_parquet(results / "scores.parquet").pivot("metric", values="value")
    precision, recall = scores["precision"], scores["recall"]
    f2 = (5 * precision * recall / (4 * precision + recall)).fill_nan(0)
    assert (scores["clinic.f2"] - f2).abs().max() < 1e-12
    assert (scores["sklearn.metrics.zero_one_loss"] + scores["accuracy"] - 1).abs().max() < 1e-12
    assert scores["clinic.net_benefit"].null_count() == 0
    output = plan_after_edit(with_examples, "clinic.py", "threshold=0.2", "threshold=0.3", "clinic")
    assert output.runs == {("heart", "logistic")}  # the only one that is tuned, by clinic.f2
    assert output.jobs["score"] == 1


@pytest.mark.slow
def test_a_study_runs_with_texts_an_embedding_and_a_user_feature(with_examples):
    results, _ = run(with_examples, "reviews")
    ended = statuses(results)
    assert len(ended) == 4
    assert all(found == {"converged"} for found in ended.values())


@pytest.mark.slow
@pytest.mark.early
def test_the_first_study_of_the_readme_runs(with_examples):
    results, _ = run(with_examples, "mystudy", target="report.html")
    assert "ridge" in set(pl.read_parquet(results / "scores.parquet")["method"])
    subprocess.run([sys.executable, "labelled.py"], cwd=with_examples.folder, check=True)
    labelled = pl.read_csv(with_examples.folder / "labelled.csv")
    assert labelled["y_true"].to_list() == labelled["outcome"].to_list()
    assert sorted(labelled["source_row"]) == list(range(10))
    assert labelled["age"][labelled["source_row"].arg_min()] == 34  # the first row of my.csv


@pytest.mark.slow
def test_the_plan_of_the_default_study_fits_on_a_screen_and_starts_few_jobs(project):
    """A data set needs at most three jobs, each one start of Python, in addition to its fits."""
    output = project.snakemake("-n", study=None)
    assert output.code == 0, output.text
    assert len(output.text.splitlines()) <= 50
    jobs = output.jobs
    assert sum(jobs[name] == 7 for name in jobs.keys() - {"cross_validate"}) <= 3
    assert all(n in (1, 7) for name, n in jobs.items() if name not in ("cross_validate", "total"))


@pytest.mark.full
def test_the_page_shows_the_graph_of_the_rules_without_transitive_arrows(project):
    """Its transitive reduction, which a graph without cycles has exactly one of."""
    page = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    drawn = re.search(r"```text\n(fetch -->.*?)```", page, flags=re.DOTALL)
    assert drawn is not None
    output = project.snakemake("--rulegraph", "mermaid-js", study=None)
    assert output.code == 0, output.text
    names = dict(re.findall(r"(id\d+)\[\"?([\w ]+?)\"?\]", output.text))
    arrows = {(names[a], names[b]) for a, b in re.findall(r"(id\d+) *--> *(id\d+)", output.text)}
    assert arrows
    chains = [re.findall(r"\w+", line) for line in drawn.group(1).splitlines() if "-->" in line]
    shown = {pair for chain in chains for pair in itertools.pairwise(chain)}
    assert shown == {arrow for arrow in arrows if not _leads(arrows - {arrow}, *arrow)}


def _leads(arrows, start, end):
    """Whether a path leads from `start` to `end`."""
    return any(b == end or _leads(arrows, b, end) for a, b in arrows if a == start)


@pytest.mark.slow
def test_a_study_runs_with_naive_bayes_and_a_family_per_column(with_examples):
    results, _ = run(with_examples, "families", "--config", "evaluation={folds: 3}")
    ended = statuses(results)
    assert ended["heart", "heart_families"] == ended["german", "german_families"] == {"converged"}
    assert ended["heart", "german_families"] == {"not_applicable"}
    fits = pl.read_parquet(results / "fits.parquet")
    reason = fits.filter(dataset="german", method="heart_families")["reason"][0]
    assert "families names column 'famhist', which the rows do not have" in reason

    # the textbook's own formulas, on the first fold: ln π_k + Σ_j ln p_j(x_j | k)
    heart = pl.read_csv(ROOT / "resources/SAheart.data")
    data = np.load(results / "data/heart.npz")
    about = json.loads((results / "data/heart.json").read_text())
    X = {name: data["X"][:, j] for j, name in enumerate(about["features"])}
    assert sorted(X["age"]) == sorted(heart["age"])
    predictions = pl.read_parquet(results / "runs/heart/heart_families/predictions.parquet")
    first = predictions.filter(fold=0)
    test = first["row"].to_numpy()
    train = np.setdiff1d(np.arange(len(data["y"])), test)
    joint = np.zeros((len(test), 2))
    for k in (0, 1):
        own = train[data["y"][train] == k]
        joint[:, k] = np.log(len(own) / len(train))
        for name, values in X.items():
            seen, asked = values[own], values[test]
            if name == "famhist":
                share = (np.bincount(seen.astype(int), minlength=2) + 1) / (len(seen) + 2)
                joint[:, k] += np.log(share)[asked.astype(int)]
            elif name in ("tobacco", "alcohol"):
                joint[:, k] += stats.expon.logpdf(asked, scale=seen.mean())
            elif name in ("sbp", "ldl"):
                shape, _, scale = stats.gamma.fit(seen, floc=0)
                joint[:, k] += stats.gamma.logpdf(asked, shape, scale=scale)
            else:
                variance = seen.var() + 1e-6 * values[train].var()
                joint[:, k] += stats.norm.logpdf(asked, seen.mean(), np.sqrt(variance))
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    np.testing.assert_allclose(np.array(first["log_proba"].to_list()), expected, atol=2e-4)


@pytest.mark.slow
def test_a_study_runs_on_rows_read_in_blocks(with_examples):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    numbers = {"length": rng.normal(2 * y, 1), "weight": rng.normal(y, 1)}
    frame = pl.DataFrame(numbers).with_columns(kind=np.array(["no", "yes"])[y])
    frame.write_parquet(with_examples.folder / "large.parquet")
    results, _ = run(with_examples, "large")
    assert statuses(results) == {
        ("large", "lda"): {"converged"},
        ("large", "gaussian_nb"): {"converged"},
        ("large", "logistic"): {"not_applicable"},
    }
    # two features, Σ = I, means √5 apart: any linear rule is right at most Φ(√5/2) = 0.868 of the time
    scores = pl.read_csv(results / "scores.csv").filter(metric="accuracy")
    means = scores.group_by("method").agg(pl.col("value").mean())["value"]
    assert (means - 0.868).abs().max() < 0.02
    about = json.loads((results / "data/large.json").read_text())
    known = about["rows"], about["features"], about["sparse"]
    assert known == (3000, ["length", "weight"], False)


@pytest.mark.slow
def test_a_study_runs_with_grouped_rows(with_examples):
    results, output = run(with_examples, "visits", target="report.html")
    assert "Best accuracy (mean ± sd, 3 folds): visits: " in output.text
    fits = pl.read_parquet(results / "fits.parquet")
    assert set(fits["status"]) == {"converged"}, fits["reason"].to_list()
    planned = dict(fits.group_by("protocol").len().iter_rows())
    assert planned == {"cv": 3 * 3, "leave_one_out": 3, "hold_out": 3 * 4}
    predictions = pl.read_parquet(results / "runs/visits/lda/predictions.parquet")
    assert predictions.filter(protocol="leave_one_out")["row"].to_list() == list(range(12))
    folds = pl.read_parquet(results / "folds/visits.parquet")
    groups = dict(folds.filter(protocol="leave_one_out").select("row", "fold").iter_rows())
    assert sorted(groups.values()) == sorted([*range(6)] * 2)
    members = pl.col("row").replace_strict(groups).alias("patient")
    sides = folds.with_columns(members).group_by("protocol", "repeat", "patient")
    assert (sides.agg(pl.col("fold").n_unique())["fold"] == 1).all()
    tuned = pl.read_csv(results / "tables/tuned.csv")
    assert tuned.height == 3 + 1 + 4
    assert set(tuned["parameter"]) == {"strength"}


IN_PROCESSES = (  # what may differ in the process of a run, with its own output, imports and limits
    "Talks", "WarningsAreErrors", "OverflowIsAnError", "SpoilsRows", "OwnAttributes", "TwoProcesses",
    "a lazily imported class", "a pipeline, tuned inside", "bagging",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.early
def test_foreign_estimators_run_in_a_real_study(project, monkeypatch):
    """Others run in the process of tests/study/test_foreign_estimators.py."""
    tests = ROOT / "tests" / "study"
    monkeypatch.syspath_prepend(str(tests))
    from test_foreign_estimators import KINDS

    methods = {f"kind{i}": yaml.safe_load(KINDS[name]) for i, name in enumerate(IN_PROCESSES)}
    study = {
        "results": "results/foreign",
        "datasets": ["iris"],
        "methods": [*methods],
        "evaluation": {"folds": 2, "inner_folds": 2},
        "define": {"methods": methods},
    }
    project.write("foreign.yaml", yaml.safe_dump(study))
    results, _ = run(project, "foreign", PYTHONPATH=f"{project.folder}:{tests}")
    ended = statuses(results)
    assert len(ended) == len(IN_PROCESSES)
    assert all(found == {"converged"} for found in ended.values()), ended
