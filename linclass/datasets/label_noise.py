"""Random label noise, for the rows of any generator."""

from __future__ import annotations

import numpy as np

from linclass.datasets.keys import Share


def label_noise(rng: np.random.Generator, y: np.ndarray, share: Share) -> np.ndarray:
    """Each label, with the probability `share`, becomes one of the K − 1 other classes, equally likely.

    The noise does not depend on the rows, so it is symmetric and completely at random.
    Frénay & Verleysen (2014), IEEE Trans. Neural Netw. 25(5), §II

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.
    share : float
        the probability that a label is replaced by another class; below (K − 1)/K

    Returns
    -------
    array of shape (n,)
    """
    K = int(y.max()) + 1
    _refuse_too_much(share, K)
    wrong = rng.random(len(y)) < share
    step = rng.integers(1, max(K, 2), len(y), dtype=np.int32)
    return np.where(wrong, (y + step) % K, y).astype(y.dtype)


def bayes_error_with_noise(clean: tuple[float, float], share: float, K: int) -> tuple[float, float]:
    """η + ε (1 − η K/(K − 1)), from a Bayes error ε without noise.

    P(label = k | x) = (1 − η) p_k + (1 − p_k) η/(K − 1) increases with p_k, so the best class is the
    same.
    """
    _refuse_too_much(share, K)
    error, deviation = clean
    slope = 1 - share * K / (K - 1)
    return share + slope * error, slope * deviation


def _refuse_too_much(share: float, K: int) -> None:
    if share >= (K - 1) / K:
        raise ValueError(
            f"label_noise: {share} leaves no signal with {K} classes; give less than {(K - 1) / K:.4g}."
        )
