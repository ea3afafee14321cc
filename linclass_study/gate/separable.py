"""Can a hyperplane separate each pair of classes? On all rows of the design, each answer with its proof.

A separation proves itself by its hyperplane; that there is none, by multipliers with which the convex hulls of
the two classes meet (linclass.separability). Both are kept, and checked once more by `holds`.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from linclass.applicability import NotApplicable
from linclass.separability import separability
from linclass.separation.proof import Undecided
from linclass.separation.result import Separation
from linclass_study.gate.design import NotChecked

CELLS = 2 * 10**7  # that are stored, over all pairs of classes
BY_PROGRAM = 10**5  # cells of a pair of which the linear program may be asked, which is slow


def separable(
    X: Any, y: np.ndarray, classes: list[str]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(how many pairs of classes are separable, and which; the proofs)."""
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
    """Of a pair of classes; None where neither answer could be proved."""
    method = "newton" if X.shape[0] * X.shape[1] <= BY_PROGRAM else "newton_alone"
    try:
        found = separability(X, y, method=method)
    except (Undecided, NotApplicable, np.linalg.LinAlgError):
        return None
    return found if found.holds(X, y) else None


def _in_a_word(counts: Counter[str], pairs: int) -> str:
    """yes: each pair is separable; some pairs; else the least that can be said of all of them."""
    if counts["complete"]:
        return "yes" if counts["complete"] == pairs else "some pairs"
    return next((kind for kind in ("undecided", "quasi-complete") if counts[kind]), "no")


def _proof(found: Separation, pair: str) -> dict[str, np.ndarray]:
    """The hyperplane, if there is one, and the multipliers of the pair's rows, if they are a proof."""
    proof = {}
    if found.weights is not None:
        proof[f"hyperplane {pair}"] = np.append(found.weights, found.intercept)
    if found.multipliers.any():
        proof[f"multipliers {pair}"] = found.multipliers
    return proof
