"""Laws of line searches, on functions whose steps are known."""

from dataclasses import dataclass

import numpy as np
from cases import each

from linclass.base.line_search import (
    ARMIJO,
    CURVATURE,
    backtrack,
    decreased,
    minimize_along,
    wolfe,
)


@dataclass
class Log:
    """φ(t) = ln cosh(θ), whose Newton step −sinh θ cosh θ overshoots beyond |θ| = 1.09."""

    theta: float

    @property
    def value(self) -> float:
        return float(np.logaddexp(self.theta, -self.theta) - np.log(2))

    @property
    def gradient(self) -> np.ndarray:
        return np.tanh([self.theta])


@each("theta", [0.3, 1.5, -2.0, 5.0])
def test_backtracking_takes_the_first_step_of_sufficient_decrease(theta: float) -> None:
    old, step = Log(theta), -np.sinh(theta) * np.cosh(theta)
    slope = float(old.gradient[0] * step)
    new, t = backtrack(old, lambda t: Log(theta + t * step), slope)
    assert new.theta == theta + t * step
    assert np.log2(t) == round(np.log2(t))
    assert new.value <= old.value + ARMIJO * t * slope
    if t < 1:
        assert Log(theta + 2 * t * step).value > old.value + ARMIJO * 2 * t * slope


def test_a_value_of_nan_is_no_decrease() -> None:
    assert not decreased(np.nan, 1.0, -1.0)
    assert not decreased(np.inf, 1.0, -1.0)


@each("first", [1e-4, 1.0, 1e4])
def test_a_wolfe_step_decreases_and_flattens(first: float) -> None:
    old, s = Log(3.0), np.array([-1.0])
    new = wolfe(old, lambda t: Log(3.0 - t), s, first)
    slope, t = float(old.gradient @ s), 3.0 - new.theta
    assert decreased(new.value, old.value, t * slope)
    assert new.gradient @ s >= CURVATURE * slope


@each("kinks", [[0.1], [0.2, 0.21, 0.7], [0.9]])
def test_the_exact_search_finds_the_minimum_of_a_piecewise_quadratic_function(kinks: list) -> None:
    """φ = −t + ½ Σ cᵢ (t − kᵢ)₊²."""
    k, c = np.array(kinks), np.array([30.0, 5.0, 8.0][: len(kinks)])

    @dataclass
    class Piecewise:
        t: float

        @property
        def value(self) -> float:
            return float(-self.t + 0.5 * c @ np.maximum(self.t - k, 0) ** 2)

    def derivatives(new: Piecewise, t: float) -> tuple[float, float]:
        return float(-1 + c @ np.maximum(t - k, 0)), float(c @ (t > k))

    new, t = minimize_along(Piecewise(0.0), Piecewise(1.0), Piecewise, -1.0, derivatives)
    assert new.t == t
    assert abs(derivatives(new, t)[0]) <= 0.1
    assert new.value < 0
