"""Error-correcting output codes: L two-class problems, each a split of the K classes; the nearest code word decides.

    class(x) = argmin_k Σ_s ℓ(M_ks z_s(x)),   M (K, L) with entries −1, 0, 1,

with z_s the score of problem s, fitted to the rows of the classes with M_ks ≠ 0, and ℓ the loss that decodes: ℓ(m) = −m
('margin'), (1 − sign m)/2 ('hamming': wrong answers are counted, and ties broken by the margins), or a loss of
linear/losses. One-vs-rest with 'margin' is OneVsRest, one-vs-one with 'hamming' the votes of OneVsOne; longer codes
correct the mistakes of some of their problems. Two classes are one problem, and the result is that of the estimator.

There are no probabilities, because the loss of a word is not a likelihood of its class. OneVsOne couples those of
pairs.

Predicts: scores: minus the decoding loss.
Cost: L fits of the estimator, each on the rows of the classes that take part.
Certificate: that of the estimators, of the worst one.
Reference: Dietterich & Bakiri (1995), JAIR 2; Allwein, Schapire & Singer (2000), JMLR 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    EstimatorLike,
    MatrixLike,
    PerRow,
    Seed,
)
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import require_whole
from linclass.base.parts import find, names
from linclass.linear.losses.base import MarginLoss
from linclass.multiclass.from_binary import FromBinary, TwoClassProblem

DECODINGS: dict[str, Callable[[Array], Array]] = {
    "margin": lambda m: -m,
    "hamming": lambda m: (1 - np.sign(m)) / 2,
}
SHOWN = 3  # classes that a message names


class ErrorCorrectingOutputCodes(FromBinary):
    """Parameters
    ----------
    code : {'random', 'exhaustive', 'one_vs_rest', 'one_vs_one'} or array of shape (K, L), default='random'
        Code matrix M. 'random' are different splits of the classes, at random; 'exhaustive' all
        2^{K−1} − 1 of them, for at most 11 classes. An array has entries −1, 0 and 1.
    columns : int or None, default=None
        Number L of splits of the random code; None is ⌈10 log₂ K⌉, or all if there are fewer.
    decoding : str, default='margin'
        Loss ℓ: 'margin', 'hamming', or the name of a loss of margins, such as 'hinge', 'logistic' or
        'exponential'; best that of the estimator.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the random code. None draws a new one for each fit.

    Attributes
    ----------
    code_ : array of shape (K, L)
        Code matrix M.
    estimators_ : list of classifiers
        One fitted classifier per column of the code.
    coef_ : array of shape (1, d) or (K, d), only if decoding='margin' and the base classifiers are linear
        Weights, one row per score.
    intercept_ : array of shape (1,) or (K,), only if decoding='margin' and the base classifiers are linear
        Intercepts.
    """

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        code: Any = "random",
        columns: int | None = None,
        decoding: str = "margin",
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.estimator = estimator
        self.code = code
        self.columns = columns
        self.decoding = decoding
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        if isinstance(self.code, str) and self.code not in CODES:
            known = ", ".join(map(repr, CODES))
            raise ValueError(f"code is {self.code!r}; it must be one of {known}, or a matrix.")
        require_whole("columns", self.columns, 1, or_none=True)
        named = isinstance(self.decoding, str)
        if not named or (self.decoding not in DECODINGS and not _decodes(self.decoding)):
            known = ", ".join(map(repr, [*DECODINGS, *filter(_decodes, names("losses"))]))
            raise ValueError(f"decoding is {self.decoding!r}; it must be one of {known}.")
        super().check()

    def parts(self) -> list[str]:
        named = [] if self.decoding in DECODINGS else [find("losses", self.decoding).__module__]
        return [*super().parts(), *named]

    def _start_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Any:
        started, K = super()._start_fit(X, y, sample_weight), len(self.classes_)
        if not isinstance(self.code, str):
            self.code_ = checked_code(self.code, K)
        elif K == 2:  # there is one split
            self.code_ = np.array([[-1.0], [1.0]])
        else:
            self.code_ = CODES[self.code](K, self.columns, self.random_state)
        return started

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        for column in self.code_.T:
            side = column[codes]
            rows = None if side.all() else np.flatnonzero(side)
            target = side if rows is None else side[rows]
            name = f"{self._named(column > 0)} against {self._named(column < 0)}"
            yield TwoClassProblem(name, rows, (target > 0).astype(np.int64))

    def _named(self, mask: np.ndarray) -> str:
        listed = [repr(name) for name in self.classes_[mask].tolist()]
        more = [f"{len(listed) - SHOWN} more"] if len(listed) > SHOWN else []
        return ", ".join([*listed[:SHOWN], *more])

    def decision_function(self, X: MatrixLike) -> Array:
        """Minus the loss of each word, or the difference of two."""
        X = self._check_rows(X)
        F = self._inner_scores(X)
        M = self.code_
        if len(M) == 2 and len(F) == 1:
            return F[0] * M[1, 0]
        loss = DECODINGS.get(self.decoding) or find("losses", self.decoding)().value
        Z = np.stack([-loss(word[:, None] * F).sum(axis=0) for word in M], axis=1)
        if self.decoding == "hamming":
            agreed = (M @ F).T
            Z += agreed / (5 * (np.abs(agreed) + 1))  # less than half the step of a distance
        return Z[:, 1] - Z[:, 0] if len(M) == 2 else Z

    @property
    def coef_(self) -> Array:
        """Weights, one row per score, with decoding='margin' and linear base classifiers."""
        return self._linear([inner.coef_ for inner in self.estimators_])

    @property
    def intercept_(self) -> Array:
        """Intercepts, with decoding='margin' and linear base classifiers."""
        return self._linear([np.atleast_2d(inner.intercept_) for inner in self.estimators_])[:, 0]

    def _linear(self, values: list[Array]) -> Array:
        if self.decoding != "margin" and len(self.classes_) > 2:
            raise AttributeError(f"scores are not linear with decoding={self.decoding!r}")
        M = self.code_
        if len(M) == 2:
            M = M[1:] if M.shape[1] == 1 else M[1:] - M[:1]
        return M @ np.vstack(values)


def _decodes(name: str) -> bool:
    """Whether this is a loss of margins other than 0 or 1."""
    try:
        loss = find("losses", name)
    except ValueError:
        return False
    return issubclass(loss, MarginLoss) and loss.kind != "discrete"


# Code matrices M (K, L): column s is a two-class problem, M_ks = +1 or −1 the side of class k, 0: takes no part.
#
# If any two words differ in d places or more, ⌊(d − 1)/2⌋ wrong answers of a row's L two-class problems are corrected.
# The exhaustive code has every split of the classes into two, 2^{K−1} − 1 columns, and words that differ in 2^{K−2}
# places. A random code is the best of a hundred draws of as many different splits.
# Dietterich & Bakiri (1995), JAIR 2; Allwein, Schapire & Singer (2000), JMLR 1

DRAWS = 100
MOST_CLASSES = 11  # of the exhaustive code: 1,023 columns


def one_vs_one_code(K: int) -> Array:
    """A column for each pair k < l, in lexicographic order, with l as +1."""
    pairs = list(combinations(range(K), 2))
    code = np.zeros((K, len(pairs)))
    for s, (k, l) in enumerate(pairs):
        code[k, s], code[l, s] = -1, 1
    return code


def exhaustive_code(K: int) -> Array:
    if K > MOST_CLASSES:
        raise NotApplicable(
            f"the exhaustive code of {K} classes has {2 ** (K - 1) - 1} columns; use code='random'."
        )
    splits = np.arange(1, 2 ** (K - 1))
    bits = (splits >> np.arange(K - 2, -1, -1)[:, None]) & 1  # class 0 is always −1
    return np.vstack([np.zeros(len(splits)), bits]) * 2.0 - 1


def random_code(K: int, columns: int | None, rng: np.random.Generator) -> Array:
    """`columns` different splits, ⌈10 log₂ K⌉ for None; of few classes all splits if there are no more."""
    L = int(np.ceil(10 * np.log2(K))) if columns is None else columns
    splits = 2 ** (K - 1) - 1
    if K <= MOST_CLASSES and splits <= L:
        return exhaustive_code(K)
    if splits < L:
        raise NotApplicable(
            f"columns is {L}, but {K} classes have only {splits} splits; use at most {splits}, or None."
        )
    best = max((_splits(K, L, rng) for _ in range(DRAWS)), key=least_distance)
    if not least_distance(best):
        raise NotApplicable(
            f"columns is {L}, too few for {K} classes: in {DRAWS} random codes two of them had the same code word; use "
            "more, or None."
        )
    return best


def checked_code(code: Any, K: int) -> Array:
    """The user's own matrix, checked."""
    try:
        M = np.asarray(code, dtype=float)
    except (TypeError, ValueError):
        M = np.empty(0)
    if M.ndim != 2 or not np.isin(M, (-1, 0, 1)).all():
        raise ValueError(
            f"code is {code!r}; it must be a matrix of −1, 0 and 1, or the name of one."
        )
    if len(M) != K:
        raise NotApplicable(
            f"code has {counted(len(M), 'row')} for {K} classes; give one for each class."
        )
    if bad := np.flatnonzero((M.min(axis=0) > -1) | (M.max(axis=0) < 1)).tolist():
        raise ValueError(f"column {bad[0]} of code lacks 1 or −1; each needs both.")
    if len(np.unique(M, axis=0)) < K:
        raise ValueError("two rows of code are equal; each class needs a different code word.")
    return M


def least_distance(M: Array) -> float:
    """The fewest places in which two words differ; a 0 on either side counts half."""
    first, second = np.triu_indices(len(M), 1)
    return float(((1 - M[first] * M[second]) / 2).sum(axis=1).min())


def _splits(K: int, L: int, rng: np.random.Generator) -> Array:
    columns = np.empty((0, K))
    while len(columns) < L:
        drawn = rng.integers(0, 2, (L, K)) * 2.0 - 1
        drawn *= -drawn[:, :1]  # a split and its complement are one problem
        drawn = drawn[(drawn > 0).any(axis=1)]
        _, first = np.unique(np.vstack([columns, drawn]), axis=0, return_index=True)
        columns = np.vstack([columns, drawn])[np.sort(first)[:L]]
    return columns.T


CODES: dict[str, Callable[[int, int | None, Seed], Array]] = {
    "random": lambda K, columns, seed: random_code(K, columns, np.random.default_rng(seed)),
    "exhaustive": lambda K, *_: exhaustive_code(K),
    "one_vs_rest": lambda K, *_: 2.0 * np.eye(K) - 1,
    "one_vs_one": lambda K, *_: one_vs_one_code(K),
}
