"""Laws of the augmented Lagrangian for nonsmooth losses with nonsmooth penalties: the doubly regularized SVM."""

import numpy as np
import pytest
from scipy import sparse

from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import ElasticNet
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian

LOSSES = sorted(
    name
    for name in names("losses")
    if (loss := find("losses", name)).piecewise_linear and not loss.mistake_driven
)
SQUARE, ALL = 40, 45  # seeds of problems of any shape, and of all
EACH = pytest.mark.parametrize("loss", LOSSES)


def problem(loss, seed):
    """Counts or columns of different units, also far from 0; few or many rows; a weak or a strong penalty."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 80)), int(rng.integers(1, 60))
    if seed >= SQUARE:  # fewer rows than features
        d = int(rng.integers(2 * n, 6 * n))
    units = 10.0 ** rng.uniform(-2, 2, d)
    X = rng.standard_normal((n, d)) * units if seed % 2 else rng.integers(0, 3, (n, d)) * 1.0
    X += 100 * (seed % 5 == 0)
    y = np.where(rng.random(n) < rng.choice([0.1, 0.3, 0.5]), 1.0, -1.0)
    y[:2] = -1, 1
    penalty = ElasticNet(l1_ratio=float(rng.choice([0.05, 0.5, 0.95])))
    design = DesignMatrix(sparse.csr_array(X) if seed % 4 == 0 else X, bool(seed % 7))
    weights, strength = rng.integers(1, 4, n) * 1.0, 10.0 ** rng.uniform(-4, 0.5)
    return Objective(design, find("losses", loss)(), y, weights, penalty, strength), penalty


@EACH
def test_dual_slopes_certify_the_minimum_of_every_fit(loss):
    """D(s) = −Σ w ℓ*(s) − strength·Σ max(|u| − ρ, 0)²/(2(1 − ρ)), with ℓ*(s) = y s for the hinge."""
    for seed in range(ALL):
        P, penalty = problem(loss, seed)
        found = AugmentedLagrangian().solve(P, P.zero())
        assert found.converged
        assert found.slopes is not None
        s, w = found.slopes, P.weights
        if P.design.intercept:
            s = P.loss.balance(P.y, s, w)
        assert (np.abs(s) <= 1).all()
        conjugates = P.y * s + (0.1 * np.abs(s) if loss == "epsilon_insensitive" else 0)
        u = (w * s) @ P.design.X / P.strength
        beyond = np.maximum(np.abs(u) - penalty.l1, 0)
        dual = -w @ conjugates - P.strength * (beyond**2).sum() / (2 * penalty.l2)
        assert P.at(found.theta).value - dual + 1e-12 >= 0
        assert P.at(found.theta).value - dual <= 1.01e-6 * found.objective + 1e-12
