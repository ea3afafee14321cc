"""Optional results of a run: coefficients, tuning, paths and traces; none of them changes a prediction."""

import json

import numpy as np
import polars as pl
import pytest
from cases import each
from run_alone import rows_file, run_alone

import linclass
from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions
from linclass.tuning.folds import seed_of, stratified_folds
from linclass_study.execution.folds import Plan
from linclass_study.execution.run_files import TABLES
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms

pytestmark = pytest.mark.usefixtures("in_process")

N, FOLDS, INNER = 90, 3, 3
TASK = {"n_classes": 3, "positive": 2, "inner_folds": INNER}
FOLD = np.arange(N) // 3 % FOLDS
GRID = [0.01, 0.1, 1.0]
LOGISTIC = {
    "classifier": "linclass.LogisticRegression",
    "tune": {"strength": GRID},
    "transforms": ["standardize"],
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = (np.arange(N) % 3).astype(np.int32)
    X = rng.normal(size=(N, 3)) * [1, 10, 100] + y[:, None] * [1, 5, 100]
    return Table(X, ("u", "v", "w")), y


@pytest.fixture(scope="module")
def features(rows, tmp_path_factory):
    table, y = rows
    return rows_file(tmp_path_factory.mktemp("features"), table, y)


@pytest.fixture
def kept(features, tmp_path):
    """kept(entry, traces): table → what the run kept, where it did; `bytes` are those of the predictions."""

    def make(entry, traces=False, name="m", tune_metric="log_loss"):
        plan, task = Plan.of({("cv", 0): FOLD}), TASK | {"tune_metric": tune_metric}
        records = run_alone(entry, features, plan, task, name=name, traces=traces)
        folder = tmp_path / name
        records.write(folder, {"asked": "this entry", "rows": "these rows"})
        found = {t: folder / f"{t}.parquet" for t in (*TABLES, "fits", "predictions")}
        there = {t: pl.read_parquet(path) for t, path in found.items() if path.exists()}
        return there | {"bytes": found["predictions"].read_bytes()}

    return make


def test_coefficients_of_each_fold_give_its_scores_from_the_rows(kept, rows):
    table, _ = rows
    found = kept(LOGISTIC)
    assert found["coefficients"].height == FOLDS * 3 * (1 + 3)
    assert set(found["coefficients"]["features"]) == {3}
    for fold in range(FOLDS):
        own = found["coefficients"].filter(fold=fold)
        Z = np.column_stack([score(table, own.filter(pl.col("class") == k)) for k in range(3)])
        reported = found["predictions"].filter(fold=fold).sort("row")
        Z, expected = Z[reported["row"]], np.array(reported["score"].to_list())
        np.testing.assert_allclose(centred(Z), centred(expected), atol=1e-8)


def score(table, own):
    weights = dict(own.select("feature", "value").iter_rows())
    return sum(table.X[:, j] * weights[name] for j, name in enumerate(table.names)) + weights[None]


def centred(Z):
    return Z - Z.mean(axis=1, keepdims=True)


def test_tables_without_content_are_not_written(kept):
    found = kept({"classifier": "linclass.QuadraticDiscriminantAnalysis"}, traces=True)
    assert found.keys() == {"fits", "predictions", "bytes"}
    found = kept({"classifier": "linclass.LinearDiscriminantAnalysis"}, traces=True)
    assert found.keys() == {"fits", "predictions", "coefficients", "bytes"}
    ridge = {"classifier": "sklearn.linear_model.RidgeClassifier", "tune": {"alpha": [1, 9]}}
    found = kept(ridge, tune_metric="accuracy")
    assert found.keys() == {"fits", "predictions", "coefficients", "tuning", "bytes"}


def test_the_tuning_table_has_mean_and_standard_error_of_each_candidate(kept, rows):
    """Against inner folds that are dealt, fitted and scored here."""
    table, y = rows
    found = kept(LOGISTIC)
    params = [json.loads(p) for p in found["fits"]["params"]]
    reported = found["tuning"].filter(fold=1)
    assert reported["n"].to_list() == [INNER] * len(GRID)
    assert reported.filter("chosen")["params"].to_list() == [json.dumps(params[1])]
    train = np.flatnonzero(FOLD != 1)
    seed = seed_of("tuning", int(found["fits"]["seed"][1]))
    inner = stratified_folds(y[train], INNER, seed)
    losses = [
        [loss(table, y, train[inner != k], train[inner == k], strength) for k in range(INNER)]
        for strength in GRID
    ]
    # candidates are compared at a tolerance of 1e-3 of the objective
    np.testing.assert_allclose(reported["mean"], np.mean(losses, axis=1), rtol=5e-3)
    error = np.std(losses, axis=1, ddof=1) / np.sqrt(INNER)
    np.testing.assert_allclose(reported["error"], error, rtol=2e-2)


def loss(table, y, train, test, strength):
    method = Method(
        linclass.LogisticRegression, {"strength": strength}, transforms=(("standardize", {}),)
    )
    fit = fit_method(method, table.rows(train), y[train], Task(3, 2), 0)
    predictions = Predictions(y[test], *fit.predict(table.rows(test)), 2)
    return metrics.find("log_loss")(predictions)


def test_a_path_goes_through_the_fits_at_its_strengths(kept, rows):
    table, y = rows
    paths = kept(LOGISTIC)["paths"]
    assert paths["fold"].unique().to_list() == [0]
    strengths = paths["strength"].unique().sort()
    assert len(strengths) >= 20
    assert set(GRID) <= set(strengths)
    train = FOLD != 0
    (standardize,), ready = fit_transforms([("standardize", {})], table.rows(train), y[train])
    for strength in GRID:
        model = linclass.LogisticRegression(strength=strength).fit(ready.X, y[train])
        own = paths.filter(strength=strength).drop_nulls("feature").sort("class", "feature")
        np.testing.assert_allclose(own["scale"], np.tile(standardize.scale_, 3))
        standardized = (own["value"] * own["scale"]).to_numpy()
        np.testing.assert_allclose(standardized, model.coef_.ravel(), atol=1e-3)


def test_traces_record_the_held_out_metric_without_changing_predictions(kept, rows):
    plain = kept(LOGISTIC, name="same")
    assert "traces" not in plain
    traced = kept(LOGISTIC, traces=True, name="same")
    assert traced["bytes"] == plain["bytes"]
    steps = traced["traces"]
    assert steps["fold"].unique().to_list() == [0]
    assert steps["step"].to_list() == list(range(steps.height))
    assert steps["held_out"].null_count() == 0
    assert steps["objective"][0] > steps["objective"][-1]
    held_out = traced["predictions"].filter(fold=0)
    log_proba = np.array(held_out["log_proba"].to_list())
    last = -np.mean(log_proba[np.arange(len(log_proba)), held_out["y_true"]])
    assert steps["held_out"][-1] == pytest.approx(last, rel=1e-3)


@each(
    ("classifier", "watched"),
    [("LinearSVM", False), ("Perceptron", True), ("LeastSquaresClassifier", True)],
)
@pytest.mark.full
def test_traces_of_separately_fitted_classes_have_no_held_out_metric(kept, classifier, watched):
    entry = {"classifier": f"linclass.{classifier}", "transforms": ["standardize"]}
    entry["params"] = {"solver": "gradient_descent"} if classifier.startswith("Least") else {}
    steps = kept(entry, traces=True, tune_metric="accuracy")["traces"]
    assert (steps["held_out"].null_count() < steps.height) == watched


@pytest.mark.full
def test_held_out_rows_are_looked_at_more_and_more_seldom(kept):
    entry = {
        "classifier": "linclass.LogisticRegression",
        "params": {"solver": "gradient_descent", "learning_rate": 1e-3, "max_iter": 2000},
    }
    steps = kept(entry, traces=True)["traces"]
    assert steps.height >= 1000
    seen = steps.drop_nulls("held_out")["step"].to_numpy()
    assert seen[:30].tolist() == list(range(30))
    assert len(seen) < 100
