"""The pocket with ratchet: of the θ that are tested on all rows, that whose misclassified rows weigh least.

A θ is tested if it had more correct rows in turn than the kept one; a row of weight w that is right counts as w rows.
Gallant (1990), "Perceptron-based learning algorithms"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linclass.base.arrays import Array


@dataclass
class Pocket:
    """The tested θ with the least weight of misclassified rows."""

    theta: Array
    wrong: float
    run: float = 0.0  # weight of the correct rows in turn of the kept θ
    right: float = 0.0  # of the present θ
    holds_present: bool = True  # the kept θ is the present one

    def offer(self, theta: Array, wrong: float) -> None:
        if wrong < self.wrong:
            self.theta, self.wrong = theta.copy(), wrong
            self.run, self.holds_present = self.right, True

    def asks(self, after: float) -> bool:
        """Whether the present θ, which is about to change after some more correct rows, should be tested."""
        self.right += after
        if self.holds_present:
            self.run = self.right
        return self.right > self.run

    def changed(self, left: float) -> None:
        """The present θ is another one, and right on what is left of the row that changed it."""
        self.right, self.holds_present = left, False

    def visit(self, missed: Array, left: Array, before: Array) -> Iterator[int]:
        """The mistakes among some rows before which the present θ should be tested, each before the next is made.

        `left` is what `changed` takes, and `before` the weight of the rows before each row and before the end.
        """
        seen = 0
        for k, rest in zip(missed.tolist(), left.tolist(), strict=True):
            if self.asks(after=float(before[k] - before[seen])):
                yield k
            self.changed(rest)
            seen = k + 1
        self.right += float(before[-1] - before[seen])
