"""Sparse coefficients and counts of words against scikit-learn."""

import random
import warnings

import numpy as np
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import ElasticNet, Lasso, LogisticRegression, strength_of_C
from linclass.base.tables import Table
from linclass.preprocessing.features.texts import count_words
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

# Lasso, elastic net and L1 logistic regression: scikit-learn on the same objectives


def rows(classes, n=150):
    rng = np.random.default_rng(2)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 6)) + 0.7 * rng.standard_normal((classes, 6))[y], y


@each("classes", [2, 3])
@each("l1_ratio", [0.4, 1.0])
@each("C", [0.05, 1.0])
def test_l1_and_elastic_net_logistic_regression_are_sagas(classes, l1_ratio, C):
    from sklearn.linear_model import LogisticRegression as Peer

    X, y = rows(classes)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=50_000)
        peer.fit(X, y, w)
    strength = strength_of_C(C, w.sum())
    ours = LogisticRegression(
        penalty="elastic_net", l1_ratio=l1_ratio, strength=strength, tol=1e-12
    ).fit(X, y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert ((ours.coef_ == 0) == (np.abs(peer.coef_) < 1e-7)).all()
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@each("store", [np.asarray, sparse.csr_array])
@each("solver", ["auto", "homotopy", "proximal_newton"])
@each("intercept", [True, False])
def test_lasso_is_scikit_learns(store, solver, intercept):
    import sklearn.linear_model as peers

    X, _ = rows(2)
    rng = np.random.default_rng(0)
    y, w = X @ [2, -1, 0, 0, 0.5, 0] + rng.standard_normal(len(X)), rng.uniform(0.5, 2, len(X))
    peer = peers.Lasso(alpha=0.2, tol=1e-12, max_iter=100_000, fit_intercept=intercept)
    peer.fit(X, y, w)
    ours = Lasso(strength=0.2, solver=solver, tol=1e-12, fit_intercept=intercept)
    ours.fit(store(X), y, w)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)
    assert (ours.coef_ == 0).any()


@each("solver", ["auto", "proximal_newton"])
@each("l1_ratio", [0.2, 0.9])
def test_elastic_net_and_its_path_are_scikit_learns(solver, l1_ratio):
    import sklearn.linear_model as peers

    X, _ = rows(2)
    rng = np.random.default_rng(0)
    y = X @ [2, -1, 0, 0, 0.5, 0] + rng.standard_normal(len(X))
    y -= y.mean()  # enet_path has no intercept
    X = X - X.mean(axis=0)
    strengths = np.geomspace(5, 1e-3, 20)
    options = {"tol": 1e-12, "max_iter": 100_000}
    _, coefs, _ = peers.enet_path(X, y, l1_ratio=l1_ratio, alphas=strengths, **options)
    path = ElasticNet(l1_ratio=l1_ratio, solver=solver, tol=1e-12).path(X, y, strengths)
    for k, model in enumerate(path):
        assert_allclose(model.coef_, coefs[:, k], atol=1e-6)
        assert_allclose(model.intercept_, 0, atol=1e-8)
    peer = peers.ElasticNet(alpha=0.3, l1_ratio=l1_ratio, **options).fit(X + 1, y + 2)
    ours = ElasticNet(strength=0.3, l1_ratio=l1_ratio, solver=solver, tol=1e-12).fit(X + 1, y + 2)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-6)


def test_the_lasso_path_is_lars():
    """The same kinks, one by one."""
    from sklearn.linear_model import lars_path

    X, _ = rows(2)
    y = X @ [2, -1, 0.3, 0, 0.5, 0] + np.random.default_rng(0).standard_normal(len(X))
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, _, coefs = lars_path(X, y, method="lasso")
    alphas, coefs = alphas[:-1], coefs[:, :-1]  # the last is the end of the path, 0
    path = Lasso(solver="homotopy").path(X, y, alphas)
    for k, model in enumerate(path):
        assert_allclose(model.coef_, coefs[:, k], atol=1e-8)
        assert abs(model.n_iter_ - k) <= 1  # rounding says on which side of a kink it is


# Words, vocabulary and weights together: everything learned from training rows ignores held-out rows

STRENGTH = 0.01


def reviews(n=80, seed=0):
    """Texts of two classes that prefer different words out of 60; many words are rare."""
    draw = random.Random(seed)
    y = np.array([draw.randrange(2) for _ in range(n)], np.int32)
    words = [f"word{j}" for j in range(60)]
    odds = [[1 / (1 + (j + 17 * k) % 60) for j in range(60)] for k in (0, 1)]
    return [" ".join(draw.choices(words, odds[k], k=draw.randrange(3, 15))) for k in y], y


def column(texts):
    levels = sorted(set(texts))
    X = np.array([[float(levels.index(text))] for text in texts])
    return Table(X, ("text",), {"text": tuple(levels)}, frozenset({"text"}))


def output(texts, y, train, entry):
    """The score of class 1 for every row, of a fit on the training rows."""
    table = count_words(column(texts))
    fitted = fit_method(Method.from_entry(entry), table.rows(train), y[train], Task(2, 1), seed=0)
    return fitted.predict(table)[1][:, 1]


LOGISTIC = {
    "classifier": "linclass.LogisticRegression",
    "params": {"strength": STRENGTH},
    "transforms": [{"vocabulary": {"min_rows": 2}}, {"idf": {"counts": "log"}}],
}
NAIVE_BAYES = {"classifier": "linclass.MultinomialNB", "transforms": ["vocabulary"]}


@each("entry", [LOGISTIC, NAIVE_BAYES], ids=["logistic", "naive_bayes"])
def test_texts_held_out_change_no_score_of_other_rows(entry):
    texts, y = reviews()
    train = np.arange(60)
    changed = texts[:60] + ["never seen before, and word1 again"] * 20
    before, after = output(texts, y, train, entry), output(changed, y, train, entry)
    np.testing.assert_allclose(after[:60], before[:60], rtol=1e-9, atol=1e-12)
    assert not np.allclose(after[60:], before[60:])


def test_words_occurring_only_in_test_rows_are_never_features():
    """Smoothing counts the columns: one that only test rows have would move every probability."""
    texts, y = reviews()
    train, entry = np.arange(60), {"classifier": "linclass.MultinomialNB"}
    changed = texts[:60] + [f"strange{i} stranger{i}" for i in range(20)]
    before, after = output(texts, y, train, entry), output(changed, y, train, entry)
    np.testing.assert_array_equal(after[:60], before[:60])


def test_tf_idf_and_logistic_regression_are_the_pipeline_of_scikit_learn_on_training_texts():
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, y = reviews()
    train = np.arange(60)
    theirs = make_pipeline(
        CountVectorizer(min_df=2),
        TfidfTransformer(sublinear_tf=True),
        LogisticRegression(C=1 / (60 * STRENGTH), tol=1e-10, max_iter=10_000),
    ).fit(texts[:60], y[:60])
    ours = 2 * output(texts, y, train, LOGISTIC)  # score: −z/2 and z/2
    np.testing.assert_allclose(ours, theirs.decision_function(texts), atol=1e-5)
