"""Over all models: rows, targets and weights in every form in which scikit-learn's users have them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from models import MODULES, made, own_classes
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.validation import _check_response_method

from linclass import (
    KernelLogisticRegression,
    LinearClassifier,
    MixtureDiscriminantAnalysis,
)
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator

KINDS = [kind for module in MODULES for kind in own_classes(module) if issubclass(kind, Estimator)]
ALL = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
NAMES = list("abcd")
TWO = np.arange(40) % 2
X = np.random.default_rng(0).poisson(2.0, size=(40, 4)) + 2.0 * TWO[:, None] * [1, 0, 0, 0]
LABELS = np.array(["no", "yes"])[TWO]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def read_only(values):
    values = np.array(values)
    values.setflags(write=False)
    return values


FORMS = {
    "read-only": read_only,
    "Fortran": np.asfortranarray,
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "single": lambda rows: rows.astype(np.float32),
    "integers": lambda rows: rows.astype(np.uint8),
    "objects": lambda rows: rows.astype(object),
    "nullable": lambda rows: pd.DataFrame(rows, columns=NAMES).astype("Int64"),
    "sparse frame": lambda rows: pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(rows)),
}


def target(kind):
    return TWO if issubclass(kind, Classifier) else X[:, 0] - X[:, 2] + 0.1 * TWO


@pytest.mark.slow
@ALL
def test_every_form_of_rows_is_the_array(kind, tmp_path):
    y = target(kind)
    expected = made(kind).fit(X, y).predict(X)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    for rows in (mapped, *(form(X) for form in FORMS.values())):
        assert_array_equal(made(kind).fit(rows, read_only(y)).predict(rows), expected)
    before = X.copy()
    single = made(kind).fit(X, y)
    assert_array_equal(X, before)
    assert single.predict(X[:1]) == pytest.approx(expected[:1], rel=1e-9)


TARGETS = {
    "booleans": TWO == 1,
    "objects": LABELS.astype(object),
    "categories": pd.Categorical(LABELS, categories=["yes", "no", "never"]),
    "series of categories": pd.Series(LABELS).astype("category"),
    "strings of pandas": pd.Series(LABELS, dtype="string"),
    "nullable": pd.Series(TWO).astype("Int64"),
    "strings of Polars": pl.Series(LABELS.tolist()),
    "categories of Polars": pl.Series(LABELS.tolist(), dtype=pl.Categorical),
}


@pytest.mark.slow
@each("kind", [k for k in KINDS if issubclass(k, Classifier)], ids=lambda kind: kind.__name__)
def test_every_form_of_classes_is_the_array(kind):
    expected = made(kind).fit(X, TWO, np.ones(40)).predict(X)
    for y in TARGETS.values():
        model = made(kind).fit(X, y, sample_weight=pl.Series(np.ones(40)))
        assert_array_equal(model.predict(X) == model.classes_[1], expected)
        assert model.score(X, y) == (expected == TWO).mean()
        assert len(model.classes_) == 2  # without the category that no row has


@ALL
def test_response_methods_have_the_names_of_scikit_learn(kind):
    """By which searches, stacking and displays of scikit-learn ask for them."""
    model = made(kind).fit(X, target(kind))
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        if hasattr(model, method):
            assert _check_response_method(model, method).__name__ == method


EQUAL = [made(kind) for kind in KINDS]
EQUAL += [KernelLogisticRegression(kernel=kernel) for kernel in ("linear", "polynomial")]
EQUAL += [LinearClassifier(loss="crammer_singer", strength=1e3)]
EQUAL += [MixtureDiscriminantAnalysis(subclasses=2, shrinkage=0.2)]


@each("value", [0.1, 3.0])
@each("model", EQUAL, ids=repr)
def test_rows_that_are_all_equal_are_scored_alike(model, value):
    """Nothing can be learned from them but how many rows each class has; numbers stay numbers."""
    rows = np.full((11, 2), value)
    labels = np.repeat([0, 1], [6, 5])
    scores = model.fit(rows, labels).predict(rows)
    if isinstance(model, Classifier):
        scores = model.decision_function(rows)
    assert np.isfinite(scores).all()
    assert_allclose(scores, np.broadcast_to(scores[0], scores.shape))
