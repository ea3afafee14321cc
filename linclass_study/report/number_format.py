"""Format numbers with their significant digits only."""

from __future__ import annotations

import json
import math


def value(x: float | None) -> str:
    """A metric: three decimals, fewer for large numbers."""
    if x is None:
        return "–"
    if not math.isfinite(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:z.3f}" if abs(x) < 1000 else f"{x:.3g}"
    return text.replace("-", "−")


def seconds(x: float | None) -> str:
    """A duration with two significant digits, in a suitable unit."""
    if x is None:
        return "–"
    x = float(f"{x:.2g}")  # before the unit is chosen: 0.9999 s is 1 s, not 1000 ms
    for limit, unit, scale in (
        (1e-3, "µs", 1e6),
        (1, "ms", 1e3),
        (120, "s", 1),
        (7200, "min", 1 / 60),
    ):
        if x < limit:
            scaled = x * scale
            return f"{scaled:.2g} {unit}" if scaled < 10 else f"{scaled:.0f} {unit}"
    return f"{x / 3600:.1f} h"


def power(x: float | None) -> str:
    """A certificate with one digit, as only its order of magnitude matters: 3e−9."""
    if x is None:
        return "–"
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def tuned_value(chosen: str) -> str:
    """The value of a tuned parameter, given as JSON, with four significant digits."""
    known = json.loads(chosen)
    return f"{known:.4g}" if isinstance(known, float) else str(known)


def probability(p: float | None) -> str:
    """A probability or a p-value: three decimals without the leading zero; 1 only if it is 1."""
    if p is None:
        return "–"
    if 0.9995 <= p < 1:
        return "> .999"
    return "< .001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")
