"""Several classes from two: one-vs-rest, one-vs-one and output codes against known classifiers and guarantees."""

import warnings

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import ensemble, linear_model, multiclass, naive_bayes
from sklearn.base import clone

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.base.meta_estimator import WORST_LAST
from linclass.base.parts import find
from linclass.base.tables import Table
from linclass.multiclass.error_correcting_output_codes import least_distance, random_code
from linclass_study.config import code
from linclass_study.config.method_check import method_problems
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

BOTH = each("kind", [L.OneVsRest, L.OneVsOne])
PEERS = {L.OneVsRest: multiclass.OneVsRestClassifier, L.OneVsOne: multiclass.OneVsOneClassifier}


def rows(K, n=90, d=3):
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.standard_normal((n, d)) + 1.5 * np.eye(5)[y][:, :d], np.array(list("dbcae"))[y]


@BOTH
@each("inner", [L.LogisticRegression(strength=0.01), L.NearestMean()], ids=repr)
def test_two_class_reductions_equal_the_base_classifier(kind, inner):
    X, y = rows(2)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    made = kind(inner).fit(X, y, sample_weight=w)
    alone = type(inner)(**inner.get_params()).fit(X, y, sample_weight=w)
    assert_array_equal(made.decision_function(X), alone.decision_function(X))
    assert_array_equal(made.predict(X), alone.predict(X))
    assert not hasattr(inner, "coef_")  # the one given stays as it is


@BOTH
@each(
    "inner",
    [L.LogisticRegression(strength=0.01), linear_model.LogisticRegression(), L.NearestMean()],
    ids=lambda e: type(e).__module__,
)
@each("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_scores_are_those_of_scikit_learns_wrappers(kind, inner, form):
    X, y = rows(4)
    ours, theirs = kind(inner).fit(form(X), y), PEERS[kind](inner).fit(form(X), y)
    Z = ours.decision_function(form(X))
    assert_allclose(Z, theirs.decision_function(form(X)), atol=1e-10)
    assert_array_equal(ours.predict(form(X)), theirs.predict(form(X)))
    assert Z.shape == (len(X), 4)
    assert (ours.certificate_ is not None) == isinstance(inner, L.LogisticRegression)


@each("K", [2, 4])
@each(
    "inner",
    [linear_model.LogisticRegression(), naive_bayes.GaussianNB(), L.RelevanceVectorMachine()],
    ids=lambda e: type(e).__name__,
)
def test_probabilities_of_one_vs_rest_are_those_of_scikit_learns_wrapper(K, inner):
    X, y = rows(K)
    ours = L.OneVsRest(inner).fit(X, y)
    theirs = multiclass.OneVsRestClassifier(inner).fit(X, y).predict_proba(X)
    assert_allclose(ours.predict_proba(X), theirs, atol=1e-10)
    assert_allclose(np.exp(ours.predict_log_proba(X)), theirs, atol=1e-10)


def test_one_vs_rest_gives_the_reason_for_missing_probabilities():
    made = L.OneVsRest(L.LinearSVM()).fit(*rows(3))
    assert not hasattr(made, "predict_proba")
    remedy = r"LinearSVM has no probabilities.*use OneVsRest\(Calibrated\(LinearSVM"
    with pytest.raises(AttributeError, match=remedy):
        made.predict_proba(rows(3)[0])


def test_one_vs_one_has_no_probabilities_without_coupling_or_pairwise_probabilities():
    X, y = rows(3)
    assert not hasattr(L.OneVsOne().fit(X, y), "predict_proba")
    with pytest.raises(ValueError, match="LinearSVM has no predict_proba; coupling needs it"):
        L.OneVsOne(L.LinearSVM(), coupling="wu_lin_weng").fit(X, y)
    with pytest.raises(ValueError, match="coupling is 'wu'; it must be 'wu_lin_weng' or None"):
        L.OneVsOne(coupling="wu").fit(X, y)


@BOTH
def test_weights_are_refused_where_they_cannot_be_passed_on(kind):
    class Unweighted(L.NearestMean):
        def fit(self, X, y):  # type: ignore[override]
            return super().fit(X, y)

    X, y = rows(3)
    kind(Unweighted()).fit(X, y)
    with pytest.raises(ValueError, match="Unweighted takes no sample_weight"):
        kind(Unweighted()).fit(X, y, sample_weight=np.ones(len(y)))


@each("made", [
    ensemble.StackingClassifier([("one", linear_model.LogisticRegression())], cv=2),
    ensemble.VotingClassifier([("one", linear_model.LogisticRegression())], voting="soft"),
])  # fmt: skip
def test_weights_reach_the_estimators_of_a_stack_and_of_a_vote(made):
    X, y = rows(3)
    weights = np.random.default_rng(0).integers(1, 9, len(y))
    fits = [clone(made).fit(X, y == k, sample_weight=weights) for k in np.unique(y)]
    sides = np.stack([fit.predict_proba(X)[:, 1] for fit in fits], axis=1)
    ours = L.OneVsRest(made).fit(X, y, weights)
    assert_allclose(ours.predict_proba(X), sides / sides.sum(axis=1, keepdims=True), rtol=1e-6)


@BOTH
def test_a_vote_without_scores_is_refused(kind):
    vote = ensemble.VotingClassifier([("one", linear_model.LogisticRegression())])
    with pytest.raises(ValueError, match="VotingClassifier has neither decision_function nor"):
        kind(vote).fit(*rows(3))


@BOTH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_worst_binary_fit_determines_status_and_certificate(kind):
    X, y = rows(3)
    good = kind().fit(X, y)
    assert (good.status_, good.reason_) == ("converged", "")
    assert good.certificate_ == max(e.certificate_ for e in good.estimators_)
    assert good.objective_ == pytest.approx(sum(e.objective_ for e in good.estimators_))
    X[y == "b", 0] += 50
    bad = kind(L.LogisticRegression(penalty=None)).fit(X, y)
    assert bad.status_ == "separable"
    assert "'b' against" in bad.reason_ or "against 'b'" in bad.reason_


@each("status", WORST_LAST[1:])
@BOTH
def test_a_foreign_status_needs_no_reason(kind, status):
    class Says(linear_model.LogisticRegression):
        def fit(self, *rows, **weights):
            self.status_ = status
            return super().fit(*rows, **weights)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = kind(Says()).fit(*rows(3))
    assert made.status_ == status
    assert made.reason_.startswith("3 of 3 fits, first ")
    assert made.reason_.endswith("it gives no reason")


ENTRY = {
    "classifier": "linclass.OneVsOne",
    "params": {"estimator": {"classifier": "linclass.LogisticRegression", "params": {"tol": 1e-8}}},
    "tune": {"estimator__strength": [0.01, 10.0, 1.0]},
    "transforms": ["standardize"],
}


def test_an_entry_holds_an_estimator_and_tunes_its_parameters():
    assert not list(method_problems(ENTRY))
    X, y = rows(4)
    codes = np.unique(y, return_inverse=True)[1]
    method = Method.from_entry(ENTRY)
    fitted = fit_method(method, Table(X, ("u", "v", "w")), codes, Task(4, 3), 1)
    inner = fitted.estimator.estimators_[0]
    assert inner.tol == 1e-8
    assert {"estimator__strength": inner.strength} == fitted.chosen
    counted, _ = code.closure([], code.modules_of_method(ENTRY, "accuracy"))
    names = {path.stem for path in counted}
    assert names >= {"one_vs_one", "logistic_regression", "linear_classifier"}
    assert not names & {"one_vs_rest", "perceptron", "linear_svm"}


def test_estimators_in_a_list_are_built():
    entry = {
        "classifier": "sklearn.ensemble.VotingClassifier",
        "params": {
            "estimators": [
                ["near", {"classifier": "linclass.NearestMean"}],
                ["logistic", {"classifier": "linclass.LogisticRegression"}],
            ]
        },
    }
    assert not list(method_problems(entry))
    made = Method.from_entry(entry).estimator(3)
    assert [type(e).__name__ for _, e in made.estimators] == ["NearestMean", "LogisticRegression"]
    X, y = rows(3)
    assert np.mean(made.fit(X, y).predict(X) == y) > 0.6
    counted, libraries = code.closure([], code.modules_of_method(entry, "accuracy"))
    assert "nearest_mean" in {path.stem for path in counted}
    assert libraries == {"sklearn"}
    entry["params"]["estimators"][0][1]["params"] = {"weight": 1}
    ((path, text),) = method_problems(entry)
    assert path[:4] == ["params", "estimators", 0, 1]
    assert "weight" in text


def centred(Z):
    return Z - Z.mean(axis=1, keepdims=True)


@each("inner", [None, L.LeastSquaresClassifier(), naive_bayes.GaussianNB()])
def test_one_vs_rest_decoded_by_margins_is_one_vs_rest(inner):
    """Σ_s M_ks z_s = 2 z_k − Σ_s z_s."""
    X, y = rows(5, d=4)
    code = L.ErrorCorrectingOutputCodes(inner, code="one_vs_rest").fit(X, y)
    rest = L.OneVsRest(inner).fit(X, y)
    expected = 2 * centred(rest.decision_function(X))
    assert_allclose(centred(code.decision_function(X)), expected, atol=1e-10)
    assert_array_equal(code.predict(X), rest.predict(X))


def test_one_vs_one_decoded_by_hamming_is_the_vote_of_one_vs_one():
    X, y = rows(5, d=4)
    code = L.ErrorCorrectingOutputCodes(code="one_vs_one", decoding="hamming").fit(X, y)
    pairs = L.OneVsOne().fit(X, y)
    assert_array_equal(code.predict(X), pairs.predict(X))
    Z, votes = code.decision_function(X), np.round(pairs.decision_function(X))
    # each of the K − 1 problems of a class adds its vote − 1, each of the other six −½
    assert (np.abs(Z - (votes - 4 - 6 / 2)) < 0.2).all()


@each("decoding", ["margin", "hamming", "logistic"])
@each("code", ["random", "exhaustive", "one_vs_rest", "one_vs_one"])
def test_output_codes_of_two_classes_equal_the_base_classifier(code, decoding):
    X, y = rows(2, d=4)
    made = L.ErrorCorrectingOutputCodes(code=code, decoding=decoding).fit(X, y)
    alone = L.LogisticRegression().fit(X, y)
    assert_array_equal(made.decision_function(X), alone.decision_function(X))


@each("decoding", ["hinge", "exponential", "logistic", "squared_hinge"])
def test_scores_are_minus_the_losses_of_the_code_words(decoding):
    """Allwein, Schapire & Singer (2000), equation (7), written out."""
    X, y = rows(4, d=4)
    code = [[1, 1, 0, -1], [-1, 0, 1, 1], [0, -1, -1, 1], [1, -1, 1, -1]]
    made = L.ErrorCorrectingOutputCodes(code=code, decoding=decoding).fit(X, y)
    loss = find("losses", decoding)()
    for i in (0, 17):
        z = [inner.decision_function(X[[i]])[0] for inner in made.estimators_]
        d = [sum(loss.value(np.array(m * f)) for m, f in zip(w, z, strict=True)) for w in code]
        assert_allclose(made.decision_function(X[[i]])[0], -np.array(d), rtol=1e-12)
    kept = made.estimators_[0]  # of class 2 it saw nothing
    own = y != made.classes_[2]
    target = np.isin(y[own], made.classes_[[0, 3]]).astype(int)
    alone = L.LogisticRegression().fit(X[own], target)
    assert_allclose(kept.coef_, alone.coef_, rtol=1e-9)


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
    X, y = rows(K, d=4)
    made = L.ErrorCorrectingOutputCodes().fit(X, y)
    Z = X @ made.coef_.T + made.intercept_
    assert_allclose(made.decision_function(X), Z[:, 0] if K == 2 else Z, atol=1e-10)
    if K > 2:
        assert not hasattr(L.ErrorCorrectingOutputCodes(decoding="hinge").fit(X, y), "coef_")


def test_codes_without_distinct_words_or_probabilities_are_refused():
    """There are 2^{K−1} − 1; more were drawn without an end."""
    with pytest.raises(
        NotApplicable, match="columns is 2048, but 12 classes have only 2047 splits"
    ):
        random_code(12, 2048, np.random.default_rng(0))
    y = np.arange(48) % 12
    with pytest.raises(NotApplicable, match="2047 columns; use code='random'"):
        L.ErrorCorrectingOutputCodes(code="exhaustive").fit(np.eye(48), y)
    X, y = rows(4, d=4)
    assert not hasattr(L.ErrorCorrectingOutputCodes().fit(X, y), "predict_proba")
