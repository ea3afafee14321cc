"""Extreme features, targets and weights are refused in one line or give finite results, and so do large covariances."""

import contextlib
import copy
import itertools
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from cases import each, with_peak_memory
from models import ESTIMATORS
from scipy import sparse

import linclass
from linclass.base.classifier import Classifier
from linclass.base.messages import NotApplicable
from linclass.base.regressor import Regressor
from linclass.base.validation import matrix

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

INSIDE = ("OneVsRest", "OneVsOne", "ErrorCorrectingOutputCodes", "Calibrated")
MODELS = [
    kind(linclass.LogisticRegression()) if kind.__name__ in INSIDE else kind()
    for kind in ESTIMATORS
]
CLASSIFIERS = [model for model in MODELS if isinstance(model, Classifier)]
REGRESSORS = [model for model in MODELS if isinstance(model, Regressor)]


def each_of(models):
    return each("model", models, ids=lambda model: type(model).__name__)


def data(model):
    rng = np.random.default_rng(0)
    X, y = np.abs(rng.normal(size=(40, 3))), np.arange(40) % 2
    return X + y[:, None], rng.normal(size=40) if isinstance(model, Regressor) else y


@each("size", [1e160, -1e114, 1e-160, -1e-114])
@each_of(MODELS)
@pytest.mark.filterwarnings("ignore:BernoulliNB ended rank_deficient")
def test_a_column_whose_products_overflow_or_underflow_is_named(model, size):
    X, y = data(model)
    large = abs(size) > 1
    X[7 if large else slice(None), 1] *= size
    if not model.multiplies_features:
        assert model.fit(X, y).predict(X).shape == (40,)
        return
    how = "overflow" if large else "underflow"
    words = f"in column {{}}, whose products {how}; standardize the features"
    with pytest.raises(ValueError, match=words.format(1)) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=words.format("'dose'")):
        model.fit(pd.DataFrame(X, columns=["age", "dose", "size"]), y)


EDGES = {
    "all large": [3e108, 3e108, 3e108],
    "all small": [3e-110, 3e-110, 3e-110],
    "both": [3e-110, 1, 3e108],
}


@pytest.mark.slow
@each("size", [1e150, 1e160, 1e200, 1e300, 1e308])
@each("classes", [2, 3])
@each_of(CLASSIFIERS)
def test_rows_far_outside_the_data_have_scores_or_one_line(model, classes, size):
    """They were NaN, and warnings of NumPy, which are errors here."""
    rng = np.random.default_rng(classes)
    y = np.arange(60) % classes
    X = np.floor(3 * np.abs(rng.normal(size=(60, 3))) + 4 * np.eye(3)[y])
    far = np.abs(rng.normal(size=(6, 3))) * np.array([[1], [-1]] * 3) ** np.arange(3)
    far *= size / np.abs(far).max(axis=1, keepdims=True)
    with contextlib.suppress(NotApplicable):
        model.fit(X, y)
        for name in ("decision_function", "predict_proba", "predict_log_proba"):
            if hasattr(model, name):
                if size == 1e308 and hasattr(model, "kernel"):
                    with pytest.raises(ValueError, match="overflows on these rows; standardize"):
                        getattr(model, name)(far)
                else:
                    assert not np.isnan(getattr(model, name)(far)).any()


def test_rows_far_outside_the_data_have_finite_scores_on_their_side():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.floor(3 * np.abs(rng.normal(size=(60, 3))) + 4 * np.eye(3)[y]) + 1
    directions = np.array([[1.0, 0.5, 0.2], [0.1, 0.2, 1.0]])
    kinds = linclass.ExponentialFamilyNB, linclass.QuadraticDiscriminantAnalysis
    families = "poisson", "gamma", "gaussian", "spherical_gaussian", "multivariate_gaussian"
    models = [linclass.GaussianNB(tied=True), kinds[1](), *map(kinds[0], families)]
    for model, K in itertools.product(models, (2, 3)):
        model.fit(X[y < K], y[y < K])
        for size in (1e160, 1e308):
            Z = model.decision_function(size * directions)
            assert np.abs(Z).max() <= 2e300  # a difference of two
            if getattr(model, "family", "gaussian") != "gaussian":  # others keep the direction
                near = model.predict(1e9 * directions)
                np.testing.assert_array_equal(model.predict(size * directions), near)
    X = np.array([[1.0, 5.0], [2.0, 7.0], [5.0, 1.0], [7.0, 2.0]])
    for model in (linclass.LogisticRegression(), linclass.BayesianLogisticRegression()):
        model.fit(X, [0, 0, 1, 1])  # along (1, −1), by symmetry
        for size in (1e160, 1e300, 1e308):
            far = size * np.array([[1, 0.5], [0.5, 1], [-1, 1], [1, -1]])
            assert model.predict(far).tolist() == [1, 0, 0, 1]


OTHER_LIMITS = {"CategoricalNB", "Winnow"}  # counts of levels, powers of factors


@each("where", EDGES)
@each_of(MODELS)
def test_the_most_extreme_accepted_rows_give_finite_results(model, where):
    """Or one line; a warning of NumPy is an error here."""
    X, y = data(model)
    model = copy.copy(model)
    if "max_iter" in model.get_params():
        model.max_iter = 20
    if type(model).__name__ in OTHER_LIMITS:
        with contextlib.suppress(NotApplicable):
            model.fit(X * EDGES[where], y)
        return
    model.fit(X * EDGES[where], y)
    learned = [model.predict(X * EDGES[where])]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            learned.append(getattr(model, name)(X * EDGES[where]))
    learned += [getattr(model, name, 0.0) for name in ("coef_", "intercept_")]
    learned += [np.nan_to_num(getattr(model, "certificate_", None) or 0.0, nan=np.inf)]
    assert all(np.isfinite(values).all() for values in learned)


def test_tiny_entries_among_others_and_columns_of_zeros_are_accepted():
    X, y = data(linclass.LogisticRegression())
    X[:, 1] = 0
    X[::2, 2] = 1e-160
    for rows in (X, sparse.csr_array(X)):
        assert linclass.LogisticRegression().fit(rows, y).status_ == "converged"
    X[:, 2] = 1e-160
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match="size 1e-160 in column 2, whose products underflow"):
            linclass.LogisticRegression().fit(rows, y)


def test_sparse_rows_and_columns_are_checked_without_a_copy():
    X = np.ones((20_000, 20))
    X[0, 0] = 0
    _, peak = with_peak_memory(lambda: matrix(X, products=True))
    assert peak <= 0.2 * X.nbytes
    X, y = data(linclass.LogisticRegression())
    X[7, 2] = 1e152
    with pytest.raises(ValueError, match=r"entries of size 1e\+152 in column 2"):
        linclass.LogisticRegression().fit(sparse.csr_array(X), y)
    X[7, 2] = 1e6
    for rows in (X, sparse.csr_array(X)):
        assert linclass.LogisticRegression().fit(rows, y).status_ == "converged"


@each_of(MODELS)
def test_weights_whose_products_overflow_are_refused(model):
    """They once gave scores of 0 or NaN that counted as converged."""
    X, y = data(model)
    for size, happens in ((1e308, "overflow"), (1e-320, "underflow")):
        with pytest.raises(ValueError, match=f"sample_weight has sizes up to .*products {happens}"):
            model.fit(X, y, sample_weight=np.full(40, size))
    if isinstance(model, Classifier):  # sums over the rows of a class are divided by their weight
        message = r"the rows of class 0 have the total weight 1\.9999.e-319"
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, sample_weight=np.where(y, 1.0, 1e-320))
        with pytest.raises(ValueError, match=message):
            linclass.NearestShrunkenCentroids(class_weight={0: 1e-320}).fit(X, y)


LIGHT = np.where(np.arange(40) == 3, 1e-320, 1.0)


@each_of(MODELS)
def test_a_row_of_tiny_weight_does_not_overflow(model):
    """One divided by its weight was infinite in the kernel machines; a warning of NumPy is an error here."""
    model.fit(*data(model), sample_weight=LIGHT)


@each(("model", "atol"), [
    (linclass.NearestShrunkenCentroids(), 1e-6),
    (linclass.KernelSVM(tol=1e-8), 1e-4),
    (linclass.SupportVectorRegressor(tol=1e-8), 1e-4),
])  # fmt: skip
def test_a_row_of_tiny_weight_is_ignored(model, atol):
    X, y = data(model)
    scores = "decision_function" if isinstance(model, Classifier) else "predict"
    tiny = getattr(model.fit(X, y, sample_weight=LIGHT), scores)(X)
    others = model.fit(np.delete(X, 3, 0), np.delete(y, 3))
    assert tiny == pytest.approx(getattr(others, scores)(X), abs=atol)


@each(("size", "happens"), [(1e160, "overflow"), (1e-200, "underflow")])
@each_of(REGRESSORS)
def test_targets_whose_squares_overflow_are_refused(model, size, happens):
    """A line of zeros once fitted a target of size 1e-200 with R² = 1."""
    X, y = data(model)
    with pytest.raises(ValueError, match=f"y has sizes up to .*products {happens}; scale"):
        model.fit(X, y * size)
    assert model.fit(X, 0 * y).predict(X) == pytest.approx(0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as on Linux")
def test_a_covariance_of_many_words_is_refused_under_the_limit_unless_rows_are_few():
    code = """
import resource, numpy as np
from scipy import sparse
from linclass import (
    BayesianLogisticRegression, FisherDiscriminant, LinearDiscriminantAnalysis, MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis,
)
resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9, 4 * 10**9))
words = sparse.random_array((35000, 34250), density=1e-5, format="csr", rng=0)
for model in (
    LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(shrinkage="ledoit_wolf"), FisherDiscriminant(),
    QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis(), MixtureDiscriminantAnalysis(),
    BayesianLogisticRegression(strength=1.0),
):
    model.fit(words[:100], np.arange(100) % 2).predict(words[:3000])
    print(model.status_, end=" ")
try:
    LinearDiscriminantAnalysis().fit(words, np.arange(35000) % 2)
except ValueError as error:
    print(type(error).__name__, error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(
        "rank_deficient converged rank_deficient rank_deficient converged rank_deficient converged "
        "NotApplicable LinearDiscriminantAnalysis needs a dense 34250 × 34250 covariance and "
        "its factors, 37.5 GB; the limit is 4.0 GB."
    )
