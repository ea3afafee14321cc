"""Leave-one-out gives what n separate fits give, together or one by one; and a published number."""

import json

import numpy as np
import pytest
from cases import each
from run_alone import rows_file, run_alone

from linclass.base.tables import Table
from linclass_study.execution.folds import Plan, Planned
from linclass_study.pipeline import fitting
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

pytestmark = pytest.mark.usefixtures("in_process")

TASK = {"n_classes": 3, "positive": 2, "inner_folds": 2}
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


def ran(tmp_path, entry, table, y):
    plan = Plan((Planned("leave_one_out", 0, 0, np.arange(len(y))),))
    return run_alone(entry, rows_file(tmp_path, table, y), plan, TASK)


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


def in_order(parts):
    """Codes, scores and log probabilities by row, from parts of rows and their predictions."""
    at = np.concatenate([rows for rows, _ in parts])
    assert sorted(at) == list(range(N))
    columns = zip(*(predicted for _, predicted in parts), strict=True)
    return [c[0] if c[0] is None else np.concatenate(c)[np.argsort(at)] for c in columns]


@pytest.mark.slow
@each("grouped", [False, True], ids=["rows", "groups"])
@each("missing", [False, True], ids=["whole", "missing"])
@each("name", METHODS)
def test_leave_one_out_is_n_separate_fits(name, missing, grouped):
    table, y = rows(missing)
    groups = np.arange(N) // 2 if grouped else None
    units = groups if grouped else np.arange(N)
    method, task = Method.from_entry(METHODS[name]), Task(**TASK)
    made = fitting.leave_one_out(method, table, y, units, task, 5, groups)
    codes, *together = in_order([(at, output) for at, _, output, _ in made])
    alone = []
    for unit in np.unique(units):
        out = units == unit
        members = groups[~out] if grouped else None
        fitted = fit_method(method, table.rows(~out), y[~out], task, 5, members)
        alone.append((np.flatnonzero(out), fitted.predict(table.rows(out))))
    expected, *alone = in_order(alone)
    np.testing.assert_array_equal(codes, expected)
    for ours, theirs in zip(together, alone, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_leave_one_out_row_has_all_predictions_or_the_reason(tmp_path):
    found = ran(tmp_path, METHODS["tuned"], *rows())
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
    (fit,) = ran(tmp_path, entry, *rows()).fits
    assert fit["status"] == "max_iter"
    assert fit["reason"].startswith(f"{N} of {N} fits: ")
    entry = {"classifier": "odd_estimators.TooFewRows", "transforms": SCALED}
    found = ran(tmp_path, entry, *rows())
    assert [fit["status"] for fit in found.fits] == ["failed"]
    assert found.table().is_empty()


def test_iris_by_linear_discriminants_has_three_errors(tmp_path):
    """R's MASS::lda(Species ~ ., iris, CV = TRUE) misclassifies 3 of 150: Ripley's own example data."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    table = Table(X, tuple("abcd"))
    found = ran(tmp_path, METHODS["from sums"], table, y.astype(np.int32)).table()
    assert (found["y_true"] != found["y_pred"]).sum() == 3
