"""Rank, condition number and separability of the design, against NumPy and by their proofs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from cases import each
from planted import numbers
from scipy import sparse

from linclass.base.tables import Table
from linclass.separation.separability import Separation
from linclass_study.checks import design_matrix
from linclass_study.checks.design_matrix import NotChecked, design, rank, separable_pairs


def standardized(X):
    X = X - X.mean(axis=0)
    sd = X.std(axis=0)
    return X[:, sd > 1e-12] / sd[sd > 1e-12]


@each("shape", [(60, 7), (7, 60), (30, 30), (500, 3)])
@each("is_sparse", [False, True])
@each("block", [10, 1 << 20])
def test_rank_and_condition_are_those_of_all_singular_values(shape, is_sparse, block, monkeypatch):
    monkeypatch.setattr(design_matrix, "BLOCK", block * shape[1])
    X = np.random.default_rng(0).normal(size=shape) * (np.arange(shape[1]) + 1) + 3
    values = np.linalg.svd(standardized(X), compute_uv=False)
    kept = values[values > 1e-10 * values[0]]
    found = rank(sparse.csr_array(X) if is_sparse else X)
    assert found["rank"] == len(kept)
    assert found["condition_number"] == pytest.approx(kept[0] / kept[-1], rel=1e-9)


def test_dependent_columns_do_not_add_to_the_rank_and_correlation_gives_the_condition():
    """Singular values are √(n (1 ± r))."""
    X = np.random.default_rng(0).normal(size=(50, 4))
    X = np.column_stack([X, X[:, 0] + X[:, 1] - 2, np.full(50, 0.1), 3 * X[:, 2]])
    assert rank(X)["rank"] == 4
    assert rank(1e6 + X)["rank"] == 4  # digits lost to the offset do not add to the rank
    assert rank(np.full((5, 2), 0.1)) == {"rank": 0, "condition_number": None}
    u, v = np.array([1.0, -1, 1, -1]), np.array([1.0, 1, -1, -1])
    X = np.column_stack([u, 0.6 * u + 0.8 * v])
    assert rank(5 * X - 3)["condition_number"] == pytest.approx(np.sqrt(1.6 / 0.4))


def test_the_design_is_imputed_and_one_hot_without_first_levels():
    table = numbers({"a": [1, np.nan, 3], "c": [0, 1, 2]}, {"c": ("x", "y", "z")})
    assert design(table).tolist() == [[1, 0, 0], [2, 1, 0], [3, 0, 1]]
    both = replace(table, levels={"c": ("x", "y", "z"), "a": ("", "u", "v", "w")})
    assert design(replace(both, texts=frozenset({"a"}))).tolist() == [[0, 0], [1, 0], [0, 1]]


def test_a_design_that_is_too_large_is_reported_as_unchecked(monkeypatch):
    monkeypatch.setattr(design_matrix, "WORK", 100)
    with pytest.raises(NotChecked, match="10 × 20"):
        rank(np.ones((10, 20)))
    monkeypatch.setattr(design_matrix, "PAIR_CELLS", 100)
    with pytest.raises(NotChecked, match="200 cells"):
        separable_pairs(np.ones((10, 20)), np.arange(10) % 2, ["a", "b"])
    with pytest.raises(NotChecked, match="texts only"):
        design(Table(np.zeros((2, 1)), ("t",), {"t": ("words",)}, frozenset({"t"})))
    monkeypatch.setattr(design_matrix, "CELLS", 10)
    with pytest.raises(NotChecked, match="4 columns"):
        design(numbers({"c": [0, 1, 2, 3]}, {"c": tuple("abcd")}))


@each("is_sparse", [False, True])
def test_each_pair_of_classes_has_an_answer_with_a_proof(is_sparse):
    """Four clouds at the corners of a square, the last one drawn over the first."""
    generator = np.random.default_rng(0)
    centres = np.array([[0, 0], [9, 0], [0, 9], [0.5, 0.5]])
    y = np.repeat(np.arange(4), 30)
    dense = generator.uniform(-1, 1, size=(120, 2)) + centres[y]
    X = sparse.csr_array(dense) if is_sparse else dense
    found, proofs = separable_pairs(X, y, list("abcd"))
    assert found["separable"] == "some pairs"
    assert (found["separable_pairs"], found["pairs"]) == (5, 6)
    assert found["pairs_by_kind"]["none"] == [["a", "d"]]
    for k, l in combinations(range(4), 2):
        own = (y == k) | (y == l)
        plane = proofs.get(f"hyperplane {k}-{l}")
        multipliers = proofs.get(f"multipliers {k}-{l}", np.zeros(own.sum()))
        kind = "none" if plane is None else "complete"
        weights, intercept = (None, 0.0) if plane is None else (plane[:-1], float(plane[-1]))
        proof = Separation(kind, (k, l), "free", weights, intercept, 0.0, multipliers)
        assert proof.holds(X[np.flatnonzero(own)], y[own])
        if plane is not None:
            side = np.sign(dense[own] @ plane[:-1] + plane[-1])
            assert np.array_equal(side > 0, y[own] == l)


@each(("x", "y", "output"), [
    ([0, 1, 2, 3], [0, 0, 1, 1], "yes"),
    ([0, 1, 1, 2], [0, 0, 1, 1], "quasi-complete"),
    ([0, 2, 1, 3], [0, 0, 1, 1], "no"),
    ([0, 1, 1, 2, 2, 3], [0, 0, 1, 1, 2, 2], "some pairs"),
    ([0, 1, 1, 2, 0.5, 1.5], [0, 0, 1, 1, 2, 2], "quasi-complete"),
])  # fmt: skip
def test_the_separability_of_all_pairs_is_summarized_in_one_word(x, y, output):
    X = np.array(x, float)[:, None]
    assert separable_pairs(X, np.array(y), list("abc")[: max(y) + 1])[0]["separable"] == output


def test_separability_without_a_proof_is_undecided(monkeypatch):
    from linclass.separation.separability import Undecided

    def give_up(*_, **__):
        raise Undecided

    monkeypatch.setattr(design_matrix, "separability", give_up)
    found, proofs = separable_pairs(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), ["a", "b"])
    assert found["separable"] == "undecided"
    assert proofs == {}
