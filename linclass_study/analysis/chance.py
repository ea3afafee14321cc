"""A probability in a sentence."""

from __future__ import annotations


def chance(p: float) -> str:
    """A probability with two decimals; one that is rounded is not said to be 0 or 1."""
    return "<0.01" if p < 0.005 else ">0.99" if p > 0.995 else f"{p:.2f}"
