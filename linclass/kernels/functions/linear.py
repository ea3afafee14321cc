"""Linear kernel  k(x, x′) = x·x′.   Schölkopf & Smola (2002), §1.1"""

from __future__ import annotations

from linclass.base.arrays import Array, Matrix
from linclass.kernels.functions._about_centre import AboutCentre
from linclass.kernels.functions.base import Kernel


class Linear(Kernel):
    def features(self, X: Matrix) -> Matrix | None:
        return X

    def about(self, centre: Array) -> Kernel:
        return AboutCentre(centre)

    def block(self, P: Array, a: Array, b: Array) -> None:
        """No change: the inner products are the kernel values."""
