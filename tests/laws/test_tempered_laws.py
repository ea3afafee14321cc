"""The bi-tempered loss against its definition, and the claims of Amid, Warmuth, Anil & Koren (2019)."""

import pickle
from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from tempered import losses_of_rows, probabilities_of_row

from linclass import LinearClassifier, TunedClassifier
from linclass.base.parts import find, names
from linclass.linear.losses.tempered import BiTempered, TemperedSoftmax, log_tempered_softmax

TEMPERATURES = list(product([0.0, 0.2, 0.8, 1.0], [1.0, 1.2, 2.0, 4.0]))
EACH = each(("t1", "t2"), TEMPERATURES)


def loss_called(t1, t2):
    return {"bi_tempered": {"t1": t1, "t2": t2}}


def rows(K, n=60):
    y = np.arange(n) % K
    return np.random.default_rng(K).standard_normal((n, 3)) + 0.7 * y[:, None], y


@each("t", [1.0, 1 + 1e-9, 1.2, 2.0, 4.0, 30.0])
@each("spread", [0.0, 1e-3, 2.0, 1e3])
def test_the_tempered_softmax_is_that_of_its_definition_and_sums_to_one(t, spread):
    Z = spread * np.random.default_rng(0).standard_normal((20, 5))
    p = np.exp(log_tempered_softmax(Z.T, t).T)
    assert_allclose(p.sum(axis=1), 1, rtol=1e-14)
    if t != 1 + 1e-9:  # whose definition loses digits
        assert_allclose(p, [probabilities_of_row(z, t) for z in Z], rtol=1e-9, atol=1e-15)
    many = spread * np.random.default_rng(1).standard_normal((1000, 3))
    assert_allclose(np.exp(log_tempered_softmax(many, t)).sum(axis=0), 1, rtol=1e-13)


@EACH
def test_values_are_the_divergence_of_the_true_class_and_slopes_its_differences(t1, t2):
    rng, loss = np.random.default_rng(0), TemperedSoftmax(4, t1, t2)
    Z, y = 3 * rng.standard_normal((20, 4)), rng.integers(0, 4, 20)
    assert_allclose(loss.values(y, Z.T), losses_of_rows(Z, y, t1, t2), rtol=1e-8, atol=1e-12)
    slopes = loss.slopes(y, Z.T)
    assert_allclose(slopes.sum(axis=0), 0, atol=1e-15)
    assert (slopes[y, range(20)] < 0).all()
    for k, e in enumerate(1e-4 * np.eye(4)):
        up, down = (losses_of_rows(Z + s * e, y, t1, t2) for s in (1, -1))
        assert_allclose(slopes[k], (up - down) / 2e-4, atol=1e-7)


@EACH
def test_the_two_class_loss_is_the_multiclass_loss_of_two_classes(t1, t2):
    rng = np.random.default_rng(0)
    Z, y = 4 * rng.standard_normal((2, 50)), rng.integers(0, 2, 50)
    one, two, sign = BiTempered(t1, t2), TemperedSoftmax(2, t1, t2), 2.0 * y - 1
    assert_allclose(one.values(sign, Z[1] - Z[0]), two.values(y, Z), rtol=1e-12, atol=1e-15)
    assert_allclose(one.slopes(sign, Z[1] - Z[0]), two.slopes(y, Z)[1], rtol=1e-9, atol=1e-15)
    assert_allclose(one.log_probabilities(Z[1] - Z[0]), two.log_probabilities(Z.T), rtol=1e-12)


def test_slopes_of_rows_with_large_margins_keep_their_digits():
    """At t1 = 0 and t2 = 1 the loss is (1 − p)², of p = 1/(1 + e^{−m})."""
    m = np.array([-3.0, 0, 3, 11, 12, 30, 60, 200])
    wrong = 1 / (1 + np.exp(m))
    assert_allclose(BiTempered(0, 1).value(m), wrong**2, rtol=1e-10)
    assert_allclose(BiTempered(0, 1).slope(m), -2 * wrong**2 * (1 - wrong), rtol=1e-13)


@each("K", [2, 3])
def test_a_fit_is_that_of_another_minimizer_from_zero(K):
    X, y = rows(K, 12)
    X, w, strength = X[:, :1], np.random.default_rng(0).uniform(0.5, 2, 12), 0.02

    def scores(theta):
        Z = np.c_[X, np.ones(12)] @ theta.reshape(-1, 2).T
        return Z if K > 2 else np.c_[0 * Z, Z]

    def cost(theta):
        losses = losses_of_rows(scores(theta), y, 0.5, 1.5)
        return np.average(losses, weights=w) + strength * (theta[::2] ** 2).sum() / 2

    found = minimize(cost, np.zeros(2 if K == 2 else 2 * K), method="BFGS", options={"gtol": 1e-4})
    model = LinearClassifier(loss=loss_called(0.5, 1.5), strength=strength).fit(X, y, w)
    assert model.objective_ == pytest.approx(found.fun, rel=1e-6)
    expected = [probabilities_of_row(z, 1.5) for z in scores(found.x)]
    assert_allclose(model.predict_proba(X), expected, atol=1e-3)


@each("K", [2, 3])
@each("penalty", ["l2", "l1", "group_lasso", None])
def test_every_fit_ends_at_a_stationary_point_and_reports_no_bound(penalty, K):
    X, y = rows(K)
    model = LinearClassifier(loss="bi_tempered", penalty=penalty, tol=1e-9).fit(X, y)
    assert (model.status_, model.certificate_kind_) == ("converged", "gradient_cosine")
    assert model.solver_ == ("quasi_newton" if penalty in ("l2", None) else "proximal_gradient")
    thin = LinearClassifier(loss="bi_tempered", penalty=penalty, tol=1e-9)
    assert_allclose(thin.fit(sparse.csr_array(X), y).coef_, model.coef_, atol=1e-6)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=0)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-13)
    assert (model.predict(X) == model.predict_proba(X).argmax(axis=1)).all()


UNITS, FAR = np.array([1e-4, 1.0, 1e5]), np.array([0.0, 1e3, -1e7])


@each("container", [np.asarray, sparse.csr_array])
@each(("K", "loss"), [(2, (0.8, 1.2)), (2, (0.2, 4.0)), (3, (0.8, 1.2))])
def test_units_and_origins_of_features_do_not_matter_without_a_penalty(K, loss, container):
    X, y = rows(K)
    options = {"loss": loss_called(*loss), "penalty": None}
    plain = LinearClassifier(**options).fit(X, y)
    for Z in (X * UNITS, X + FAR, X * UNITS + FAR):
        model = LinearClassifier(**options).fit(container(Z), y)
        assert (plain.status_, model.status_) == ("converged", "converged")
        assert model.objective_ == pytest.approx(plain.objective_, rel=1e-6)
        P = model.predict_proba(container(Z))
        assert_allclose(P, plain.predict_proba(X), atol=2e-3)


@each("solver", names("solvers"))
def test_only_solvers_for_nonconvex_losses_accept_the_bi_tempered_loss(solver):
    model = LinearClassifier(loss="bi_tempered", solver=solver)
    if solver in ("gradient_descent", "proximal_gradient", "quasi_newton", "stochastic_gradient"):
        model.check()
        assert not find("solvers", solver).convex_only
    else:
        with pytest.raises(
            ValueError,
            match=f"^{solver} needs a convex loss; bi_tempered is not. Try solver='auto'.$",
        ):
            model.check()


@pytest.mark.filterwarnings("ignore:LinearClassifier ended separable")
@each("K", [2, 3])
def test_separated_classes_without_a_penalty_have_no_minimum(K):
    X, y = rows(K)
    X[:, 0] += 30 * y
    model = LinearClassifier(loss="bi_tempered", penalty=None).fit(X, y)
    assert model.status_ == "separable"
    assert "so the loss has no minimum" in model.reason_


def test_temperatures_are_tuned_and_kept_apart():
    """Also what is known of scores of 0, which depends on them."""
    X, y = rows(3)
    grid = {"loss": [loss_called(0.2, 1.2), loss_called(0.8, 2.0)]}
    tuned = TunedClassifier(LinearClassifier(), strengths=[0.1], param_grid=grid, cv=2).fit(X, y)
    alone = LinearClassifier(**tuned.best_params_).fit(X, y)
    assert_allclose(tuned.predict_proba(X), alone.predict_proba(X), atol=1e-5)
    for t1, t2 in TEMPERATURES:
        loss = BiTempered(t1, t2)
        assert_allclose(loss.jet_at_zero(np.ones(1))[0], loss.value(np.zeros(1)))
