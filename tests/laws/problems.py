"""Small problems for the tests of losses, penalties and solvers."""

import numpy as np

from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.linear.losses.base import KINDS, MarginLoss, ResidualLoss
from linclass.linear.objective.objective import Objective

LOSSES = names("losses")
FITTED = [name for name in LOSSES if find("losses", name).kind != "discrete"]
CONVEX = [name for name in LOSSES if find("losses", name).convex]
SMOOTH = [name for name in LOSSES if KINDS.index(find("losses", name).kind) >= 2]
K = 3

# Options for the three features of `objective`; a penalty is tried with each that it has.
OPTIONS = {
    "by feature": {"factors": (2.0, 0.5, 1.0)},
    "of some features": {"factors": (0.0, 2.0, 0.5)},
    "in groups": {"groups": ("a", "b", "a")},
    "in chains": {"chains": ("a", "a", "b"), "fusion": 0.4},
}
PENALTIES = [
    *names("penalties"),
    *(
        f"{name} {which}"
        for name in names("penalties")
        for which, options in OPTIONS.items()
        if options.keys() <= find("penalties", name).__dataclass_fields__.keys()
    ),
]


def penalty_called(name):
    """'l1' as it is, or 'l1 by feature' with options."""
    part, _, which = name.partition(" ")
    return find("penalties", part)(**OPTIONS.get(which, {}))


def targets(loss, n, seed=0):
    """Truths of the kind that a loss takes."""
    rng = np.random.default_rng(seed)
    if isinstance(loss, MarginLoss):
        return rng.choice([-1.0, 1.0], n)
    if isinstance(loss, ResidualLoss):
        return rng.standard_normal(n)
    return np.r_[np.arange(K), rng.integers(0, K, n - K)]


def scores(loss, n, seed=1):
    shape = (n,) if loss.n_scores == 1 else (loss.n_scores, n)
    return 2 * np.random.default_rng(seed).standard_normal(shape)


def objective(loss, penalty="l2", strength=0.1, n=60, intercept=True):
    rng = np.random.default_rng(7)
    made = find("losses", loss)()
    X = rng.standard_normal((n, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0, 0, 2.0]])
    weights = rng.uniform(0.5, 2, n)
    design = DesignMatrix(X, intercept)
    return Objective(design, made, targets(made, n), weights, penalty_called(penalty), strength)


def differences(f, x, h=1e-6):
    """∂f/∂x_j by central differences, for a scalar function."""
    out = np.empty_like(x)
    for j in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[j] = h
        out[j] = (f(x + e) - f(x - e)) / (2 * h)
    return out
