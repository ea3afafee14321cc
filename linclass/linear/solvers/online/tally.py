"""What happened in the visits of a pass, or of several."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linclass.base.arrays import Array


@dataclass
class Tally:
    visits: float = 0.0
    mistakes: int = 0  # visits to rows of margin at most 0
    mistaken: float = 0.0  # as `mistakes`, but a part of a visit counts as that part, not as 1
    squared_loss: float = 0.0  # Σ max(0, β − m)² over the visits, before their corrections
    least_margin: float = np.inf
    _margins: list[Array] = field(default_factory=list)
    _shares: list[Array] = field(default_factory=list)

    def meet(self, margins: Array, shares: Array) -> None:
        """Margins at some visits, and the share of a whole visit that each is."""
        self._margins.append(margins)
        self._shares.append(shares)

    def close(self, reach: float) -> None:
        """Sum up the margins met."""
        if not self._margins:
            return
        m, shares = np.concatenate(self._margins), np.concatenate(self._shares)
        wrong = shares[m <= 0]
        self.mistakes += int(np.ceil(wrong).sum())
        self.mistaken += float(wrong.sum())
        self.least_margin = min(self.least_margin, float(m.min()))
        with np.errstate(over="ignore"):  # ∞ is a loss
            self.squared_loss += float(shares @ np.maximum(reach - m, 0) ** 2)
        self._margins, self._shares = [], []

    def add(self, later: Tally) -> None:
        self.visits = later.visits
        self.mistakes += later.mistakes
        self.mistaken += later.mistaken
        self.squared_loss += later.squared_loss
        self.least_margin = min(self.least_margin, later.least_margin)
