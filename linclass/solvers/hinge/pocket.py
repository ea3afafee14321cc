"""The pocket with ratchet: of the θ that are tested on all rows, that whose misclassified rows weigh least.

A θ is tested if it had more correct rows in turn than the kept one.   Gallant (1990), "Perceptron-based learning
algorithms"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linclass.numerics import Array


@dataclass
class Pocket:
    """The tested θ with the least weight of misclassified rows."""

    theta: Array
    wrong: float
    run: int = 0  # correct rows in turn of the kept θ
    right: int = 0  # of the present θ
    holds_present: bool = True  # the kept θ is the present one

    def offer(self, theta: Array, wrong: float) -> None:
        if wrong < self.wrong:
            self.theta, self.wrong = theta.copy(), wrong
            self.run, self.holds_present = self.right, True

    def asks(self, after: int) -> bool:
        """Whether the present θ, which is about to change after some more correct rows, should be tested."""
        self.right += after
        if self.holds_present:
            self.run = self.right
        return self.right > self.run

    def changed(self) -> None:
        self.right, self.holds_present = 0, False

    def visit(self, missed: Array, n_rows: int) -> Iterator[int]:
        """The mistakes among some rows before which the present θ should be tested, each before the next is made."""
        seen = 0
        for k in missed.tolist():
            if self.asks(after=k - seen):
                yield k
            self.changed()
            seen = k + 1
        self.right += n_rows - seen
