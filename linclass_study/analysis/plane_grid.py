"""What the fits of a run predict on the grid over the plane of a data set: its boundary.npz."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from linclass_study.files.reading import opened_npz


@dataclass(frozen=True)
class PlaneGrid:
    """The grid x (g,), y (h,) and what is predicted at its points.

    labels      classes (fits, h, g), −1 without a prediction
    margins     of the scores (fits, K, h, g) (pipeline/plane.py), NaN away from boundaries and for fits
                without scores; None if no fit has any, and in older results
    """

    x: np.ndarray
    y: np.ndarray
    labels: np.ndarray
    margins: np.ndarray | None = None

    @classmethod
    def read(cls, path: Path) -> PlaneGrid:
        with opened_npz(path) as arrays:
            return cls(arrays["x"], arrays["y"], arrays["labels"], arrays.get("margins"))

    def of_fits(self, some: np.ndarray) -> PlaneGrid:
        margins = None if self.margins is None else self.margins[some]
        return replace(self, labels=self.labels[some], margins=margins)

    def from_classes(self) -> np.ndarray:
        """Whether the boundaries of each fit (fits,) are known by its classes alone."""
        several = np.any(self.labels != self.labels[:, :1, :1], axis=(1, 2))
        if self.margins is None:
            return several
        return several & np.isnan(self.margins).all(axis=(1, 2, 3))

    def fields(self, fit: int, n_classes: int) -> np.ndarray:
        """Of one fit, (K, h, g): positive in the region of a class, negative outside, linear in between.

        Without scores they are the regions themselves, blurred to smooth the steps of the grid.
        """
        inside = self.labels[fit] == np.arange(n_classes)[:, None, None]
        own = None if self.margins is None else self.margins[fit]
        if own is not None and not np.isnan(own).all():
            return np.where(np.isnan(own), np.where(inside, 1.0, -1.0), own)
        from scipy.ndimage import gaussian_filter

        blurred = gaussian_filter(inside.astype(float), (0, 1.5, 1.5), mode="nearest")
        return blurred - 0.5
