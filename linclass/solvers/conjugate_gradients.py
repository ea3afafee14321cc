"""Conjugate gradients:  H s ≈ b from products H p alone, optionally preconditioned.

Each step adds one direction, over which ½ sᵀH s − bᵀs is minimized.   Nocedal & Wright (2006), §5.1
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.numerics import Array

Product = Callable[[Array], tuple[Array, Array | None]]  # p ↦ (H p, X p if it is a by-product)
Apply = Callable[[Array], Array]
MANY = 500  # products for one step


def conjugate_gradients(
    times: Product, b: Array, forcing: float, precondition: Apply | None = None
) -> tuple[Array, Array | None, bool]:
    """(s, X s, whether ‖b − H s‖ ≤ forcing·‖b‖), H s ≈ b; X s is None unless the products return it."""
    s = np.zeros_like(b)
    Xs: Array | None = None
    r = b.copy()
    stop = forcing * np.sqrt(np.vdot(b, b))
    y = r if precondition is None else precondition(r)
    p = y.copy()
    rho = np.vdot(r, y)
    for _ in range(min(10 * b.size, MANY)):
        if np.sqrt(np.vdot(r, r)) <= stop:
            return s, Xs, True
        Hp, Xp = times(p)
        curvature = np.vdot(p, Hp)
        if curvature <= 0:  # flat up to rounding
            break
        a = rho / curvature
        s += a * p
        if Xp is not None:
            Xs = a * Xp if Xs is None else Xs + a * Xp
        r -= a * Hp
        y = r if precondition is None else precondition(r)
        rho, last = np.vdot(r, y), rho
        p *= rho / last
        p += y
    return s, Xs, False
