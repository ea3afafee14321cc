"""What an estimator chooses itself is recorded in each fit, as what inner folds choose."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import each
from run_alone import rows_file

from linclass import LogisticRegression
from linclass.base.tables import Table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import chosen_values
from linclass_study.execution.worker import Worker
from linclass_study.files import tables as table_files
from linclass_study.files.tables import table_schema, write_table
from linclass_study.pipeline.fitted import own_choice
from linclass_study.pipeline.method import Method

N = 60
TASK = {"n_classes": 3, "positive": 2, "inner_folds": 2}
GRID = [1e-3, 1e-2, 1e-1]
INNER = {"classifier": "linclass.LogisticRegression"}
SKLEARN = {"classifier": "sklearn.linear_model.LogisticRegression"}
BY_FOLDS = {"strengths": GRID, "cv": 3, "estimator": INNER}
CV = {"classifier": "sklearn.linear_model.RidgeClassifierCV", "params": {"alphas": [0.1, 1, 10]}}
SEVERAL = {
    "Cs": [0.1, 1.0],
    "l1_ratios": [0.0],
    "cv": 3,
    "scoring": "accuracy",
    "use_legacy_attributes": False,
}
SCALED = [["scale", {"classifier": "sklearn.preprocessing.StandardScaler"}], ["fit", CV]]
SEARCH = {"estimator": SKLEARN, "param_grid": {"C": [0.1, 1.0, 10.0]}, "cv": 3}
CHOOSING = {  # name: (the parameter that it chooses, its classifier and parameters)
    "folds": ("strength", "linclass.TunedClassifier", BY_FOLDS),
    "criterion": ("strength", "linclass.TunedClassifier", BY_FOLDS | {"rule": "aic"}),
    "search": ("C", "sklearn.model_selection.GridSearchCV", SEARCH),
    "cv": ("alpha", CV["classifier"], CV["params"]),
    "several": ("C", "sklearn.linear_model.LogisticRegressionCV", SEVERAL),
    "pipeline": ("fit__alpha", "sklearn.pipeline.Pipeline", {"steps": SCALED}),
    "evidence": ("strength", "linclass.BayesianLogisticRegression", {}),
    "ledoit_wolf": ("shrinkage", "linclass.LinearDiscriminantAnalysis", {"shrinkage": "ledoit_wolf"}),
}  # fmt: skip
NAME = {method: name for method, (name, _, _) in CHOOSING.items()}
METHODS = {m: {"classifier": kind, "params": params} for m, (_, kind, params) in CHOOSING.items()}
METHODS["plain"] = {"classifier": "linclass.LogisticRegression", "params": {"penalty": "l1"}}


def rows():
    rng = np.random.default_rng(3)
    y = (np.arange(N) % 3).astype(np.int32)
    return rng.normal(size=(N, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """One fold of each method, as a worker of a study fits it."""
    results = tmp_path_factory.mktemp("results")
    X, y = rows()
    features = rows_file(results, Table(X, ("u", "v", "w")), y)
    fits = []
    for name, entry in METHODS.items():
        (found,) = Worker(features, entry, TASK).folds((np.arange(N), np.arange(0, N, 5), 1, False))
        fit = {"dataset": "d", "method": name, "protocol": "cv", "repeat": 0, "fold": 0}
        fits.append(fit | {key: found[key] for key in ("status", "params")})
        if (columns := found["kept"]["tuning"]) is not None:
            schema = table_schema("tuning")
            table = pl.DataFrame(columns).with_columns(**{k: pl.lit(v) for k, v in fit.items()})
            table = table.select(list(schema)).cast(schema)
            write_table(table, "tuning", results / "runs" / "d" / name / "tuning.parquet")
    write_table(table_files.frame("fits", fits), "fits", results / "fits.parquet")
    return Outcome(results, {"d": {}}, METHODS, {"protocols": ["cv"], "tune_metric": "accuracy"})


def chosen(outcome, method):
    fits = pl.read_parquet(outcome.results / "fits.parquet").filter(method=method)
    assert fits["status"].to_list() == ["converged"]
    return json.loads(fits["params"][0])


@each("method", NAME)
def test_parameters_chosen_by_an_estimator_are_recorded_with_its_fit(outcome, method):
    """The same estimator fitted directly to the same rows makes the same choice."""
    X, y = rows()
    train = np.delete(np.arange(N), np.arange(0, N, 5))
    model = Method.from_entry(METHODS[method]).estimator(1).fit(X[train], y[train])
    own = model.steps[-1][1] if method == "pipeline" else model
    last = NAME[method].rpartition("__")[2]
    best = getattr(own, "best_params_", {})
    expected = best[last] if last in best else np.ravel(getattr(own, f"{last}_"))[0]
    recorded = chosen(outcome, method)
    assert recorded[NAME[method]] == pytest.approx(expected, rel=1e-12)
    given = json.loads(json.dumps(METHODS[method]["params"]))
    recorded.pop("l1_ratio", None)  # of `several`
    assert {**given, NAME[method]: recorded[NAME[method]]} == recorded


def test_tuned_csv_lists_own_choices_with_the_ends_of_their_grid(outcome):
    found = chosen_values(outcome)
    recorded = {*found.select("method", "parameter").iter_rows()}
    assert recorded == {*NAME.items(), ("several", "l1_ratio")}  # `plain` chose nothing
    alphas = CV["params"]["alphas"]
    grids = {
        "folds": GRID, "criterion": GRID, "search": [0.1, 1.0, 10.0], "cv": alphas, "pipeline": alphas,
    }  # fmt: skip
    for method, grid in grids.items():
        ((value, edge),) = found.filter(method=method).select("value", "edge").iter_rows()
        assert edge == {min(grid): "lowest", max(grid): "highest"}.get(json.loads(value))


@each(("others", "edge"), [([3, 5], "lowest"), ([0.1, 3], None), ([3], "lowest")])
def test_the_end_of_the_grid_that_an_entry_gives_its_estimator_is_found(outcome, others, edge):
    """RidgeClassifierCV keeps no candidates; `others` are multiples of what it chose, had they been its grid, too."""
    value = chosen(outcome, "cv")["alpha"]
    cv = CV | {"params": {"alphas": [value, *(value * factor for factor in others)]}}
    step = {"classifier": "sklearn.pipeline.Pipeline", "params": {"steps": [["fit", cv]]}}
    found = chosen_values(replace(outcome, methods=outcome.methods | {"cv": cv, "pipeline": step}))
    for method in ("cv", "pipeline"):
        assert found.filter(method=method, parameter=NAME[method])["edge"].to_list() == [edge]


@each("method", ["folds", "criterion", "search"])
def test_candidates_of_an_estimators_own_choice_are_kept(outcome, method):
    table = outcome.run_table("tuning", "d", method)
    assert table.filter("chosen")["params"].to_list() == [
        json.dumps({NAME[method]: chosen(outcome, method)[NAME[method]]})
    ]
    assert table["n"].to_list() == [0 if method == "criterion" else 3] * 3
    best = table["mean"].min() if method == "criterion" else table["mean"].max()
    assert table.filter("chosen")["mean"].item() == best


def test_a_strength_set_by_the_user_is_not_recorded_as_tuned():
    model = LogisticRegression(strength=0.5).fit(*rows())
    assert own_choice(model) == {}
