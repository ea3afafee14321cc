"""Fused lasso  Σ_j |w_j| + φ Σ_j |w_{j+1} − w_j|,  for features in an order: along a genome, a spectrum or time.

Weights of neighbours become exactly equal, and most of them 0, so that a few intervals of features enter, each with one
weight. The differences are those of neighbours in a chain, φ is `fusion`. The scores have chains of their own.
Tibshirani, Saunders, Rosset, Zhu & Knight (2005), J. Royal Statistical Society B 67; Hastie, Tibshirani & Friedman
(2009), §18.4.2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linclass.base.numerics.arrays import Array
from linclass.base.parameter_types import require_nonnegative
from linclass.linear.penalties._chain import Chain
from linclass.linear.penalties._labels import are_labels, require_one_each
from linclass.linear.penalties.base import EDGE, KinkedPenalty, Level


@dataclass(frozen=True)
class FusedLasso(KinkedPenalty):
    """Σ_j |w_j| + fusion·Σ_j |w_{j+1} − w_j|.

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
    ordered_features: ClassVar[bool] = True

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

    def check_features(self, n_features: int) -> None:
        if self.chains is not None:
            require_one_each("chains", self.chains, n_features)

    def _chain(self, W: Array) -> Chain:
        links = np.full(W.shape[-1] - 1, float(self.fusion))
        if self.chains is not None:
            labels = np.asarray(self.chains)
            links[labels[1:] != labels[:-1]] = 0
        return Chain(np.ones(W.shape[-1]), links)
