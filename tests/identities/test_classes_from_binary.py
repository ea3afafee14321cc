"""One-vs-rest and one-vs-one: their form for two classes, and properties that do not depend on the base classifier."""

import warnings

import numpy as np
import pytest
from cases import each
from scipy import sparse
from sklearn import linear_model, multiclass, naive_bayes

from linclass import (
    LinearSVM,
    LogisticRegression,
    NearestMean,
    OneVsOne,
    OneVsRest,
    RelevanceVectorMachine,
)
from linclass.base.meta_estimator import WORST_LAST
from linclass.base.predicted import predictions_of
from linclass.base.tables import Table
from linclass_study.config import code
from linclass_study.config.method_check import method_problems
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

BOTH = each("kind", [OneVsRest, OneVsOne])
PEERS = {OneVsRest: multiclass.OneVsRestClassifier, OneVsOne: multiclass.OneVsOneClassifier}


def rows(K, n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.standard_normal((n, 3)) + 1.5 * np.eye(4)[y][:, :3], np.array(list("dbca"))[y]


@BOTH
@each("inner", [LogisticRegression(strength=0.01), NearestMean()], ids=repr)
def test_two_class_reductions_equal_the_base_classifier(kind, inner):
    X, y = rows(2)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    made = kind(inner).fit(X, y, sample_weight=w)
    alone = type(inner)(**inner.get_params()).fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(made.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(made.predict(X), alone.predict(X))
    assert not hasattr(inner, "coef_")  # the one given stays as it is


@BOTH
@each(
    "inner",
    [LogisticRegression(strength=0.01), linear_model.LogisticRegression(), NearestMean()],
    ids=lambda e: type(e).__module__,
)
@each("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_scores_are_those_of_scikit_learns_wrappers(kind, inner, form):
    X, y = rows(4)
    ours, theirs = kind(inner).fit(form(X), y), PEERS[kind](inner).fit(form(X), y)
    Z = ours.decision_function(form(X))
    np.testing.assert_allclose(Z, theirs.decision_function(form(X)), atol=1e-10)
    np.testing.assert_array_equal(ours.predict(form(X)), theirs.predict(form(X)))
    assert Z.shape == (len(X), 4)


@each("K", [2, 4])
@each(
    "inner",
    [linear_model.LogisticRegression(), naive_bayes.GaussianNB(), RelevanceVectorMachine()],
    ids=lambda e: type(e).__name__,
)
def test_probabilities_of_one_vs_rest_are_those_of_scikit_learns_wrapper(K, inner):
    X, y = rows(K)
    ours = OneVsRest(inner).fit(X, y)
    theirs = multiclass.OneVsRestClassifier(inner).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours.predict_proba(X), theirs, atol=1e-10)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), theirs, atol=1e-10)
    codes, _, log_proba = predictions_of(
        OneVsRest(inner).fit(X, np.unique(y, return_inverse=True)[1]), X, K
    )
    np.testing.assert_allclose(np.exp(log_proba), theirs, atol=1e-10)
    np.testing.assert_array_equal(codes, theirs.argmax(axis=1))


def test_one_vs_rest_gives_the_reason_for_missing_probabilities():
    made = OneVsRest(LinearSVM()).fit(*rows(3))
    assert not hasattr(made, "predict_proba")
    remedy = r"LinearSVM has no probabilities.*use OneVsRest\(Calibrated\(LinearSVM"
    with pytest.raises(AttributeError, match=remedy):
        made.predict_proba(rows(3)[0])


def test_one_vs_one_has_no_probabilities_without_coupling_or_pairwise_probabilities():
    X, y = rows(3)
    assert not hasattr(OneVsOne().fit(X, y), "predict_proba")
    with pytest.raises(ValueError, match="LinearSVM has no predict_proba; coupling needs it"):
        OneVsOne(LinearSVM(), coupling="wu_lin_weng").fit(X, y)
    with pytest.raises(ValueError, match="coupling is 'wu'; it must be 'wu_lin_weng' or None"):
        OneVsOne(coupling="wu").fit(X, y)


@BOTH
def test_weights_are_refused_where_they_cannot_be_passed_on(kind):
    class Unweighted(NearestMean):
        def fit(self, X, y):  # type: ignore[override]
            return super().fit(X, y)

    X, y = rows(3)
    kind(Unweighted()).fit(X, y)
    with pytest.raises(ValueError, match="Unweighted takes no sample_weight"):
        kind(Unweighted()).fit(X, y, sample_weight=np.ones(len(y)))


@BOTH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_worst_binary_fit_determines_status_and_certificate(kind):
    X, y = rows(3)
    good = kind().fit(X, y)
    assert (good.status_, good.reason_) == ("converged", "")
    assert good.certificate_ == max(e.certificate_ for e in good.estimators_)
    assert good.objective_ == pytest.approx(sum(e.objective_ for e in good.estimators_))
    X[y == "b", 0] += 50
    bad = kind(LogisticRegression(penalty=None)).fit(X, y)
    assert bad.status_ == "separable"
    assert "'b' against" in bad.reason_ or "against 'b'" in bad.reason_


def test_a_foreign_fit_that_warned_has_not_converged():
    X, y = rows(3)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = OneVsRest(linear_model.LogisticRegression(max_iter=1)).fit(X, y)
    assert made.status_ == "max_iter"
    assert "3 of 3 fits" in made.reason_
    assert any("Convergence" in w.category.__name__ for w in heard)
    assert made.certificate_ is None


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
                [
                    "logistic",
                    {"classifier": "linclass.LogisticRegression", "params": {"tol": 1e-9}},
                ],
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
