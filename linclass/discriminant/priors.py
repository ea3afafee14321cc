"""Prior probabilities of the classes: estimated  π_k = n_k / Σ n,  uniform, or given."""

from collections.abc import Sequence

import numpy as np

from linclass.base.messages import NotApplicable, counted

Priors = str | Sequence[float] | None


def check_priors(priors: Priors) -> None:
    """Raise ValueError unless priors is None, 'uniform', or probabilities that sum to one."""
    if priors is None or (isinstance(priors, str) and priors == "uniform"):
        return
    if isinstance(priors, str):
        raise ValueError(
            f"priors is {priors!r}; it must be 'uniform', a list, or None (estimated)."
        )
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.ndim != 1 or not (values >= 0).all():
        raise ValueError(f"priors is {priors!r}; it must be a list of numbers that are at least 0.")
    if abs(values.sum() - 1) > 1e-8:
        raise ValueError(f"priors sum to {values.sum():g}; divide them by that, so they sum to 1.")


def class_priors(priors: Priors, mass: np.ndarray) -> np.ndarray:
    """π (…, K) for classes of these total weights."""
    K = mass.shape[-1]
    if priors is None:
        return mass / mass.sum(axis=-1, keepdims=True)
    if isinstance(priors, str):
        return np.full(mass.shape, 1 / K)
    if len(priors) != K:
        raise NotApplicable(
            f"priors has {counted(len(priors), 'entry')} for {K} classes; give as many, and folds with all classes."
        )
    return np.tile(np.asarray(priors, dtype=np.float64), (*mass.shape[:-1], 1))


def log_priors(pi: np.ndarray) -> np.ndarray:
    """ln π; a class of prior 0 is never predicted."""
    with np.errstate(divide="ignore"):
        return np.log(pi)


def log_priors_of_present(pi: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """ln π; −∞ for a class without rows, which has no mean and is never predicted."""
    return np.where(mass > 0, log_priors(pi), -np.inf)
