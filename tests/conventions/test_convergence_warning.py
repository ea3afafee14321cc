"""A fit that did not converge warns once, as in scikit-learn, with the remedy; other fits do not warn."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from cases import each
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

import linclass as L
from linclass.base.tables import Table
from linclass_study.execution.fit_outcome import fit_status
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
TWICE = np.column_stack([X, X])
SEPARATED = (X[:, 0] > 0).astype(int)
MIXED = (X[:, 0] + 2 * rng.standard_normal(60) > 0).astype(int)
THREE = np.arange(60) % 3
FOLDS = [range(5), range(5, 10)]
SHORT = {"solver": "quasi_newton", "max_iter": 1, "strength": 1e-6}

ENDINGS = {
    "likelihood": ("separable", "penalty", lambda: L.LogisticRegression(penalty=None).fit(X, SEPARATED)),
    "solver": ("max_iter", "max_iter", lambda: L.LogisticRegression(**SHORT).fit(X, MIXED)),
    "perceptron": ("max_iter", "max_iter", lambda: L.Perceptron(max_iter=2).fit(X, MIXED)),
    "kernel": ("max_iter", "max_iter", lambda: L.KernelSVM(max_iter=1, strength=1e-6).fit(X, MIXED)),
    "features of a kernel": ("max_iter", "max_iter",
        lambda: L.KernelLogisticRegression(max_iter=1, strength=1e-7).fit(X, THREE)),
    "errors": ("max_iter", "node_limit", lambda: L.ZeroOneClassifier(node_limit=0).fit(X, THREE)),
    "covariance": ("rank_deficient", "depend", lambda: L.LinearDiscriminantAnalysis().fit(TWICE, MIXED)),
    "regression": ("rank_deficient", "depend", lambda: L.LinearRegression().fit(TWICE, X[:, 0])),
    "one against the rest": ("max_iter", "3 of 3", lambda: L.OneVsRest(L.LogisticRegression(**SHORT)).fit(X, THREE)),
    "one against one": ("max_iter", "3 of 3", lambda: L.OneVsOne(L.LogisticRegression(**SHORT)).fit(X, THREE)),
    "calibrated": ("max_iter", "max_iter", lambda: L.Calibrated(L.LogisticRegression(**SHORT)).fit(X, MIXED)),
    "path": ("max_iter", "3 max_iter", lambda: L.LogisticRegression(**SHORT).path(X, MIXED, [1e-5, 1e-6, 1e-7])[0]),
    "folds": ("max_iter", "4 max_iter", lambda: L.LogisticRegression(max_iter=1).fit_many(
        X, MIXED, FOLDS, [{"strength": 1e-6}, {"strength": 1e-7}])[0][0]),
}  # fmt: skip


@each("case", ENDINGS)
def test_a_fit_that_does_not_converge_warns_once_at_the_call_with_a_remedy(case):
    status, remedy, fit = ENDINGS[case]
    with pytest.warns(ConvergenceWarning) as heard:
        model = fit()
    assert model.status_ == status
    assert len(heard) == 1
    assert status in str(heard[0].message)
    assert remedy in str(heard[0].message)
    assert "\n" not in str(heard[0].message)
    assert heard[0].filename == __file__


@each("max_iter", [2, 500])
@each("wrap", {
    "one against the rest": L.OneVsRest,
    "calibrated": L.Calibrated,
    "tuned": lambda e: L.TunedClassifier(e, strengths=None, param_grid={"C": [0.1, 1.0]}),
    "tuned inside": lambda e: L.TunedClassifier(L.OneVsOne(e), strengths=None, param_grid={"estimator__C": [0.1, 1.0]}),
    "tuned calibration": lambda e: L.TunedClassifier(
        L.Calibrated(e), strengths=None, param_grid={"estimator__C": [0.1, 1.0]}),
}.values())  # fmt: skip
def test_the_status_tells_that_an_estimator_of_another_library_did_not_converge(wrap, max_iter):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = wrap(linear_model.LogisticRegression(max_iter=max_iter)).fit(X, THREE)
    assert model.status_ == ("max_iter" if max_iter == 2 else "converged")
    assert ("failed to converge after 2 iteration" in model.reason_) == bool(heard)
    assert "\n" not in model.reason_


def test_flexible_discriminant_analysis_tells_that_a_regression_did_not_converge():
    for max_iter, status in ((1, "max_iter"), (500, "converged")):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            lasso = linear_model.Lasso(alpha=1e-3, max_iter=max_iter, tol=1e-9)
            model = L.FlexibleDiscriminantAnalysis(lasso).fit(X @ X[:3], THREE)
        assert (model.status_, bool(heard)) == (status, status == "max_iter")


def test_only_fits_that_do_not_converge_warn():
    """One of two candidates ends early, the chosen one does not."""
    code = (
        "import sys, numpy as np, linclass\n"
        "X, y = np.arange(20.0)[:, None] % 7, np.arange(20) % 2\n"
        "model = linclass.LogisticRegression().fit(X, y)\n"
        "assert model.status_ == 'converged'\n"
        "linclass.LogisticRegression(penalty=None).fit(X, X[:, 0] > 3)"
    )
    reported = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], check=True, capture_output=True, text=True
    )
    assert reported.stderr.count("ConvergenceWarning") == 1
    table = Table(X, ("a", "b", "c"))
    method = Method(L.LogisticRegression, {"solver": "quasi_newton"}, tune={"max_iter": [200, 1]})
    task = Task(n_classes=2, positive=1, inner_folds=2)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        fitted = fit_method(method, table, SEPARATED, task, 1)
    assert fitted.estimator.status_ == "converged"
    assert not heard


def test_a_run_takes_its_status_from_the_fit_and_not_from_warnings():
    model = L.LogisticRegression().fit(X, MIXED)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        L.LogisticRegression(**SHORT).fit(X, MIXED)
    assert len(heard) == 1
    assert fit_status(model, heard)["status"] == "converged"


IDLE = {
    "strength": ("strength=5", "'l2'", lambda: L.LeastSquaresClassifier(strength=5).fit(X, MIXED)),
    "l1_ratio": ("l1_ratio=0.2", "'elastic_net'", lambda: L.LogisticRegression(l1_ratio=0.2).fit(X, MIXED)),
    "l1_ratio twice": ("l1_ratio=0.2", "one place",
        lambda: L.LogisticRegression(penalty={"elastic_net": {"l1_ratio": 0.9}}, l1_ratio=0.2).fit(X, MIXED)),
    "inside": ("estimator__strength=5", "'l2'",
        lambda: L.OneVsRest(L.LeastSquaresClassifier(strength=5)).fit(X, THREE)),
    "folds": ("strength=2.0", "'l2'",
        lambda: L.LeastSquaresClassifier().fit_many(X, MIXED, FOLDS, [{"strength": 2.0}, {"strength": 3.0}])),
}  # fmt: skip


@each("case", IDLE)
def test_a_parameter_without_effect_warns_once_with_the_remedy(case):
    value, remedy, fit = IDLE[case]
    with pytest.warns(UserWarning, match=f"{value} has no effect, because penalty is") as heard:
        fit()
    assert len(heard) == 1
    assert remedy in str(heard[0].message)
    assert heard[0].filename == __file__


@each("model", [
    L.LeastSquaresClassifier(penalty="l2", strength=5),
    L.LogisticRegression(penalty="elastic_net", l1_ratio=0.2),
    L.LogisticRegression(penalty={"elastic_net": {"l1_ratio": 0.2}}, strength=0.1),
    L.Ridge(strength=2, factors=[1, 2, 3]),
], ids=repr)  # fmt: skip
def test_a_parameter_with_an_effect_does_not_warn(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, MIXED)
