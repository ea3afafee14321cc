"""Linear separability of each pair of classes on all rows of the design, with proofs.

A hyperplane proves separability; multipliers for which the convex hulls of the two classes meet prove the opposite
(linclass.separation.separability). Both are stored, and verified by `holds`.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.messages import NotApplicable
from linclass.separation.separability import Separation, Undecided, separability
from linclass_study.checks.design import NotChecked

CELLS = 2 * 10**7  # maximal number of stored cells over all pairs of classes
BY_PROGRAM = 10**5  # maximal cells of a pair for the linear program, which is slow


def separable_pairs(
    X: Any, y: np.ndarray, classes: list[str]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(facts about the pairs of classes, proofs)."""
    K = len(classes)
    cells = (X.nnz if sparse.issparse(X) else X.size) * (K - 1)
    if cells > CELLS:
        raise NotChecked(f"{cells:,} cells over all pairs of classes are too many")
    kinds: dict[tuple[int, int], str] = {}
    proofs: dict[str, np.ndarray] = {}
    for k, l in combinations(range(K), 2):
        own = np.flatnonzero((y == k) | (y == l))
        found = _of_pair(X[own], y[own])
        kinds[k, l] = "undecided" if found is None else found.kind
        if found is not None:
            proofs |= _proof(found, f"{k}-{l}")
    counts = Counter(kinds.values())
    shown = {kind: counts[kind] for kind in ("complete", "quasi-complete", "none", "undecided")}
    facts = {
        "separable": _in_a_word(counts, len(kinds)),
        "pairs": len(kinds),
        "separable_pairs": counts["complete"],
        "separability": shown,
        "pairs_by_kind": {
            kind: [[classes[k], classes[l]] for (k, l), own in kinds.items() if own == kind]
            for kind in shown
            if counts[kind]
        },
    }
    return facts, proofs


def _of_pair(X: Any, y: np.ndarray) -> Separation | None:
    """Separation of a pair of classes; None if neither answer could be proved."""
    method = "newton" if X.shape[0] * X.shape[1] <= BY_PROGRAM else "newton_alone"
    try:
        found = separability(X, y, method=method)
    except (Undecided, NotApplicable, np.linalg.LinAlgError):
        return None
    return found if found.holds(X, y) else None


def _in_a_word(counts: Counter[str], pairs: int) -> str:
    """Summary of all pairs: yes, some pairs, or the weakest result of all."""
    if counts["complete"]:
        return "yes" if counts["complete"] == pairs else "some pairs"
    return next((kind for kind in ("undecided", "quasi-complete") if counts[kind]), "no")


def _proof(found: Separation, pair: str) -> dict[str, np.ndarray]:
    """The hyperplane and the multipliers of the pair's rows, as far as they are proofs."""
    proof = {}
    if found.weights is not None:
        proof[f"hyperplane {pair}"] = np.append(found.weights, found.intercept)
    if found.multipliers.any():
        proof[f"multipliers {pair}"] = found.multipliers
    return proof
