"""Conjugate gradients:  H s ≈ b from products H p alone, optionally preconditioned.

Each step adds one direction, over which ½ sᵀH s − bᵀs is minimized. With a constraint Σ s = 0 residuals count up to a
multiple of 1, which `project` removes, and preconditioned ones sum to 0 (projected conjugate gradients).
Nocedal & Wright (2006), §5.1; Gould, Hribar & Nocedal (2001), SIAM J. Scientific Computing 23
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linclass.base.numerics.arrays import Array

Product = Callable[[Array], tuple[Array, Array | None]]  # p ↦ (H p, X p if it is a by-product)
Apply = Callable[[Array], Array]
MANY = 500  # products for one step
LIFT = 1e-6  # of the curvature along b: regularizes a singular H


def conjugate_gradients(
    times: Product,
    b: Array,
    tolerance: float,
    precondition: Apply | None = None,
    project: Apply | None = None,
    until: Callable[[Array], bool] | None = None,
    most: int = MANY,
) -> tuple[Array, Array | None, bool]:
    """(s, X s, whether ‖b − H s‖ ≤ tolerance), H s ≈ b; X s is None unless the products return it.

    It may also end as soon as until(X s) is true.
    """
    s = np.zeros_like(b)
    Xs: Array | None = None
    r = b.copy() if project is None else project(b)
    y = r if precondition is None else precondition(r)
    p = y.copy()
    rho = np.vdot(r, y)
    for _ in range(min(10 * b.size, most)):
        if length(r) <= tolerance:
            return s, Xs, True
        Hp, Xp = times(p)
        curvature = np.vdot(p, Hp)
        if curvature <= 0:  # flat up to rounding
            break
        a = rho / curvature
        s += a * p
        if Xp is not None:
            Xs = a * Xp if Xs is None else Xs + a * Xp
            if until is not None and until(Xs):
                break
        r -= a * Hp
        r = r if project is None else project(r)
        y = r if precondition is None else precondition(r)
        rho, last = np.vdot(r, y), rho
        p *= rho / last
        p += y
    return s, Xs, False


def solve_lifted(
    times: Apply, b: Array, share: float, precondition: Apply | None = None, most: int = MANY
) -> Array:
    """s with ‖b − (H + εI) s‖ at most a share of ‖b‖, for an H that may be singular and a small ε."""
    lift = LIFT * float(np.vdot(b, times(b))) / max(float(np.vdot(b, b)), 1e-300)
    s, *_ = conjugate_gradients(
        lambda p: (times(p) + lift * p, None), b, share * length(b), precondition, most=most
    )
    return s


def length(r: Array) -> float:
    """‖r‖"""
    return float(np.sqrt(np.vdot(r, r)))
