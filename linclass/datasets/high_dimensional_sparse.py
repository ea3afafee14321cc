"""Many features that are 0 in nearly all rows, like words; X is CSR."""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.datasets.keys import Count, Probability, RowsOfSeveral, codes

BLOCK = 2**20  # uniform numbers that are drawn at a time


def high_dimensional_sparse(
    rng: np.random.Generator,
    rows: RowsOfSeveral,
    features: Count = 10_000,
    density: Probability = 0.005,
    informative: Count = 20,
    informative_density: Probability = 0.05,
) -> tuple[Any, np.ndarray]:
    """x_j ∈ {0, 1} independent given the class; each class has m features of its own.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    rows : sequence of int
        The number of rows of each class.
    features : int, default=10000
        d, at least m for each class; the others are noise.
    density : float, default=0.005
        The probability that a feature is 1.
    informative : int, default=20
        m, the number of features of its own that each class has.
    informative_density : float, default=0.05
        The probability that a feature of its own is 1 in a row of a class.

    Returns
    -------
    X : csr_array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.

    Notes
    -----
    Bernoulli naive Bayes is the true model.
    """
    K = len(rows)
    _refuse_few(K, features, informative)
    y = codes(rows)
    indptr, indices = np.zeros(len(y) + 1, np.int32), []
    step = max(1, BLOCK // features)
    own = np.arange(features) // informative  # the class whose feature it is; K and more: of none
    for begin in range(0, len(y), step):
        block = y[begin : begin + step]
        probability = np.where(own == block[:, None], informative_density, density)
        present = rng.random((len(block), features)) < probability
        indptr[begin + 1 : begin + 1 + len(block)] = present.sum(axis=1)
        indices.append(np.nonzero(present)[1].astype(np.int32))
    from scipy import sparse

    places = np.concatenate(indices)
    indptr = np.cumsum(indptr, dtype=np.int32)
    X = sparse.csr_array((np.ones(len(places)), places, indptr), shape=(len(y), features))
    return X, y


def bayes_error(
    rows: RowsOfSeveral,
    features: Count = 10_000,
    density: Probability = 0.005,
    informative: Count = 20,
    informative_density: Probability = 0.05,
) -> tuple[float, float]:
    """ln P(k | x) = c_k ln-odds + ln π_k + …, with c_k the count of class k's own features in a row.

    c_k is binomial, so P(correct) = Σ_k π_k Σ_c P(c_k = c | k) Π_l P(class l has less | k) is a
    finite sum.
    """
    _refuse_few(len(rows), features, informative)
    from scipy.stats import binom

    m, p, q = informative, density, informative_density
    weight = np.log(q * (1 - p) / (p * (1 - q)))
    shares = np.array(rows) / np.sum(rows)
    counts = np.arange(m + 1)
    score = np.round(weight * counts[:, None] + np.log(shares), 12)  # ties must be seen as ties
    other = binom.pmf(counts, m, p)
    correct = 0.0
    for k, share in enumerate(shares):
        less = np.ones(m + 1)
        for each in range(len(shares)):
            if each != k:  # of a tie the class that comes first is chosen
                below = score[:, each] < score[:, k, None]
                equal = score[:, each] == score[:, k, None]
                less *= (below | (equal & (each > k))) @ other
        correct += share * float(binom.pmf(counts, m, q) @ less)
    return float(1 - correct), 0.0


def _refuse_few(n_classes: int, features: int, informative: int) -> None:
    if features < n_classes * informative:
        raise ValueError(
            f"features: {features} is less than {informative} for each of {n_classes} classes; give more."
        )
