"""Leave-one-out gives what n separate fits give, together or one by one; and a published number."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import each
from run_alone import rows_file, run_alone

from linclass.base.tables import Table
from linclass.tuning.folds import seed_of
from linclass_study.execution.folds import Plan, Planned
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

pytestmark = pytest.mark.usefixtures("in_process")

TASK = {"n_classes": 3, "positive": 2, "inner_folds": 2}
LIMITS = {"fit_seconds": 60, "fit_memory_mb": 1000}
PLAIN, SCALED = ["impute", "one_hot"], ["impute", "one_hot", "standardize"]
N = 33


def rows(missing=False):
    rng = np.random.default_rng(5)
    y = (np.arange(N) % 3).astype(np.int32)
    X = rng.normal([0, 300], [1, 50], size=(N, 2)) + y[:, None] * [1.0, 40.0]
    X[3, 0] = np.nan if missing else X[3, 0]
    kind = (y + rng.integers(0, 2, N)) % 3
    kind[7] = 3  # a level that one row alone has
    return Table(np.column_stack([X, kind]), ("u", "v", "kind"), {"kind": ("a", "b", "c", "d")}), y


def ran(tmp_path, entry, units, groups=None, table=None, y=None, **task):
    if table is None:
        table, y = rows()
    path = rows_file(tmp_path, table, y, groups=groups)
    plan = Plan((Planned("leave_one_out", 0, 0, units),))
    return run_alone(LIMITS, "d", "m", entry, path, plan, TASK | task, 1)


def refitted(entry, units, groups, table, y, task):
    """One fit for each unit, by the pipeline as for any other fold."""
    method, output = Method.from_entry(entry), []
    seed = seed_of(1, "d", "m", "leave_one_out", 0, 0)
    for unit in np.unique(units):
        out = units == unit
        members = None if groups is None else groups[~out]
        fitted = fit_method(method, table.rows(~out), y[~out], task, seed, members)
        output.append((np.flatnonzero(out), *fitted.predict(table.rows(out))))
    return output


METHODS = {
    "from sums": {"classifier": "linclass.LinearDiscriminantAnalysis", "transforms": PLAIN},
    "from sums, scaled": {"classifier": "linclass.NearestMean", "transforms": SCALED},
    "least squares": {"classifier": "linclass.LeastSquaresClassifier", "transforms": SCALED},
    "naive Bayes": {"classifier": "linclass.GaussianNB", "transforms": PLAIN},
    "iterative": {
        "classifier": "linclass.LogisticRegression",
        "params": {"tol": 1e-14, "strength": 0.1},
        "transforms": SCALED,
    },
    "tuned": {
        "classifier": "linclass.LinearDiscriminantAnalysis",
        "tune": {"shrinkage": [0.0, 0.5, 1.0]},
        "transforms": SCALED,
    },
    "foreign": {"classifier": "sklearn.linear_model.RidgeClassifier", "transforms": SCALED},
}


@pytest.mark.slow
@each("grouped", [False, True], ids=["rows", "groups"])
@each("missing", [False, True], ids=["whole", "missing"])
@each("name", METHODS)
def test_leave_one_out_is_n_separate_fits(name, missing, grouped):
    entry = METHODS[name]
    table, y = rows(missing)
    groups = np.arange(N) // 2 if grouped else None
    units = np.arange(N) if groups is None else groups
    task = Task(**TASK)
    method, seed = Method.from_entry(entry), seed_of(1, "d", "m", "leave_one_out", 0, 0)
    found = {}
    for at, _, output, _ in fitting.leave_one_out(method, table, y, units, task, seed, groups):
        codes, scores, logs = output
        for place, row in enumerate(at.tolist()):
            assert row not in found
            found[row] = codes[place], scores[place], None if logs is None else logs[place]
    assert len(found) == N
    for at, codes, scores, logs in refitted(entry, units, groups, table, y, task):
        for place, row in enumerate(at.tolist()):
            assert found[row][0] == codes[place]
            np.testing.assert_allclose(found[row][1], scores[place], rtol=1e-5, atol=1e-6)
            if logs is not None:
                np.testing.assert_allclose(found[row][2], logs[place], rtol=1e-5, atol=1e-6)


def test_a_leave_one_out_row_has_all_predictions_or_the_reason(tmp_path):
    found = ran(tmp_path, METHODS["tuned"], np.arange(N))
    (fit,) = found.fits
    assert (fit["status"], fit["n_train"], fit["n_test"]) == ("converged", N - 1, N)
    assert json.loads(fit["params"])["shrinkage"] in (0.0, 0.5, 1.0)
    assert found.table()["row"].to_list() == list(range(N))
    assert found.table()["y_true"].to_list() == rows()[1].tolist()
    entry = {
        "classifier": "linclass.LogisticRegression",
        "params": {"solver": "gradient_descent", "max_iter": 2, "tol": 1e-12},
        "transforms": SCALED,
    }
    (fit,) = ran(tmp_path, entry, np.arange(N)).fits
    assert fit["status"] == "max_iter"
    assert fit["reason"].startswith(f"{N} of {N} fits: ")


def test_a_failed_fit_gives_the_reason_of_the_leave_one_out_row(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    entry = {"classifier": "odd_estimators.TooFewRows", "transforms": SCALED}
    found = ran(tmp_path, entry, np.arange(N))
    assert [fit["status"] for fit in found.fits] == ["failed"]
    assert found.table().is_empty()


def test_iris_by_linear_discriminants_has_three_errors(tmp_path):
    """R's MASS::lda(Species ~ ., iris, CV = TRUE) misclassifies 3 of 150: Ripley's own example data."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    table, entry = Table(X, tuple("abcd")), METHODS["from sums"]
    found = ran(tmp_path, entry, np.arange(150), table=table, y=y.astype(np.int32)).table()
    assert (found["y_true"] != found["y_pred"]).sum() == 3
