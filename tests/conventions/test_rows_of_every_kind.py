"""Over all models: rows, targets and weights in every form that scikit-learn's users have, and saved models."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from models import ESTIMATORS, made
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.validation import _check_response_method

from linclass import (
    GaussianNB,
    KernelLogisticRegression,
    LinearClassifier,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    NearestMean,
)
from linclass.base import estimator as estimators
from linclass.base.classifier import Classifier
from linclass_study.pipeline.preprocessor import Preprocessor

ALL = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
NAMES = list("abcd")
TWO, THREE = np.arange(40) % 2, np.arange(40) % 3
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
@each("kind", [k for k in ESTIMATORS if issubclass(k, Classifier)], ids=lambda kind: kind.__name__)
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


FROM_ROW_TO_ROW = {
    "KernelPerceptron",
    "ZeroOneClassifier",
}  # which begin at rows in order of their hashes


@each("kind", [k for k in ESTIMATORS if ".online." not in k.__module__ and k.__name__ not in FROM_ROW_TO_ROW],
      ids=lambda kind: kind.__name__)  # fmt: skip
def test_the_order_of_columns_does_not_matter(kind):
    order = [2, 0, 3, 1]
    one, other = (made(kind).fit(rows, target(kind)) for rows in (X, X[:, order]))
    method = "decision_function" if hasattr(one, "decision_function") else "predict"
    scores = getattr(one, method)(X)
    size = np.abs(scores).max()
    assert_allclose(getattr(other, method)(X[:, order]), scores, atol=1e-6 * size)


EQUAL = [made(kind) for kind in ESTIMATORS]
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


@each("index", [np.int32, np.int64])
@each("dtype", [np.float32, np.float64, np.int64, bool])
@each("form", ["csr", "csc", "coo", "lil", "dok"])
def test_every_sparse_form_gives_the_answer_of_csr(form, dtype, index):
    rows = np.round(X / 2).astype(dtype)
    S = sparse.csr_array(rows)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    given, dense = S.asformat(form), rows.astype(float)
    expected = GaussianNB().fit(dense, TWO).predict_proba(dense)
    for container in (given, sparse.csr_matrix(given)):
        model = GaussianNB().fit(container, TWO)
        assert_allclose(model.predict_proba(container), expected, rtol=1e-9)


def test_entries_stored_twice_count_as_their_sum_and_stay_stored_twice():
    data, row, column = [1.0, 1.0, 3.0, 1.0], np.array([0, 2, 3, 4, 4]), np.array([0, 0, 1, 1])
    twice = sparse.csr_array((np.array(data), column, row), shape=(4, 2))
    fitted = GaussianNB().fit(twice, [0, 0, 1, 1])
    assert twice.nnz == 4
    dense = GaussianNB().fit(twice.toarray(), [0, 0, 1, 1])
    assert_array_equal(fitted.means_, dense.means_)


@each("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_labels_at_the_ends_of_their_type_do_not_overflow(dtype):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
    assert_array_equal(NearestMean().fit(X, ends[TWO]).classes_, ends)


def test_a_class_without_weight_is_left_out_and_given_weights_do_not_change():
    weights = np.where(THREE == 1, 0.0, 2.0)
    model = LogisticRegression(class_weight="balanced").fit(X, THREE, sample_weight=weights)
    assert model.classes_.tolist() == [0, 2]
    assert_array_equal(weights, np.where(THREE == 1, 0.0, 2.0))


FRAMES = {
    "pandas": lambda columns=NAMES: pd.DataFrame(X, columns=NAMES)[list(columns)],
    "polars": lambda columns=NAMES: pl.DataFrame(X, schema=NAMES)[list(columns)],
}


@each("library", FRAMES, quick=1)
@ALL
def test_data_frames_are_arrays_with_names(kind, library):
    frame, y = FRAMES[library], target(kind)
    model = made(kind).fit(frame(), y)
    assert model.feature_names_in_.tolist() == NAMES
    plain = made(kind).fit(X, y)
    assert_array_equal(model.predict(frame()), plain.predict(X))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame(reversed(NAMES)))
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    if library == "polars":
        labels = pl.Series(y)
        assert_array_equal(made(kind).fit(frame(), labels).predict(X), plain.predict(X))


TRANSFORMING = [kind for kind in ESTIMATORS if hasattr(kind, "transform")]


@each("library", FRAMES)
@each("kind", TRANSFORMING, ids=lambda kind: kind.__name__)
def test_transforms_return_the_requested_type_of_frame(kind, library):
    expected = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    Z = made(kind).fit(X, TWO).transform(X)
    model = made(kind).set_output(transform=library).fit(FRAMES[library](), TWO)
    found = model.transform(FRAMES[library]())
    assert isinstance(found, expected)
    assert list(found.columns) == model.get_feature_names_out().tolist()
    assert_allclose(found.to_numpy(), Z)


@ALL
def test_loading_a_model_of_another_version_warns(kind, monkeypatch):
    model = made(kind).fit(X, target(kind))
    with monkeypatch.context() as patch:
        patch.setattr(estimators, "linclass_version", lambda: "0.0.7")
        written = pickle.dumps(model)
    with pytest.warns(UserWarning, match=r"This \w+ was saved by linclass 0\.0\.7") as warned:
        again = pickle.loads(written)
    of_outermost = str(warned[-1].message)
    assert f"This {kind.__name__} was" in of_outermost
    assert_array_equal(again.predict(X), model.predict(X))


def test_loading_a_preprocessor_of_another_version_or_a_model_without_a_version_warns(monkeypatch):
    written = pickle.dumps(Preprocessor(transforms=["standardize"]).fit(X, TWO))
    monkeypatch.setattr(estimators, "linclass_version", lambda: "9.9")
    with pytest.warns(UserWarning, match=r"This Preprocessor .* is loaded by linclass 9\.9"):
        pickle.loads(written)
    with pytest.warns(UserWarning, match=r"was saved by linclass before 0\.1"):
        NearestMean().__setstate__({"means_": X})
