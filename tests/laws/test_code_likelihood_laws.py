"""Probabilities from output codes: consistent answers are recovered, inconsistent ones get the most likely p."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from scipy.optimize import minimize
from scipy.special import softmax, xlog1py, xlogy

from linclass.multiclass import code_matrix
from linclass.multiclass.coupling import couple_code

CODES = {
    "two classes": code_matrix.exhaustive(2),
    "all splits of 3": code_matrix.exhaustive(3),
    "all splits of 5": code_matrix.exhaustive(5),
    "each of 4 against the rest": code_matrix.one_vs_rest(4),
    "random splits of 9": code_matrix.random(9, None, np.random.default_rng(0)),
}
EACH = each("name", CODES)


def answers(name: str, n: int = 10) -> np.ndarray:
    """Inconsistent ones."""
    return np.random.default_rng(len(name)).uniform(0.01, 0.99, (n, CODES[name].shape[1]))


def log_likelihood(p: np.ndarray, r: np.ndarray, M: np.ndarray) -> float:
    q = np.clip(p @ (M > 0), 0, 1)
    return float((xlogy(r, q) + xlog1py(1 - r, -q)).sum())


@EACH
def test_consistent_answers_are_recovered(name: str) -> None:
    M = CODES[name]
    p = np.random.default_rng(1).dirichlet(np.ones(len(M)), 50)
    np.testing.assert_allclose(np.exp(couple_code(p @ (M > 0), M)), p, atol=1e-6)


@EACH
def test_no_point_that_a_general_solver_finds_is_more_likely(name: str) -> None:
    M = CODES[name]
    for r in answers(name):
        own = log_likelihood(np.exp(couple_code(r[None], M))[0], r, M)
        starts = np.random.default_rng(2).standard_normal((3, len(M)))
        found = [minimize(lambda u, r=r: -log_likelihood(softmax(u), r, M), u) for u in starts]
        assert own >= max(-f.fun for f in found) - 1e-8


@EACH
def test_the_order_of_classes_and_problems_and_the_names_of_sides_do_not_matter(name: str) -> None:
    M, R, rng = CODES[name], answers(name), np.random.default_rng(3)
    classes, problems = rng.permutation(len(M)), rng.permutation(M.shape[1])
    expected = couple_code(R, M)
    changed = couple_code(R[:, problems], M[classes][:, problems])
    np.testing.assert_allclose(np.exp(changed), np.exp(expected[:, classes]), atol=1e-7)
    np.testing.assert_allclose(np.exp(couple_code(1 - R, -M)), np.exp(expected), atol=1e-7)


def test_many_rows_are_solved_in_blocks_as_they_are_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    M, R = CODES["all splits of 5"], answers("all splits of 5", 7)
    alone = np.concatenate([couple_code(r[None], M) for r in R])
    monkeypatch.setattr("linclass.multiclass.coupling.BLOCK", 400)
    np.testing.assert_allclose(couple_code(R, M), alone, rtol=1e-12)
    assert couple_code(R[:0], M).shape == (0, 5)
