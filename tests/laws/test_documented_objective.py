"""The objective of a fit is the documented function of its coefficients, computed here again from the equations."""

from contextlib import suppress
from inspect import signature

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from problems import FITTED
from scipy import sparse
from scipy.special import logsumexp
from scipy.stats import norm
from tempered import losses_of_rows

from linclass import LinearClassifier
from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names
from linclass.linear.linear_model import is_used


def positive(v):
    return np.maximum(v, 0)


def tempered(Z, own):
    return losses_of_rows(Z, own.argmax(axis=1), 0.8, 1.2)


def tempered_of_two(m):
    return tempered(np.c_[m, 0 * m], np.eye(2)[np.zeros(len(m), int)]).reshape(m.shape)


OF_MARGIN = {
    "bi_tempered": tempered_of_two,
    "exponential": lambda m: np.exp(-m),
    "hinge": lambda m: positive(1 - m),
    "logistic": lambda m: np.log(1 + np.exp(-m)),
    "modified_huber": lambda m: np.where(m < -1, -4 * m, positive(1 - m) ** 2),
    "perceptron": lambda m: positive(-m),
    "probit": lambda m: -norm.logcdf(m),
    "squared_hinge": lambda m: positive(1 - m) ** 2,
}
OF_RESIDUAL = {
    "epsilon_insensitive": lambda r: positive(abs(r) - 0.1),
    "huber": lambda r: np.where(abs(r) < 1, r**2 / 2, abs(r) - 0.5),
    "squared": lambda r: r**2 / 2,
    "squared_epsilon_insensitive": lambda r: positive(abs(r) - 0.1) ** 2,
}
TWO_CLASSES = {
    "crammer_singer": "hinge", "kesler": "perceptron", "softmax": "logistic",
    "tempered_softmax": "bi_tempered",
}  # fmt: skip
JOINT = {
    "softmax": lambda Z, own: logsumexp(Z, axis=1) - Z[own],
    "crammer_singer": lambda Z, own: (Z + 1 - own).max(axis=1) - Z[own],
    "kesler": lambda Z, own: Z.max(axis=1) - Z[own],
    "tempered_softmax": tempered,
}
JOINTLY = {name: name for name in JOINT} | {
    "logistic": "softmax",
    "perceptron": "kesler",
    "bi_tempered": "tempered_softmax",
}
PENALTY = {
    "unpenalized": lambda W: 0.0,
    "l1": lambda W: abs(W).sum(),
    "l2": lambda W: (W**2).sum() / 2,
    "elastic_net": lambda W: 0.3 * abs(W).sum() + 0.7 * (W**2).sum() / 2,
    "fused_lasso": lambda W: abs(W).sum() + abs(np.diff(W)).sum(),
    "group_lasso": lambda W: sum(np.linalg.norm(W[:, j]) for j in range(W.shape[1])),
}
STRENGTH = 0.05
SLOW = ("gradient_descent", "stochastic_gradient", "subgradient")


def documented(loss, penalty, model, X, y, offset=0.0, factors=1.0, intercept=0.0):
    """Σ w loss + strength · penalty for weights of sum 1; of one class against the rest, the sum over classes."""
    W, b = model.coef_, model.intercept_[:, None]
    Z = X @ W.T + b.T + (offset if np.ndim(offset) != 1 else offset[:, None])
    scaled = W * (np.sqrt(factors) if penalty == "l2" else factors)
    weights, own = weights_of(y) / weights_of(y).sum(), np.arange(3) == y[:, None]
    if len(model.classes_) == 2:
        own, loss = own[:, [1]], TWO_CLASSES.get(loss, loss)
    elif loss in JOINTLY:
        value = PENALTY[penalty](scaled) + intercept * PENALTY[penalty](b)
        return weights @ JOINT[JOINTLY[loss]](Z, own) + STRENGTH * value
    sign = np.where(own, 1.0, -1.0)
    each = OF_MARGIN[loss](sign * Z) if loss in OF_MARGIN else OF_RESIDUAL[loss](Z - sign)
    joint = loss == "squared"  # the same, but for group_lasso, whose groups then are of all scores
    parts = [scaled] if joint else list(scaled[:, None])
    value = sum(PENALTY[penalty](part) for part in parts) + intercept * PENALTY[penalty](b)
    return (weights @ each).sum() + STRENGTH * value


def weights_of(y):
    return np.random.default_rng(1).uniform(0.1, 3, len(y))


def table(classes):
    rng = np.random.default_rng(2)
    y = np.arange(45) % classes
    return rng.standard_normal((45, 3)) + 0.6 * y[:, None] * [1, -1, 0], y


def both_have_a_solver(loss, penalty):
    """If both are nonsmooth, the penalty is a sum over features, and the loss does not only count mistakes."""
    kinds, chosen = find("losses", loss), find("penalties", penalty)()
    straight = kinds.piecewise_linear or kinds.simplicial
    both = straight and not kinds.mistake_driven and chosen.entrywise
    return kinds.kind != "convex" or not chosen.kinked or both


PAIRS = [
    (loss, penalty) for loss in FITTED for penalty in PENALTY if both_have_a_solver(loss, penalty)
]


def test_every_loss_and_penalty_is_here():
    assert {*OF_MARGIN, *OF_RESIDUAL, *JOINT} == set(FITTED)
    assert {*PENALTY, "adaptive_lasso"} == set(names("penalties"))


@pytest.mark.filterwarnings("ignore:LinearClassifier ended max_iter")
@each("intercept", [True, False], quick=1)
@each("classes", [2, 3])
@each(("loss", "penalty"), PAIRS)
def test_the_objective_is_the_documented_function_of_the_coefficients(
    loss, penalty, classes, intercept
):
    """Its parts are fitted, then centred or put together: none of it may change what was minimized."""
    X, y = table(classes)
    used = find("penalties", penalty)()
    given = {"strength": STRENGTH, "l1_ratio": 0.3}
    more = {name: value for name, value in given.items() if is_used(name, used)}
    more |= {"max_iter": 50, "fit_intercept": intercept}
    model = LinearClassifier(loss=loss, penalty=penalty, **more)
    model.fit(X, y, sample_weight=weights_of(y))
    assert_allclose(model.objective_, documented(loss, penalty, model, X, y), rtol=1e-12)


FACTORS = [0.5, 2, 1, 1]
PROBABILISTIC = [name for name in FITTED if find("losses", name).probabilistic]


def offsets(y, classes):
    offset = 1.5 * np.random.default_rng(3).standard_normal((len(y), classes))
    offset[classes] = offset[0]
    return offset[:, 1] - offset[:, 0] if classes == 2 else offset


@pytest.mark.filterwarnings("ignore:LinearClassifier ended max_iter")
@each("classes", [2, 3], quick=1)
@each(("loss", "penalty", "options", "with_offset"), [
    (loss, penalty, options, with_offset)
    for loss, penalty in PAIRS
    if penalty != "unpenalized"
    for options in ({}, {"intercept": 0.5}, {"factors": FACTORS}, {"intercept": 0.25, "factors": FACTORS})
    if options.keys() <= signature(find("penalties", penalty)).parameters.keys()
    for with_offset in (False, True)
    if not with_offset or loss in PROBABILISTIC
])  # fmt: skip
def test_the_distance_of_every_solver_from_the_minimum_is_at_most_its_certificate(
    loss, penalty, options, with_offset, classes
):
    """Also with a constant feature, and with rows that are there twice, at other offsets; and all converge but those
    that take many small steps."""
    X, y = table(classes)
    X = np.c_[X, np.full(len(X), 3.0)]
    X[classes : 2 * classes] = X[:classes]
    offset = offsets(y, classes) if with_offset else None
    chosen, fits = {penalty: options} if options else penalty, []
    for solver in names("solvers"):
        short = {"max_iter": 50} if solver in SLOW else {}
        more = {"strength": STRENGTH, "solver": solver, "random_state": 0} | short
        model = LinearClassifier(loss=loss, penalty=chosen, **more)
        with suppress(NotApplicable, ValueError):  # it does not take them
            fits.append(model.fit(X, y, sample_weight=weights_of(y), offset=offset))
    best = min(fit.objective_ for fit in fits)
    for fit in fits:
        known = documented(loss, penalty, fit, X, y, 0 if offset is None else offset, **options)
        if penalty not in ("elastic_net", "adaptive_lasso"):
            assert_allclose(fit.objective_, known, rtol=1e-9, err_msg=fit.solver_)
        if fit.certificate_kind_ == "duality_gap":
            assert fit.objective_ - best <= fit.certificate_ * fit.objective_ + 1e-13
        assert fit.status_ == "converged" or fit.solver_ in SLOW


@each("classes", [2, 3])
@each("loss", PROBABILISTIC)
def test_few_rows_far_rows_and_sparse_rows_with_offsets(loss, classes):
    """Fewer rows than features, of which some are equal, and columns far from 0; no change of a weight is better."""
    rng, y = np.random.default_rng(classes), np.arange(30) % classes
    X, offset = rng.standard_normal((30, 40)) + 0.6 * y[:, None], offsets(y, classes)
    X[classes : 2 * classes] = X[:classes]
    thin = sparse.csr_array(np.where(X[:, :5] > 0, X[:, :5], 0))
    for rows in (X, X[:, :3] + [1e4, 0, 0], thin):
        model = LinearClassifier(loss=loss, strength=STRENGTH)
        model.fit(rows, y, sample_weight=weights_of(y), offset=offset)
        assert model.status_ == "converged"
        least = documented(loss, "l2", model, rows, y, offset)
        assert_allclose(model.objective_, least, rtol=1e-6)
        found = model.coef_.copy()
        for j in range(found.shape[1]):
            model.coef_ = found + 0.03 * (np.arange(found.shape[1]) == j)
            assert documented(loss, "l2", model, rows, y, offset) > least * (1 - 1e-6)
