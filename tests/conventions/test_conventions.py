"""The conventions of estimators: parameters, validation, weights, limits."""

import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each

from linclass import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NearestMean,
)
from linclass.base.messages import NotApplicable

Y = np.arange(60) % 3
X = np.random.default_rng(0).normal(size=(60, 4)) + Y[:, None]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def refused(message):
    return pytest.raises(ValueError, match=re.escape(message))


# parameters


def test_parameters_are_shown_if_changed_and_unknown_ones_are_refused():
    assert repr(LinearDiscriminantAnalysis()) == "LinearDiscriminantAnalysis()"
    assert repr(GaussianNB(var_smoothing=0.5)) == "GaussianNB(var_smoothing=0.5)"
    with refused("Invalid parameter 'depth' for estimator GaussianNB()"):
        GaussianNB().set_params(depth=1)
    from linclass.base.estimator import Estimator

    class Outer(Estimator):
        def __init__(self, inner: object = None):
            self.inner = inner

    outer = Outer(GaussianNB())
    outer.set_params(inner__var_smoothing=0.25)
    assert outer.get_params()["inner__var_smoothing"] == 0.25
    assert set(outer.get_params(deep=False)) == {"inner"}


@each(("estimator", "message"), [
    (GaussianNB(var_smoothing=-1), "var_smoothing is -1; it must be"),
    (GaussianNB(priors="flat"), "priors is 'flat'; it must be 'uniform'"),
    (GaussianNB(priors=[0.5, 0.5, 0.5]), "priors sum to 1.5"),
    (LinearDiscriminantAnalysis(priors=[1.2, -0.2]), "at least 0"),
    (LinearDiscriminantAnalysis(ddof=2), "ddof is 2; it must be"),
])  # fmt: skip
def test_bad_parameters_are_refused_by_check_and_by_fit(estimator, message):
    with refused(message):
        estimator.check()
    with refused(message):
        estimator.fit(X, Y)


# rows


@each("value", [np.nan, np.inf])
@each("kind", [np.asarray, sp.csr_array])
def test_a_non_numeric_cell_is_reported_by_row_and_column(value, kind):
    bad = X.copy()
    bad[17, 2] = value
    with pytest.raises(NotApplicable, match=r"contains (NaN|infinity).* row 17, column 2"):
        GaussianNB().fit(kind(bad), Y)
    with pytest.raises(NotApplicable, match="row 17, column 2"):
        GaussianNB().fit(X, Y).predict(kind(bad))


@each("index", [np.int32, np.int64])
@each("dtype", [np.float32, np.float64, np.int64, bool])
@each("form", ["csr", "csc", "coo", "lil", "dok"])
def test_every_sparse_form_gives_the_answer_of_csr(form, dtype, index, rng):
    rows = (X * (rng.random(X.shape) < 0.5) * 3).round().astype(dtype)
    S = sp.csr_array(rows)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    given = S.asformat(form)
    expected = (
        GaussianNB().fit(sp.csr_array(rows.astype(float)), Y).predict_proba(rows.astype(float))
    )
    for container in (given, sp.csr_matrix(given)):
        model = GaussianNB().fit(container, Y)
        np.testing.assert_allclose(model.predict_proba(container), expected, rtol=1e-9)


def test_entries_stored_twice_count_as_their_sum_and_stay_stored_twice():
    data, row, column = [1.0, 1.0, 3.0, 1.0], np.array([0, 2, 3, 4, 4]), np.array([0, 0, 1, 1])
    twice = sp.csr_array((np.array(data), column, row), shape=(4, 2))
    fitted = GaussianNB().fit(twice, [0, 0, 1, 1])
    assert twice.nnz == 4
    np.testing.assert_array_equal(
        fitted.means_, GaussianNB().fit(twice.toarray(), [0, 0, 1, 1]).means_
    )


# labels


@each("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_labels_at_the_ends_of_their_type_do_not_overflow(dtype, rng):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
    y = ends[np.arange(300) % 2]
    model = NearestMean().fit(rng.normal(size=(300, 2)), y)
    assert np.array_equal(model.classes_, ends)


def test_labels_that_are_no_classes_are_refused():
    with refused("Unknown label type: continuous; y holds 0.5"):
        GaussianNB().fit(X, Y + 0.5)
    with refused("Unknown label type: continuous; y holds 0.5"):
        GaussianNB().fit(X, (Y + 0.5).astype(object))
    mixed = np.array([1, "a"] * 30, dtype=object)
    with refused("y mixes int and str"):
        GaussianNB().fit(X, mixed)
    with pytest.raises(NotApplicable, match="at least two classes; y has 1 class: 7"):
        GaussianNB().fit(X, np.full(60, 7))
    model = GaussianNB().fit(X, Y, sample_weight=(Y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    weights = np.full(60, 2.0)
    LogisticRegression(class_weight="balanced").fit(X, Y, sample_weight=weights)
    assert (weights == 2).all()


# weights


@each(("weights", "message"), [
    (np.ones(59), "sample_weight has shape (59,); it must be (60,)"),
    (-np.ones(60), "sample_weight holds -1"),
    (np.full(60, np.nan), "sample_weight holds nan"),
    (np.zeros(60), "sample_weight is zero for every row"),
])  # fmt: skip
def test_bad_row_weights_are_refused(weights, message):
    with refused(message):
        GaussianNB().fit(X, Y, sample_weight=weights)


# scores


# memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS as on Linux")
def test_a_covariance_of_many_words_is_refused_under_the_limit_unless_rows_are_few():
    code = """
import resource, numpy as np, scipy.sparse as sp
from linclass import (
    BayesianLogisticRegression, FisherDiscriminant, LinearDiscriminantAnalysis, MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis,
)
resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9, 4 * 10**9))
words = sp.random_array((35000, 34250), density=1e-5, format="csr", rng=0)
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
