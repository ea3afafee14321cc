"""Synthetic data with known truth.

A generator is a function that takes a ``numpy.random.Generator``, ``rows`` (the number of rows of each class) and keys
of its own, and returns X (n × d, dense or CSR) and the class codes y (n,), class after class. All randomness comes from
the generator that is passed in, so a seed determines the rows. The type and range of a key are read from the signature
(keys.py). The function ``error_of_…`` of the same keys gives the error of the best possible classifier.

    X, y = synthetic.generate("circles", seed=1, rows=[100, 100], radii=[1, 2])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

GENERATORS = (
    "circles", "correlated_groups", "gaussians", "heavy_tailed", "high_dimensional_sparse", "masking", "separable",
    "simplex", "unequal_covariances",
)  # fmt: skip


def generate(
    name: str, seed: int | Sequence[int] = 0, label_noise: float = 0.0, **keys: Any
) -> tuple[Any, Any]:
    """Rows and classes drawn from a generator.

    Parameters
    ----------
    name : str
        Name of the generator, one of `names()`.
    seed : int or sequence of int, default=0
        Seed; the same seed and keys give the same rows.
    label_noise : float, default=0.0
        Probability that a label is replaced by another class. It does not change X.
    **keys : dict
        Keys of the generator, such as `rows`.

    Returns
    -------
    X : array or csr_array of shape (n, d)
        Rows, class after class.
    y : array of shape (n,)
        Class codes 0, ..., K − 1.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    make = generator(name)
    _part("keys").check_keys(make, keys)
    X, y = make(rng, **keys)
    if label_noise:
        y = _part("generators").label_noise(rng, y, label_noise)
    return X, y


def bayes_error(name: str, label_noise: float = 0.0, **keys: Any) -> tuple[float, float] | None:
    """Error of the best possible classifier on the data of a generator.

    Parameters
    ----------
    name : str
        Name of the generator, one of `names()`.
    label_noise : float, default=0.0
        Probability that a label is replaced by another class.
    **keys : dict
        Keys of the generator, such as `rows`.

    Returns
    -------
    (float, float) or None
        The error and its standard error (0 if it is exact); None if it is not known.
    """
    from linclass.base.messages import NotApplicable

    make = generator(name)
    _part("keys").check_keys(make, keys)
    known = getattr(_part("generators"), f"error_of_{name}")
    try:
        found: tuple[float, float] | None = known(**_part("keys").with_defaults(make, keys))
    except NotApplicable:  # a singular covariance
        return None
    if found and label_noise:
        n_classes = len(keys["rows"])
        found = _part("generators").error_with_label_noise(found, label_noise, n_classes)
    return found


def generator(name: str) -> Callable[..., tuple[Any, Any]]:
    """The function of a generator.

    Parameters
    ----------
    name : str
        Name of the generator, one of `names()`.
    """
    if name not in GENERATORS:
        raise ValueError(f"there is no generator '{name}'; there are: {', '.join(names())}.")
    made: Callable[..., tuple[Any, Any]] = getattr(_part("generators"), name)
    return made


def names() -> list[str]:
    """Names of all generators, sorted."""
    return sorted(GENERATORS)


def schema(name: str) -> dict[str, Any]:
    """The keys of a generator as JSON Schema: its own, and label_noise.

    Parameters
    ----------
    name : str
        Name of the generator, one of `names()`.
    """
    keys = _part("keys")
    noise = keys.keys_schema(_part("generators").label_noise)["properties"]["share"]
    own = keys.keys_schema(generator(name))
    return own | {"properties": own["properties"] | {"label_noise": noise}}


def _part(name: str) -> Any:
    return import_module(f"{__name__}.{name}")
