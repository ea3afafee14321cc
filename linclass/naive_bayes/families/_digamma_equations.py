"""Two equations in the digamma function ψ, solved to full precision by Newton's method, vectorized.

gamma_shape            ln a − ψ(a) = s
dirichlet_parameters   ψ(α_i) − ψ(Σ α) = g_i,  i = 1 … m

Both are likelihood equations, so the solution is the maximum of a concave function, and steps that do not increase
it are shortened. For large a the left side is computed by its asymptotic series, because subtraction would cancel all
digits.   Minka (2000), Estimating a Dirichlet distribution; Abramowitz & Stegun, 6.3.18
"""

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from linclass.base.line_search import halve_each

LARGE = 30.0
STEPS = 60
LAST = 1e-8  # relative step after which the next one is below the last digit (its square)
LAST_DIGITS = 1e-13  # of ψ(α) − ψ(Σ α)
NEAR = 1e-3  # relative step below which Newton's method needs no line search
LEAST = 1e-13  # distance of Σ e^{g} to 1 that is rounding


def gamma_shape(s: np.ndarray) -> np.ndarray:
    """a > 0 with ln a − ψ(a) = s, s > 0."""
    a = (3 - s + np.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)  # within 1.5 %
    for _ in range(STEPS):
        step = (_log_minus_digamma(a) - s) / (a * _slope(a))  # of ln a
        a = a * np.exp(-np.clip(step, -1, 1))
        if (np.abs(step) <= LAST).all():
            break
    return a


def gamma_remaining_step(a: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The remaining Newton step of ln a."""
    return np.abs((_log_minus_digamma(a) - s) / (a * _slope(a)))


def dirichlet_remaining_step(alpha: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The remaining Newton step of ln α: 0 where g is met to its last digits, ∞ where no solution exists."""
    shape, alpha, g = alpha.shape, alpha.reshape(-1, alpha.shape[-1]), g.reshape(-1, g.shape[-1])
    with np.errstate(all="ignore"):
        step = np.abs(_newton_step(alpha, g) / alpha)
        missed = digamma(alpha) - digamma(alpha.sum(axis=1, keepdims=True)) - g
        met = np.abs(missed) <= LAST_DIGITS * (1 + np.abs(g))
    step = np.where(np.isfinite(step), step, np.inf)
    return np.where(met.all(axis=1, keepdims=True), 0, step).reshape(shape)


def _log_minus_digamma(a: np.ndarray) -> np.ndarray:
    r = 1 / np.maximum(a, LARGE) ** 2
    series = 0.5 / np.maximum(a, LARGE) + r * (
        1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132)))
    )
    return np.where(a < LARGE, np.log(a) - digamma(a), series)


def _slope(a: np.ndarray) -> np.ndarray:
    """1/a − ψ′(a)."""
    b = np.maximum(a, LARGE)
    r = 1 / b**2
    series = -r * (0.5 + (1 / 6 - r * (1 / 30 - r * (1 / 42 - r / 30))) / b)
    return np.where(a < LARGE, 1 / a - polygamma(1, a), series)


def dirichlet_parameters(g: np.ndarray) -> np.ndarray:
    """α (…, m) with ψ(α_i) − ψ(Σ α) = g_i (…, m), where Σ e^g < 1."""
    shape, g = g.shape, g.reshape(-1, g.shape[-1])
    alpha = _start(g)
    value = _likelihood(alpha, g)
    for _ in range(STEPS):
        step = _newton_step(alpha, g) / alpha  # of ln α, so that α stays positive
        alpha, value = _ascend(alpha, value, step, g)
        if (np.abs(step) <= LAST + 2e-15 * alpha).all():
            break
    return alpha.reshape(shape)


def _ascend(
    alpha: np.ndarray, value: np.ndarray, step: np.ndarray, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """α and its likelihood after a step of ln α, halved where it would decrease."""
    near = np.abs(step).max(axis=1) <= NEAR

    def evaluate(size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        trial = alpha * np.exp(np.clip(size[:, None] * step, -2, 2))
        return trial, _likelihood(trial, g)

    return halve_each(evaluate, lambda new: ~(new[1] < value) | near, len(g))


def _start(g: np.ndarray) -> np.ndarray:
    """Shares e^g, and their sum from the distance of Σ e^g to 1: about (m − 1)/2 divided by it.

    For a tiny share, ψ(α) ≈ −1/α is a better start.
    """
    whole = np.exp(g).sum(axis=1, keepdims=True)
    whole = np.clip(whole, 1e-300, 1 - 1e-15)
    total = (g.shape[1] - 1) / (-2 * np.log(whole)) + 0.5
    return np.maximum(np.exp(g) / whole * total, 1 / (2 - g))


def _likelihood(alpha: np.ndarray, g: np.ndarray) -> np.ndarray:
    return gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1) + (alpha * g).sum(axis=1)


def _newton_step(alpha: np.ndarray, g: np.ndarray) -> np.ndarray:
    """−H⁻¹∇ with H = diag(q) + z 11ᵀ, by Sherman and Morrison."""
    total = alpha.sum(axis=1, keepdims=True)
    gradient = digamma(total) - digamma(alpha) + g
    q, z = -polygamma(1, alpha), polygamma(1, total)
    common = (gradient / q).sum(axis=1, keepdims=True) / (
        1 / z + (1 / q).sum(axis=1, keepdims=True)
    )
    return -(gradient - common) / q


def lacks_spread(g: np.ndarray) -> np.ndarray:
    """Whether these means of ln x are those of a constant x: then Σ e^g = 1 up to rounding."""
    return np.exp(g).sum(axis=-1) > 1 - LEAST


def off_the_edge(g: np.ndarray) -> np.ndarray:
    """g, decreased where x lacks variance, so that a solution exists."""
    whole = np.exp(g).sum(axis=-1, keepdims=True)
    return g - np.where(lacks_spread(g)[..., None], np.log(whole / (1 - LEAST)), 0)
