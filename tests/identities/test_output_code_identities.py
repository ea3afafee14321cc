"""Error-correcting output codes: guarantees of the codes, and known classifiers as special cases."""

import numpy as np
import pytest
from cases import each
from sklearn import naive_bayes

from linclass import (
    ErrorCorrectingOutputCodes,
    LeastSquaresClassifier,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
)
from linclass.base.messages import NotApplicable
from linclass.base.parts import find
from linclass.multiclass.error_correcting_output_codes import (
    least_distance,
    random_code,
)

NAMES = np.array(list("dbcae"))


def rows(K, n=100):
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.standard_normal((n, 4)) + 1.5 * np.eye(5)[y][:, :4], NAMES[y]


def centred(Z):
    return Z - Z.mean(axis=1, keepdims=True)


@each("inner", [None, LeastSquaresClassifier(), naive_bayes.GaussianNB()])
def test_one_vs_rest_decoded_by_margins_is_one_vs_rest(inner):
    """Σ_s M_ks z_s = 2 z_k − Σ_s z_s."""
    X, y = rows(5)
    code = ErrorCorrectingOutputCodes(inner, code="one_vs_rest").fit(X, y)
    rest = OneVsRest(inner).fit(X, y)
    expected = 2 * centred(rest.decision_function(X))
    np.testing.assert_allclose(centred(code.decision_function(X)), expected, atol=1e-10)
    np.testing.assert_array_equal(code.predict(X), rest.predict(X))


def test_one_vs_one_decoded_by_hamming_is_the_vote_of_one_vs_one():
    X, y = rows(5)
    code = ErrorCorrectingOutputCodes(code="one_vs_one", decoding="hamming").fit(X, y)
    pairs = OneVsOne().fit(X, y)
    np.testing.assert_array_equal(code.predict(X), pairs.predict(X))
    Z, votes = code.decision_function(X), np.round(pairs.decision_function(X))
    # each of the K − 1 problems of a class adds its vote − 1, each of the other six −½
    assert (np.abs(Z - (votes - 4 - 6 / 2)) < 0.2).all()


@each("decoding", ["margin", "hamming", "logistic"])
@each("code", ["random", "exhaustive", "one_vs_rest", "one_vs_one"])
def test_output_codes_of_two_classes_equal_the_base_classifier(code, decoding):
    X, y = rows(2)
    made = ErrorCorrectingOutputCodes(code=code, decoding=decoding).fit(X, y)
    alone = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(made.decision_function(X), alone.decision_function(X))


@each("decoding", ["hinge", "exponential", "logistic", "squared_hinge"])
def test_scores_are_minus_the_losses_of_the_code_words(decoding):
    """Allwein, Schapire & Singer (2000), equation (7), written out."""
    X, y = rows(4)
    code = [[1, 1, 0, -1], [-1, 0, 1, 1], [0, -1, -1, 1], [1, -1, 1, -1]]
    made = ErrorCorrectingOutputCodes(code=code, decoding=decoding).fit(X, y)
    loss = find("losses", decoding)()
    for i in (0, 17):
        z = [inner.decision_function(X[[i]])[0] for inner in made.estimators_]
        d = [sum(loss.value(np.array(m * f)) for m, f in zip(w, z, strict=True)) for w in code]
        np.testing.assert_allclose(made.decision_function(X[[i]])[0], -np.array(d), rtol=1e-12)
    kept = made.estimators_[0]  # of class 2 it saw nothing
    own = y != made.classes_[2]
    target = np.isin(y[own], made.classes_[[0, 3]]).astype(int)
    alone = LogisticRegression().fit(X[own], target)
    np.testing.assert_allclose(kept.coef_, alone.coef_, rtol=1e-9)


@each(("K", "columns"), [(6, None), (7, 12), (20, None), (40, 60)])
def test_random_codes_are_different_splits_far_apart(K, columns):
    M = random_code(K, columns, np.random.default_rng(0))
    assert M.shape == (K, columns or int(np.ceil(10 * np.log2(K))))
    assert (np.abs(M.sum(axis=0)) < K).all()
    both = np.vstack([M.T, -M.T])
    assert len(np.unique(both, axis=0)) == len(both)
    signs = np.random.default_rng(1).integers(0, 2, (50, *M.shape)) * 2 - 1
    usual = np.mean([least_distance(one) for one in signs])
    assert least_distance(M) > usual
    assert np.array_equal(M, random_code(K, columns, np.random.default_rng(0)))


@each("K", [2, 4])
def test_margins_of_linear_classifiers_are_linear(K):
    X, y = rows(K)
    made = ErrorCorrectingOutputCodes().fit(X, y)
    Z = X @ made.coef_.T + made.intercept_
    np.testing.assert_allclose(made.decision_function(X), Z[:, 0] if K == 2 else Z, atol=1e-10)
    if K > 2:
        assert not hasattr(ErrorCorrectingOutputCodes(decoding="hinge").fit(X, y), "coef_")


def test_codes_without_distinct_words_or_probabilities_are_refused():
    """There are 2^{K−1} − 1; more were drawn without an end."""
    with pytest.raises(
        NotApplicable, match="columns is 2048, but 12 classes have only 2047 splits"
    ):
        random_code(12, 2048, np.random.default_rng(0))
    y = np.arange(48) % 12
    with pytest.raises(NotApplicable, match="2047 columns; use code='random'"):
        ErrorCorrectingOutputCodes(code="exhaustive").fit(np.eye(48), y)
    X, y = rows(4)
    assert not hasattr(ErrorCorrectingOutputCodes().fit(X, y), "predict_proba")
