"""Gaussian methods on more features than rows: the Gram matrix of the rows gives what a covariance (d, d) gives."""

import copy
import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from numpy.testing import assert_allclose
from sklearn.covariance import ledoit_wolf

import linclass as L
from linclass.base.tables import Table
from linclass.bayes import laplace_posterior
from linclass.bayes.laplace_posterior import RowPosterior
from linclass.discriminant import mixture_discriminant_analysis
from linclass.discriminant.class_moments import ClassMoments
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.tuned_parameters import select_parameters

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}


def words(n, d, K, seed=0):
    """Rows mostly of zeros. Some columns have no zeros, one of them is far from 0, and one is constant."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), np.arange(K), rng.integers(0, K, n - 2 * K)])
    X = rng.poisson(0.3 + 0.5 * (rng.random((K, d)) < 0.3)[y], (n, d)).astype(float)
    X[:, 0] = 1000 + rng.normal(size=n)
    X[:, 1] = 1 + rng.random(n)
    X[:, 2] = 3
    X[:, 3] *= 100
    return X, y


def weights(n):
    return np.random.default_rng(1).integers(1, 4, n).astype(float)


def within(X, y, w):
    """(n_k, m_k, scatter of each class)"""
    mass = np.bincount(y, w)
    means = np.array([np.average(X[y == k], axis=0, weights=w[y == k]) for k in range(len(mass))])
    D = X - means[y]
    D[:, np.ptp(X, axis=0) == 0] = 0
    return mass, means, np.array([(D[y == k].T * w[y == k]) @ D[y == k] for k in range(len(mass))])


def inverse(S, units):
    """(pseudo-inverse of Σ in features divided by `units`, its rank)"""
    by = np.divide(1, units, out=np.zeros_like(units), where=units > 0)
    Q = S * np.outer(by, by)
    found, rank = np.linalg.pinv(Q, 1e-11, hermitian=True), np.linalg.matrix_rank(Q, 1e-9)
    return found * np.outer(by, by), int(rank)


def scores(X, means, P, b):
    """−½ (x − m_k)ᵀP(x − m_k) + b_k, relative to the first class."""
    D = X[:, None] - means
    Z = -0.5 * np.einsum("nki,ij,nkj->nk", D, P, D) + b
    return Z - Z[:, :1]


def relative(Z):
    Z = np.column_stack([np.zeros(len(Z)), Z]) if Z.ndim == 1 else Z
    return Z - Z[:, :1]


def assert_close(found, expected, case):
    size = np.abs(expected).max()
    assert_allclose(found / size, expected / size, atol=1e-7, err_msg=str(case))


@each("form", FORMS)
def test_lda_is_the_formula_on_both_sides_of_as_many_features_as_rows(form):
    options = product((None, "uniform"), (1, 0), (0.0, 1e-4, 0.3, 1.0))
    sizes = (14, 16, 17, 18, 19, 20, 21, 22, 60)
    for K, (priors, ddof, shrinkage), d in product((2, 3), options, sizes):
        (X, y), w, case = words(20, d, K, seed=d), weights(20), (K, priors, ddof, shrinkage, d)
        mass, means, S = within(X, y, w)
        C = S.sum(axis=0) / (w.sum() - K * ddof)
        C = (1 - shrinkage) * C + shrinkage * np.trace(C) / d * np.eye(d)
        P, rank = inverse(C, np.sqrt(np.diag(C)))
        pi = mass / w.sum() if priors is None else np.full(K, 1 / K)
        model = L.LinearDiscriminantAnalysis(priors, ddof, shrinkage=shrinkage)
        model.fit(FORMS[form](X), y, w)
        assert model.rank_ == rank, case
        assert model.status_ == ("converged" if rank == d else "rank_deficient"), case
        new = np.vstack([X, words(20, d, K, seed=99)[0]])
        expected = scores(new, means, P, np.log(pi))
        assert_close(relative(model.decision_function(FORMS[form](new))), expected, case)
        assert model.certificate_ < 1e-6
    X, y = words(30, 80, 3)
    model = L.LinearDiscriminantAnalysis(shrinkage="ledoit_wolf").fit(FORMS[form](X), y)
    centred = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    share = ledoit_wolf(centred, assume_centered=True)[1]
    assert model.shrinkage_ == pytest.approx(share, rel=1e-9)
    given = L.LinearDiscriminantAnalysis(shrinkage=model.shrinkage_).fit(X, y)
    assert_close(model.coef_, given.coef_, form)


@each("form", FORMS)
def test_fisher_and_reduced_rank_find_the_directions_of_the_covariance(form):
    for d in (24, 26, 27, 28, 29, 80):
        (X, y), w = words(30, d, 4, seed=d), weights(30)
        mass, means, S = within(X, y, w)
        C = S.sum(axis=0) / (w.sum() - 4)
        P, rank = inverse(C, np.sqrt(np.diag(C)))
        M = means - np.average(means, axis=0, weights=mass)
        ratios = np.sort(np.linalg.eigvals(P @ (M.T * mass) @ M).real)[-3:][::-1]
        model = L.FisherDiscriminant().fit(FORMS[form](X), y, w)
        assert model.rank_ == rank
        assert_allclose(model.ratios_ * (w.sum() - 4), ratios, rtol=1e-7, err_msg=str(d))
        assert_allclose(model.scalings_.T @ C @ model.scalings_, np.eye(3), atol=1e-7)
        lda, equal = (L.LinearDiscriminantAnalysis(p).fit(X, y, w) for p in (None, "uniform"))
        all_directions = L.ReducedRankLDA(None).fit(FORMS[form](X), y, w)
        for one, other in ((model, equal), (all_directions, lda)):
            found = relative(one.decision_function(FORMS[form](X)))
            assert_close(found, relative(other.decision_function(X)), d)


@each("kind", [L.LinearDiscriminantAnalysis, L.FisherDiscriminant])
def test_equal_rows_and_a_class_of_one_row_change_nothing(kind):
    X, y = words(16, 60, 2)
    X, y = np.vstack([X, X[:4], X[[5]] + 1]), np.concatenate([y, y[:4], [2]])
    w = np.ones(len(y))
    w[:4], kept = 2, np.r_[:16, 20]
    dense = kind().fit(X, y)
    for rows in (X, sp.csr_array(X)):
        assert_close(kind().fit(rows, y).coef_, dense.coef_, kind)
        once = kind().fit(rows[kept], y[kept], w[kept])
        assert (once.rank_, dense.rank_) == (14, 14)
        assert_close(once.coef_, dense.coef_, kind)


def assert_quadratic(model, form, d, K, mixed, full, case):
    """Scores ln N(x; m_k, Σ_k) + ln π_k, relative to the first class; of singular Σ_k over directions with variance.

    `mixed` makes the covariances from the mass and the scatter of each class.
    """
    (X, y), w = ordinary(20, d, K, seed=d), weights(20)
    mass, means, S = within(X, y, w)
    model.fit(FORMS[form](X), y, w)
    assert model.status_ == ("converged" if full else "rank_deficient"), case
    units, Z = np.sqrt(np.diag(S.sum(axis=0))), []
    for m, C, log in zip(means, mixed(mass, S), np.log(mass / w.sum()), strict=True):
        P, rank = inverse(C, units)
        volume = np.log(np.linalg.eigvalsh(C)[-rank:]).sum()
        Z.append(-0.5 * np.einsum("ni,ij,nj->n", X - m, P, X - m) - 0.5 * volume + log)
    expected = np.column_stack(Z) - Z[0][:, None]
    assert_close(relative(model.decision_function(FORMS[form](X))), expected, case)
    return X, y, w


def ordinary(n, d, K, seed=0):
    """`words` in units in which a determinant keeps its digits."""
    X, y = words(n, d, K, seed)
    X[:, 0] -= 995
    X[:, 2] = np.random.default_rng(seed).random(n)
    X[:, 3] /= 100
    return X, y


@each("form", FORMS)
def test_qda_is_the_formula_on_both_sides_of_as_many_features_as_rows(form):
    sizes = (16, 17, 18, 19, 60)
    for K, ddof, shrinkage, d in product((2, 3), (1, 0), (0.0, 0.3, 1.0), sizes):

        def mixed(mass, S, ddof=ddof, shrinkage=shrinkage):
            pooled = S.sum(axis=0) / (mass.sum() - len(mass) * ddof)
            if not shrinkage:  # all are singular
                return [pooled] * len(mass)
            own = (T / (m - ddof) for T, m in zip(S, mass, strict=True))
            return [(1 - shrinkage) * C + shrinkage * pooled for C in own]

        model = L.QuadraticDiscriminantAnalysis(None, ddof, shrinkage)
        full = d <= 20 - K and shrinkage > 0
        assert_quadratic(model, form, d, K, mixed, full, (K, ddof, shrinkage, d))
    for K in (2, 3):
        (X, y), w = ordinary(20, 60, K), weights(20)
        mass, means, S = within(X, y, w)
        variances = np.linalg.eigvalsh(S.sum(axis=0) / (w.sum() - K))[-(20 - K) :]
        model = L.QuadraticDiscriminantAnalysis().fit(FORMS[form](X), y, w)
        lengths = (model.beta_ * means).sum(axis=1)
        expected = np.log(mass / w.sum()) - 0.5 * (lengths + np.log(variances).sum())
        assert_allclose(model.gamma_, expected, rtol=1e-9, err_msg=str(K))


@each("form", FORMS)
def test_rda_is_the_formula_on_both_sides_of_as_many_features_as_rows(form):
    sizes = (16, 17, 18, 19, 60)
    for K, pooling, shrinkage, d in product((2, 3), (0.0, 0.4, 1.0), (0.0, 0.2, 1.0), sizes):

        def mixed(mass, S, pooling=pooling, shrinkage=shrinkage, d=d):
            f, pooled, found = mass - 1, S.sum(axis=0), []
            for T, own in zip(S, f, strict=True):
                C = (1 - pooling) * T + pooling * pooled
                C = C / ((1 - pooling) * own + pooling * f.sum())
                if not pooling and not shrinkage:
                    C = pooled / f.sum()
                found.append((1 - shrinkage) * C + shrinkage * np.trace(C) / d * np.eye(d))
            return found

        model = L.RegularizedDiscriminantAnalysis(pooling=pooling, shrinkage=shrinkage)
        full = shrinkage > 0 or (d <= 20 - K and pooling > 0)
        assert_quadratic(model, form, d, K, mixed, full, (K, pooling, shrinkage, d))


@pytest.mark.parametrize("form", FORMS)
def test_mixtures_are_those_of_the_covariance(form, monkeypatch):
    X, y = words(40, 60, 2)
    rows = FORMS[form](X)
    for case in product((1, 2, 3), (0.0, 0.2, 1.0)):
        subclasses, shrinkage = case
        model = L.MixtureDiscriminantAnalysis(subclasses, shrinkage=shrinkage)
        few = copy.copy(model).fit(rows, y)
        with monkeypatch.context() as patch:
            patch.setattr(mixture_discriminant_analysis, "tied_form", lambda *_: "tied")
            expected = copy.copy(model).fit(X, y)
        for name in ("status_", "reason_", "rank_"):
            assert getattr(few, name) == getattr(expected, name), case
        assert few.objective_ == pytest.approx(expected.objective_, rel=1e-7), case
        assert_allclose(few.means_, expected.means_, atol=1e-7, err_msg=str(case))
        found = relative(few.decision_function(rows))
        assert_close(found, relative(expected.decision_function(X)), case)


@pytest.mark.parametrize("form", FORMS)
def test_the_bayesian_posterior_is_that_of_the_hessian(form, monkeypatch):
    """The formula of more features serves as well as the Hessian, also for as many features as rows, and fewer."""
    for case in product((28, 30, 31, 60), (True, False), ("evidence", 0.05)):
        d, fit_intercept, strength = case
        (X, y), w = ordinary(30, d, 2, seed=d), weights(30)
        rows, new = FORMS[form](X), FORMS[form](ordinary(10, d, 2, seed=99)[0] * 2)
        options = {"strength": strength, "fit_intercept": fit_intercept, "tol": 1e-12}
        found = L.BayesianLogisticRegression(**options).fit(rows, y, w)
        with monkeypatch.context() as patch:
            patch.setattr(laplace_posterior, "has_fewer_rows", lambda P: P.design.n_features <= 30)
            expected = L.BayesianLogisticRegression(**options).fit(rows, y, w)
        by_rows = [isinstance(model._posterior, RowPosterior) for model in (found, expected)]
        assert by_rows == [d > 30, d <= 30], case
        for name, rtol in (("strength_", 1e-5), ("n_effective_", 1e-5), ("log_evidence_", 1e-7)):
            value = pytest.approx(getattr(expected, name), rel=rtol)
            assert getattr(found, name) == value, (name, case)
        assert_allclose(found.mean_coef_, expected.mean_coef_, 1e-5, 1e-6, err_msg=str(case))
        atol = 1e-6 * np.abs(expected.covariance_).max()
        assert_allclose(found.covariance_, expected.covariance_, 0, atol, err_msg=str(case))
        for predictive in ("probit", "quadrature"):
            found.predictive = expected.predictive = predictive
            Z = expected.decision_function(new)
            assert_allclose(found.decision_function(new), Z, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("kind", "tune"), [
    ("RegularizedDiscriminantAnalysis", {"pooling": [0, 0.5, 1], "shrinkage": [0, 0.3, 1]}),
    ("QuadraticDiscriminantAnalysis", {"shrinkage": [0.0, 0.4, 1.0]}),
    ("MixtureDiscriminantAnalysis", {"subclasses": [1, 2, 3]}),
])  # fmt: skip
def test_candidates_that_share_the_products_of_rows_are_judged_as_alone(kind, tune, monkeypatch):
    X, y = words(60, 90, 2)
    X[:, 60:] = np.eye(60)[:, ::2]  # words of one row each, so that folds differ in their columns
    table = Table(sp.csr_array(X), tuple(map(str, range(90))))
    entry = {"classifier": f"linclass.{kind}", "tune": tune, "transforms": ["standardize"]}
    method, task = Method.from_entry(entry), Task(2, positive=1, inner_folds=3)
    made, of = [], ClassMoments.of.__func__

    def counted(cls, *arguments):
        made.append(1)
        return of(cls, *arguments)

    monkeypatch.setattr(ClassMoments, "of", classmethod(counted))
    shared = select_parameters(method, table, y, task, 0)
    assert len(made) == 3  # once in each inner fold
    for owner in (L.QuadraticDiscriminantAnalysis, L.MixtureDiscriminantAnalysis):
        monkeypatch.delattr(owner, "fitter")
    alone = select_parameters(method, table, y, task, 0)
    assert len(made) > 6
    np.testing.assert_array_equal(shared.scores, alone.scores)
    assert shared.option == alone.option


@each("kind", [L.QuadraticDiscriminantAnalysis, L.RegularizedDiscriminantAnalysis])
def test_classes_that_grow_by_shards_are_fitted_as_at_once(kind):
    X, y = ordinary(60, 30, 3)
    for params, size in product(({}, {"shrinkage": 0.4}), (5, 20)):
        grown = kind(**params)
        for begin in range(0, 60, size):
            some = slice(begin, begin + size)
            grown = pickle.loads(pickle.dumps(grown))
            grown.partial_fit(sp.csr_array(X[some]), y[some], classes=range(3))
            so_far = kind(**params).fit(X[: some.stop], y[: some.stop])
            if len(so_far.classes_) == 3:
                expected = relative(so_far.decision_function(X))
                assert_close(relative(grown.decision_function(X)), expected, (params, size))
