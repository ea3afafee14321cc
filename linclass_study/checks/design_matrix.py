"""Rank of the design, and linear separability of each pair of classes on all rows, with proofs.

A hyperplane proves separability; multipliers for which the convex hulls of the two classes meet prove the opposite
(linclass.separation.separability). Both are stored, and verified by `holds`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.preprocessing.transforms.categories import Impute, OneHot
from linclass.separation.separability import Undecided, separability

# The design matrix of most methods of the catalogue: imputed, then one-hot encoded without the first level.
#
# All rows are used for imputation here, as nothing is predicted.

BLOCK = 1 << 20  # dense cells at a time
CELLS = 4 * 10**7  # maximum of a dense matrix for the checks


class NotChecked(Exception):
    """A check would be too expensive or is undefined; the message is the reason."""


def design(table: Table) -> Any:
    """Design matrix (n, p), dense or CSR, without text columns."""
    not_texts = [j for j, name in enumerate(table.names) if name not in table.texts]
    if not not_texts:
        raise NotChecked("there are texts only")
    if len(not_texts) < len(table.names):
        table = table.columns(np.array(not_texts))
    indicators = sum(len(levels) for levels in table.levels.values())
    if indicators and table.shape[0] * (len(not_texts) + indicators) > CELLS:
        raise NotChecked(f"one-hot makes about {indicators:,} columns")
    filled = Impute().fit(table).transform(table)
    return OneHot().fit(filled).transform(filled).X


def dense_blocks(X: Any) -> Iterator[np.ndarray]:
    size = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, X.shape[0], size):
        block = X[start : start + size]
        yield block if isinstance(block, np.ndarray) else block.toarray()


# Rank and condition number of the design with centred columns of standard deviation 1.
#
# Without full rank, unpenalized coefficients are not unique; the condition number, the ratio of the largest to the
# smallest nonzero singular value, bounds their loss of digits. Constant columns are 0.
# Golub & Van Loan (2013), Matrix Computations, §5.4

WORK = 10**10  # multiplications


def rank(X: Any) -> dict[str, Any]:
    """`rank` and `condition_number` of the design."""
    n, p = X.shape
    if n * p * min(n, p) > WORK:
        raise NotChecked(f"a design of {n:,} × {p:,} takes too many multiplications")
    if n < p and n * p > CELLS:
        raise NotChecked(f"a design of {n:,} × {p:,} is too large")
    mean, sd = _moments(X)
    scale = np.divide(1, sd, out=np.zeros(p), where=sd > 0)
    standardized = ((block - mean) * scale for block in dense_blocks(X))
    if n >= p:  # R of the QR decomposition of all rows, block by block
        small = np.empty((0, p))
        for part in standardized:
            small = np.asarray(np.linalg.qr(np.vstack([small, part]), mode="r"))
    else:
        small = np.vstack(list(standardized))
    values = np.linalg.svd(small, compute_uv=False)
    offset = float(np.max(np.abs(mean) * scale, initial=1.0))  # rounding of centred columns
    floor = values[0] * np.finfo(float).eps * max(n, p, offset) if len(values) else 0.0
    r = int((values > floor).sum())
    condition = float(values[0] / values[r - 1]) if r else None
    return {"rank": r, "condition_number": condition}


def _moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column; the latter is exactly 0 for constant columns."""
    n, p = X.shape
    total, squares = np.zeros(p), np.zeros(p)
    low, high = np.full(p, np.inf), np.full(p, -np.inf)
    for block in dense_blocks(X):
        total += block.sum(axis=0)
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
    mean = np.where(low < high, total / n, low)
    for block in dense_blocks(X):
        squares += ((block - mean) ** 2).sum(axis=0)
    return mean, np.sqrt(squares / n)


PAIR_CELLS = 2 * 10**7  # maximal number of stored cells over all pairs of classes
BY_PROGRAM = 10**5  # maximal cells of a pair for the linear program, which is slow


def separable_pairs(
    X: Any, y: np.ndarray, classes: list[str]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(facts about the pairs of classes, proofs)."""
    K = len(classes)
    cells = (X.nnz if sparse.issparse(X) else X.size) * (K - 1)
    if cells > PAIR_CELLS:
        raise NotChecked(f"{cells:,} cells over all pairs of classes are too many")
    kinds: dict[tuple[int, int], str] = {}
    proofs: dict[str, np.ndarray] = {}
    for k, l in combinations(range(K), 2):
        of_pair = np.flatnonzero((y == k) | (y == l))
        rows, labels = X[of_pair], y[of_pair]
        kinds[k, l] = "undecided"  # if neither answer can be proved
        with suppress(Undecided, NotApplicable, np.linalg.LinAlgError):
            small = rows.shape[0] * rows.shape[1] <= BY_PROGRAM
            proof = separability(rows, labels, method="newton" if small else "newton_alone")
            if proof.holds(rows, labels):
                kinds[k, l] = proof.kind
                if proof.weights is not None:
                    proofs[f"hyperplane {k}-{l}"] = np.append(proof.weights, proof.intercept)
                if proof.multipliers.any():
                    proofs[f"multipliers {k}-{l}"] = proof.multipliers
    counts = Counter(kinds.values())
    shown = {kind: counts[kind] for kind in ("complete", "quasi-complete", "none", "undecided")}
    if counts["complete"]:
        summary = "yes" if counts["complete"] == len(kinds) else "some pairs"
    else:  # the weakest result
        summary = next((kind for kind in ("undecided", "quasi-complete") if counts[kind]), "no")
    facts = {
        "separable": summary,
        "pairs": len(kinds),
        "separable_pairs": counts["complete"],
        "separability": shown,
        "pairs_by_kind": {
            kind: [[classes[k], classes[l]] for (k, l), of_pair in kinds.items() if of_pair == kind]
            for kind in shown
            if counts[kind]
        },
    }
    return facts, proofs
