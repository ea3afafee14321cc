"""The fused lasso and its chains of neighbouring features."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, soft_threshold
from linclass.base.parameters import require_nonnegative
from linclass.linear.penalties.base import EDGE, KinkedPenalty, Level, are_labels, require_one_each

# The proximal operator of weighted total variation:  argmin_v  Σ_j ½a_j(v_j − w_j)² + Σ_j λ_j|v_{j+1} − v_j|.
#
# Dynamic programming: the least cost of v_1, …, v_j is a function of v_j whose derivative is increasing and piecewise
# linear. With the next term it is clipped to ±λ_j, between knots low_j ≤ high_j, and the best v_j is v_{j+1}, clipped
# to them. Every knot is added and removed once, so d entries take O(d).   Johnson (2013), J. Computational and
# Graphical Statistics 22


def denoised(w: Array, a: Array, links: Array) -> Array:
    """The minimum for the curvatures a > 0 of d entries and d − 1 links λ ≥ 0, equal where entries are tied."""
    if not (spread := np.ptp(w)):
        return w.copy()
    # no pull is half of the bound, and huge links lose digits
    links = np.minimum(links, 2 * spread * a.sum())
    lows, highs = [], []
    knots = deque[tuple[float, float, float]]()  # where the derivative changes, by which line
    left = right = 0.0, 0.0  # slope and intercept of the derivative outside the knots
    for value, curvature, link in zip(w.tolist(), a.tolist(), [*links.tolist(), 0.0], strict=True):
        term = -curvature * value
        left, right = (left[0] + curvature, left[1] + term), (right[0] + curvature, right[1] + term)
        while knots and left[0] * knots[0][0] + left[1] <= -link:
            _, slope, intercept = knots.popleft()
            left = left[0] + slope, left[1] + intercept
        while knots and right[0] * knots[-1][0] + right[1] >= link:
            _, slope, intercept = knots.pop()
            right = right[0] - slope, right[1] - intercept
        # no line is less steep than its own term, but for rounding
        left, right = (max(left[0], curvature), left[1]), (max(right[0], curvature), right[1])
        low, high = (-link - left[1]) / left[0], (link - right[1]) / right[0]
        knots.appendleft((low, left[0], left[1] + link))
        knots.append((high, -right[0], link - right[1]))
        left, right = (0.0, -link), (0.0, link)
        lows.append(low)
        highs.append(high)
    value_at_end = lows.pop()
    values = [value_at_end]
    for low, high in zip(reversed(lows), reversed(highs[:-1]), strict=True):
        value_at_end = min(max(value_at_end, low), high)
        values.append(value_at_end)
    return np.array(values[::-1])


MAX_DINKELBACH_STEPS = 100  # steps at most; few are needed


@dataclass(frozen=True)
class Chain:
    """The norm  Ω(W) = Σ_j κ_j|w_j| + Σ_j λ_j|w_{j+1} − w_j|  of features in a line, for every row of W.

    λ_j = 0 where one chain of features ends and the next begins. Ω is a sum over the level sets of w⁺ and w⁻, which
    are unions of intervals (the coarea formula); so intervals alone decide on its dual norm, and on its proximal
    operator level by level: what is above 0 is that of total variation with |w_j| as w_j, what is below that with
    |w_j| as −w_j. With equal κ_j and t_j this is the soft threshold of total variation. Friedman, Hastie, Höfling &
    Tibshirani (2007), Annals of Applied Statistics 1, proposition 1"""

    kinks: Array  # κ, above 0 where the dual norm is asked for
    links: Array  # λ, one less

    def value(self, W: Array) -> float:
        size, change = np.abs(W), np.abs(np.diff(W, axis=-1))
        return float((size @ self.kinks).sum() + (change @ self.links).sum())

    def prox(self, W: Array, t: Level) -> Array:
        """argmin_V  Ω(V) + Σ_j ‖V_j − W_j‖²/2t_j."""
        shift, a = t * self.kinks, np.broadcast_to(1 / np.asarray(t), self.kinks.shape)

        def smooth(W: Array) -> Array:
            return np.apply_along_axis(denoised, -1, W, a, self.links)

        if np.ptp(shift) == np.ptp(a) == 0:
            return soft_threshold(smooth(W), shift)
        return np.maximum(smooth(W - shift), 0) + np.minimum(smooth(W + shift), 0)

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        """The least element of G + t ∂Ω(W): at W the derivative of Ω is linear but for entries at 0 and entries that
        are equal, in which it is a norm of this kind.
        """
        inward, change = t * self.kinks * np.sign(W), np.diff(W, axis=-1)
        pull = t * self.links * np.sign(change)
        inward[..., 1:] += pull
        inward[..., :-1] -= pull
        S = G + inward
        for w, s, moved in zip(*map(np.atleast_2d, (W, S, change)), strict=True):
            rest = Chain(np.where(w == 0, self.kinks, 0), np.where(moved == 0, self.links, 0))
            s[...] = rest.prox(s, t)
        return S

    def dual_norm(self, G: Array) -> float:
        """max over intervals of |Σ g_j| / (Σ κ_j + λ at both ends), by Dinkelbach's iteration: a ratio is the largest
        if no interval has  |Σ g_j| − ratio·(Σ κ_j + λ at both ends) > 0,  of which sums from the left find the largest.
        """
        G, ends = np.vstack([np.atleast_2d(G), -np.atleast_2d(G)]), np.pad(self.links, 1)
        sums, sizes = (np.pad(np.cumsum(A, -1), [(0, 0), (1, 0)]) for A in (G, self.kinks[None]))
        best = 0.0
        for _ in range(MAX_DINKELBACH_STEPS):
            begin, end = sums - best * (sizes - ends), sums - best * (sizes + ends)
            least = np.minimum.accumulate(begin[:, :-1], axis=1)
            row, last = np.unravel_index(np.argmax(end[:, 1:] - least), G.shape)
            first = int(np.argmin(begin[row, : last + 1]))
            cost = self.kinks[first : last + 1].sum() + ends[first] + ends[last + 1]
            ratio = float(G[row, first : last + 1].sum() / cost)
            if ratio <= best:
                break
            best = ratio
        return best

    def pieces(self, W: Array) -> Array:
        """Numbers of the intervals of equal weights, 0 where they are 0."""
        begins = np.ones(W.shape, int)
        begins[..., 1:] = (np.diff(W, axis=-1) != 0) | (self.links == 0)
        numbers: Array = np.where(W != 0, np.cumsum(begins).reshape(W.shape), 0)
        return numbers


@dataclass(frozen=True)
class FusedLasso(KinkedPenalty):
    """Fused lasso  Σ_j |w_j| + φ Σ_j |w_{j+1} − w_j|,  for features in an order: along a genome, a spectrum or time.

    Weights of neighbours become exactly equal, and most of them 0, so that a few intervals of features enter, each
    with one weight. The differences are those of neighbours in a chain, φ is `fusion`. The scores have chains of
    their own. Tibshirani, Saunders, Rosset, Zhu & Knight (2005), J. Royal Statistical Society B 67; Hastie,
    Tibshirani & Friedman (2009), §18.4.2

    Parameters
    ----------
    fusion : float, default=1.0
        Factor φ of the differences between neighbours, at least 0; at 0 it is the lasso.
    chains : array of shape (d,) or None, default=None
        Chain of each feature, a name or a number, such as its chromosome; columns of a chain stand together.
        Neighbours are adjacent columns of one chain. None is one chain of all features.
    """

    fusion: float = 1.0
    chains: Any = None

    prox_by_feature: ClassVar[bool] = True

    def value(self, W: Array) -> float:
        return self._chain(W).value(W)

    def hessian(self, W: Array) -> Array:
        return np.zeros((W.size, W.size))

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        return self._chain(W).steepest(W, G, t)

    def dual_norm(self, G: Array) -> float:
        return self._chain(G).dual_norm(G)

    def prox(self, W: Array, t: Level) -> Array:
        return self._chain(W).prox(W, t)

    def pieces(self, W: Array) -> Array:
        return self._chain(W).pieces(W)

    def conjugate(self, U: Array) -> float:
        return 0.0 if self.dual_norm(U) <= EDGE else np.inf

    def into_domain(self, U: Array) -> float:
        return 1 / max(1.0, self.dual_norm(U))

    def check(self) -> None:
        require_nonnegative("fusion", self.fusion)
        if self.chains is None:
            return
        if not are_labels(self.chains):
            raise ValueError(
                f"chains is {self.chains!r}; give the chain of each feature in a list, all of one type."
            )
        labels = np.asarray(self.chains)
        begins = np.append(labels[:1], labels[1:][labels[1:] != labels[:-1]]).tolist()
        if again := [label for place, label in enumerate(begins) if label in begins[:place]]:
            raise ValueError(
                f"chains has {again[0]!r} again after another; order the columns by chain."
            )

    def for_features(self, n_features: int, names: Sequence[str] | None) -> Self:
        if self.chains is not None:
            require_one_each("chains", self.chains, n_features)
        return self

    def _chain(self, W: Array) -> Chain:
        links = np.full(W.shape[-1] - 1, float(self.fusion))
        if self.chains is not None:
            labels = np.asarray(self.chains)
            links[labels[1:] != labels[:-1]] = 0
        return Chain(np.ones(W.shape[-1]), links)
