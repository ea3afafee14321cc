"""The squared loss at several weights and strengths: values, slopes and certificates, from second moments:

    L = ½ Σ w y_c² + ½ vᵀG v − c·v,   s = G v − c,   P = L + λ Σ_j (κ_j|v_j| + ½μ_j v_j²),
    −D = t²L + t (c·v − Σ w y_c²) + Σ_j max(t|s_j| − λκ_j, 0)²/(2λμ_j).

The dual point is t times the residuals, with t ≤ 1 such that  t|s_j| ≤ λκ_j  where μ_j = 0. A whole path has one
product with G. Where the loss has too few digits, the rows are evaluated.   Boyd & Vandenberghe (2004), §5.5
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.objective.certificate import certify, gap_of, relative
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.l1.centred_gram import CentredGram

BALANCED = 1e-12  # cosine of residuals and a feature without a penalty, up to which it is rounding
DIGITS = 1e-6  # of the loss at v = 0: below it the formula loses too many digits


class GramPoint(NamedTuple):
    """The objective at some weights."""

    value: float
    slopes: Array  # of the loss, (K, d)
    certificate: float  # relative duality gap


def evaluated(
    objective: Objective, gram: CentredGram, W: Array, WG: Array | None = None
) -> GramPoint:
    """The objective at the weights (K, d)."""
    if gram.whole and objective.strength:
        WG = gram.times(W) if WG is None else WG
        seen = from_moments(objective, gram, np.array([objective.strength]), W[None], WG[None])[0]
        if seen is not None:
            return seen
    return from_rows(objective, gram, W)


def evaluated_along(
    objectives: Sequence[Objective], gram: CentredGram, W: Array
) -> list[GramPoint]:
    """One objective at several strengths, each at its weights, (m, K, d)."""
    strengths = np.array([objective.strength for objective in objectives])
    seen: list[GramPoint | None] = [None] * len(strengths)
    if gram.whole and strengths.all():
        seen = from_moments(objectives[0], gram, strengths, W, gram.times(W))
    return [
        point or from_rows(objective, gram, own)
        for point, objective, own in zip(seen, objectives, W, strict=True)
    ]


def from_rows(objective: Objective, gram: CentredGram, W: Array) -> GramPoint:
    """By products with the rows."""
    point = objective.at(gram.theta(W).reshape(objective.shape))
    slopes = np.atleast_2d(objective.weight_part(point.loss_gradient))
    return GramPoint(point.value, slopes, certify(point))


def from_moments(
    objective: Objective, gram: CentredGram, strengths: Array, W: Array, WG: Array
) -> list[GramPoint | None]:
    """The same from second moments; None where that loses too many digits, or where the residuals are not orthogonal
    to the features without a penalty.
    """
    penalty, strengths = objective.penalty, strengths[:, None, None]
    kinks = strengths * np.atleast_2d(penalty.kink)
    curvatures = strengths * np.atleast_2d(penalty.curvature)
    cW = np.einsum("kj,mkj->mk", gram.c, W)
    losses = 0.5 * (gram.variance + np.einsum("mkj,mkj->mk", WG, W)) - cW
    sure = (losses >= DIGITS * gram.variance).all(axis=1)
    slopes = WG - gram.c
    sizes = np.abs(slopes)
    if (free := objective.unpenalized) is not None:
        norms = np.sqrt(2 * np.maximum(losses, 0)[..., None] * gram.variances[free])
        sure &= (sizes[..., free] <= BALANCED * norms).all(axis=(1, 2))
        sizes[..., free] = 0
    loss, along_y = losses.sum(axis=1), (cW - gram.variance).sum(axis=1)
    values = loss + (kinks * np.abs(W) + 0.5 * curvatures * W * W).sum(axis=(1, 2))
    if curvatures.any():
        beyond = np.maximum(sizes - kinks, 0)
        ends = np.divide(beyond**2, 2 * curvatures, out=0 * beyond, where=curvatures > 0)
        gaps = gap_of(values, loss + along_y, ends.sum(axis=(1, 2)))
    else:
        over = np.where(sizes > 0, np.inf, 0.0)
        np.divide(sizes, kinks, out=over, where=kinks > 0)
        t = 1 / np.maximum(over.max(axis=(1, 2), initial=0), 1)
        gaps = gap_of(values, t**2 * loss + t * along_y, 0.0)
    gaps = np.minimum(gaps, values)  # by s = 0
    certificates = relative(gaps, values, gram.variance.sum() / 2)
    seen = zip(values.tolist(), slopes, certificates.tolist(), strict=True)
    return [GramPoint(*own) if good else None for own, good in zip(seen, sure, strict=True)]
