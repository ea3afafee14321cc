"""Naive Bayes with an exponential family for each column,  z_k = ln π_k + Σ_blocks θ_kᵀT(x) − A(θ_k).

    >>> import linclass
    >>> linclass.ExponentialFamilyNB(families={"age": "gaussian", "housing": "categorical"})
    ExponentialFamilyNB(families={'age': 'gaussian', 'housing': 'categorical'})

Columns of one family form a block. The columns of most families are independent given the class; those
of multivariate_gaussian, spherical_gaussian, multinomial and dirichlet are modelled jointly.

Predicts: log-odds, linear in T(x), and probabilities.
Cost: O(n d); O(n d² + K d³) for multivariate_gaussian.
Certificate: closed form; newton step where a family iterates (beta, dirichlet, gamma).
Reference: Wainwright & Jordan (2008), §3; Hastie, Tibshirani & Friedman (2009), §6.6.3.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import ClassWeight
from linclass.base.messages import NotApplicable
from linclass.base.parameters import require_nonnegative
from linclass.base.parts import find, module_of
from linclass.discriminant.from_statistics import Priors
from linclass.naive_bayes.families.base import Family
from linclass.naive_bayes.naive_bayes import NaiveBayes

REST = "gaussian"  # family of columns that are not named


class ExponentialFamilyNB(NaiveBayes):
    """Parameters
    ----------
    families : str or dict, default='gaussian'
        Family of all columns, or a dict from columns (names or indices) to families; columns that it
        leaves out are gaussian. bernoulli, beta, categorical, dirichlet, exponential, gamma, gaussian,
        geometric, multinomial, multivariate_gaussian, poisson, spherical_gaussian.
    smoothing : float, dict or None, default=None
        Amount of smoothing of all families, or a dict from families to amounts; each family says what
        it adds (linclass/naive_bayes/families). None is each family's default.

    Attributes
    ----------
    intercept_ : array of shape (K,)
        Constant of each score.
    """

    takes_names: ClassVar[bool] = True  # column names, for `families`

    def __init__(
        self,
        families: str | Mapping[Any, str] = REST,
        priors: Priors = None,
        smoothing: float | Mapping[str, float] | None = None,
        class_weight: ClassWeight = None,
    ):
        self.families = families
        self.priors = priors
        self.smoothing = smoothing
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        for name in self._named():
            if not isinstance(name, str):
                raise ValueError(f"families is {self.families!r}; give a name, or a dict of names.")
            find("families", name)
        if isinstance(self.smoothing, Mapping):
            for name, value in self.smoothing.items():
                find("families", name)
                require_nonnegative(f"smoothing of {name}", value)

    def parts(self) -> list[str]:
        """The modules that a fit composes by name."""
        return sorted({module_of("families", name) for name in self._named()})

    def _named(self) -> list[str]:
        if not isinstance(self.families, Mapping):
            return [self.families]
        return [REST, *self.families.values()]

    def _parameters_of_sums(self) -> object:
        return self.families

    def _families(self) -> list[tuple[Family, Any, float]]:
        if not isinstance(self.families, Mapping):
            return [
                (find("families", self.families)(), slice(None), self._smoothing_of(self.families))
            ]
        family_of = np.full(self.n_features_in_, REST, dtype=object)
        for column, name in self.families.items():
            family_of[self._number(column)] = name
        return [
            (find("families", name)(), np.flatnonzero(family_of == name), self._smoothing_of(name))
            for name in dict.fromkeys(family_of)
        ]

    def _smoothing_of(self, name: str) -> float:
        default = find("families", name).smoothing
        if isinstance(self.smoothing, Mapping):
            return self.smoothing.get(name, default)
        return default if self.smoothing is None else self.smoothing

    def _number(self, column: Any) -> int:
        names = list(getattr(self, "feature_names_in_", ()))
        if column in names:
            return names.index(column)
        if isinstance(column, int | np.integer) and 0 <= column < self.n_features_in_:
            return int(column)
        known = f"they are {', '.join(names[:8])}" if names else f"there are {self.n_features_in_}"
        raise NotApplicable(
            f"families names column {column!r}, which the rows do not have; {known}."
        )
