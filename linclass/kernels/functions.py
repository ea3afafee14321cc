"""Kernels: the matrix of k(x, x′) = ⟨φ(x), φ(x′)⟩ between rows, computed in place and block by block.

Most kernels define `block` alone, which turns a block of inner products into kernel values. For a matrix among the
same rows half of the blocks are mirrored.   Schölkopf & Smola (2002), Learning with Kernels
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, Matrix, centre, shifted, squares_of_rows
from linclass.base.messages import require_memory

BLOCK = 128  # rows at a time, so that a block stays in the cache
# path of gamma in units of 'scale', the widest kernel first
WIDTHS = 4.0 ** np.arange(-2, 2)


class Kernel:
    """Subclasses define `block`; their parameters are those of `__init__`."""

    parameters: ClassVar[tuple[str, ...]] = ()  # parameters of the estimator that it uses
    is_psd: ClassVar[bool] = True  # whether k is an inner product for all rows

    def block(self, P: Array, a: Array, b: Array) -> None:
        """Turn inner products P (m, n) of rows with squared norms a and b into kernel values, in place."""
        raise NotImplementedError

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        """k between every row of X and every row of Y (or of X): dense."""
        n, m = X.shape[0], (X if Y is None else Y).shape[0]
        require_memory(8 * n * m, f"a kernel needs a dense {n} × {m} matrix")
        K = np.empty((n, m))
        a = squares_of_rows(X)
        b = a if Y is None else squares_of_rows(Y)
        other = X if Y is None else Y
        if sparse.issparse(X) and not sparse.issparse(other):
            # so that sparse products need no copy of its transpose
            other = np.asfortranarray(other)
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            first = start if Y is None else 0
            P = self.between(X[rows], other[first:], a[rows], b[first:])
            K[rows, first:] = P
            if Y is None:  # exactly symmetric, in spite of rounding
                square = P[:, : P.shape[0]]
                K[rows, rows] = (square + square.T) / 2
                K[first + P.shape[0] :, rows] = P[:, P.shape[0] :].T
        return K

    def near_zero(self, X: Matrix) -> Any:
        """Rows with the same kernel values among themselves and less cancellation; or X."""
        return X

    def near_each_other(self, X: Matrix, Y: Matrix) -> tuple[Any, Any]:
        """Two sets of rows with the same kernel values and less cancellation between them; or (X, Y)."""
        return X, Y

    def features(self, X: Matrix) -> Matrix | None:
        """Rows φ(x) with k(x, x′) = φ(x)·φ(x′), up to a constant that a free intercept takes; None if they are many."""
        return None

    def about(self, centre: Array) -> Kernel:
        """The kernel of φ(x) − φ(centre), where it can be computed with less cancellation; or this one."""
        return self

    def between(self, X: Matrix, Y: Any, a: Array, b: Array) -> Array:
        """k between the rows of X and of Y, whose squared norms are a and b, without dividing them into blocks."""
        products = X @ Y.T
        P = products.toarray() if sparse.issparse(products) else products
        self.block(P, a, b)
        return P

    def diagonal(self, X: Matrix) -> Array:
        """k(x, x) of every row."""
        a = squares_of_rows(X)
        P = a[:, None].copy()
        self.block(P, a, a[:, None])
        return P[:, 0]


# a name, or a function of two matrices of rows
KernelLike = str | Callable[[Matrix, Matrix], Matrix]


class AboutCentre(Kernel):
    """Polynomial kernels of rows far from 0:  k′(x, x′) = ⟨φ(x) − φ(c), φ(x′) − φ(c)⟩  for k = (γ x·x′ + coef0)^degree.

    With a free intercept, coefficients have the sum 0, so k′ in place of k changes only the intercept, exactly:

        Σ_j β_j k′(x_j, x) = Σ_j β_j k(x_j, x) − Σ_j β_j (k(x_j, c) − k(c, c))

    k′ is computed from x − c without cancellation, by a recursion over the degree D. With s = γ c·c + coef0,
    a = γ c·(x − c), b = γ c·(x′ − c) and p = γ (x − c)·(x′ − c),

        e_D(a) = (s + a)^D − s^D,        e_{D+1}(a) = (s + a) e_D(a) + a s^D,
        k′_{D+1} = (s + a + b + p) k′_D + (b + p) e_D(a) + (a + p) e_D(b) + p s^D,   k′_1 = p.
    """

    def __init__(self, centre: Array, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1):
        self.centre, self.gamma, self.degree = centre, gamma, degree
        self.at_centre = float(gamma * (centre @ centre) + coef0)  # s

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        return super().matrix(self.near_zero(X), None if Y is None else self.near_zero(Y))

    def near_zero(self, X: Matrix) -> Any:
        return shifted(X, self.centre)

    def features(self, X: Matrix) -> Matrix | None:
        return self.near_zero(X) * self.gamma**0.5 if self.degree == 1 else None

    def between(self, X: Matrix, Y: Any, a: Array, b: Array) -> Array:
        """Kernel values as in `Kernel.between`, for rows from which the centre was subtracted."""
        along = self.gamma * (X @ self.centre)[:, None], self.gamma * (Y @ self.centre)
        products = X @ Y.T
        return self._product(
            *along, self.gamma * (products.toarray() if sparse.issparse(products) else products)
        )

    def diagonal(self, X: Matrix) -> Array:
        along = self.gamma * (X @ self.centre)
        return self._product(along, along, self.gamma * squares_of_rows(X))

    def increments(self, X: Matrix) -> Array:
        """k(x, c) − k(c, c) of every row."""
        s = self.at_centre
        a = self.gamma * (self.near_zero(X) @ self.centre)
        e = a
        for D in range(1, self.degree):
            e = (s + a) * e + a * s**D
        return np.asarray(e)

    def _product(self, a: Array, b: Array, p: Array) -> Array:
        s, K, ea, eb = self.at_centre, p, a, b
        with np.errstate(over="ignore", invalid="ignore"):
            for D in range(1, self.degree):
                K = (s + a + b + p) * K + (b + p) * ea + (a + p) * eb + p * s**D
                ea, eb = (s + a) * ea + a * s**D, (s + b) * eb + b * s**D
        if not np.isfinite(K).all():
            raise ValueError("kernel values overflow on these rows; standardize them.")
        return K


class Gaussian(Kernel):
    """Gaussian kernel  k(x, x′) = e^{−γ‖x − x′‖²}, with γ = 1/(2σ²).

    Its matrix is positive definite for distinct rows, so these are separable for any labels. It is invariant to
    shifts, so rows are centred, sparse ones where they are far from 0. This reduces the cancellation in
    ‖x‖² + ‖x′‖² − 2x·x′.
    Schölkopf & Smola (2002), §2.3

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    """

    parameters = ("gamma",)

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        if Y is None:
            K = super().matrix(self.near_zero(X))
            np.fill_diagonal(K, 1)
            return K
        return super().matrix(*self.near_each_other(X, Y))

    def near_each_other(self, X: Matrix, Y: Matrix) -> tuple[Any, Any]:
        own = self._centre(Y, sparse.issparse(X) or sparse.issparse(Y))
        return shifted(X, own), shifted(Y, own)

    def near_zero(self, X: Matrix) -> Any:
        return shifted(X, self._centre(X, sparse.issparse(X)))

    def _centre(self, X: Matrix, is_sparse: bool) -> Array:
        return centre(X, np.ones(X.shape[0]), fill=not is_sparse)[0]

    def diagonal(self, X: Matrix) -> Array:
        return np.ones(X.shape[0])

    def block(self, P: Array, a: Array, b: Array) -> None:
        """−γ(a + b − 2P), at most 0 in spite of rounding, then its exponential."""
        P *= 2 * self.gamma
        P -= self.gamma * a[:, None]
        P -= self.gamma * b
        np.minimum(P, 0, out=P)
        np.exp(P, out=P)


class Linear(Kernel):
    """Linear kernel  k(x, x′) = x·x′.   Schölkopf & Smola (2002), §1.1"""

    def features(self, X: Matrix) -> Matrix | None:
        return X

    def about(self, centre: Array) -> Kernel:
        return AboutCentre(centre)

    def block(self, P: Array, a: Array, b: Array) -> None:
        """No change: the inner products are the kernel values."""


class Polynomial(Kernel):
    """Polynomial kernel  k(x, x′) = (γ x·x′ + c)^degree: all monomials up to the degree (c > 0), weighted.

    Poggio (1975), Biological Cybernetics 19

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    degree : int, default=3
        Degree, at least 1.
    coef0 : float, default=1.0
        Constant term c, at least 0.
    """

    parameters = ("gamma", "degree", "coef0")

    def __init__(self, gamma: float = 1.0, degree: int = 3, coef0: float = 1.0):
        if coef0 < 0:
            raise ValueError(f"coef0 is {coef0!r}; a polynomial kernel needs at least 0.")
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0

    def features(self, X: Matrix) -> Matrix | None:
        return X * self.gamma**0.5 if self.degree == 1 else None

    def about(self, centre: Array) -> Kernel:
        return AboutCentre(centre, self.gamma, self.coef0, self.degree)

    def block(self, P: Array, a: Array, b: Array) -> None:
        P *= self.gamma
        P += self.coef0
        base = P.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(self.degree - 1):
                P *= base
        if not np.isfinite(P).all():
            raise ValueError(
                "kernel 'polynomial' overflows on these rows; standardize them or use a smaller "
                f"degree than {self.degree}."
            )


class Sigmoid(Kernel):
    """Sigmoid kernel  k(x, x′) = tanh(γ x·x′ + c), as in neural networks.

    In general it is not an inner product (its matrix may have negative eigenvalues), so a fit may have no minimum;
    `fit` raises NotApplicable if the matrix shows it. Small γ and c ≤ 0 work best.
    Lin & Lin (2003), "A study on sigmoid kernels for SVM"

    Parameters
    ----------
    gamma : float, default=1.0
        Factor γ, above 0.
    coef0 : float, default=0.0
        Constant term c.
    """

    parameters = ("gamma", "coef0")
    is_psd = False

    def __init__(self, gamma: float = 1.0, coef0: float = 0.0):
        self.gamma, self.coef0 = gamma, coef0

    def block(self, P: Array, a: Array, b: Array) -> None:
        P *= self.gamma
        P += self.coef0
        np.tanh(P, out=P)


class Precomputed(Kernel):
    """A precomputed kernel: X is K (n, n) itself for `fit`, and (m, n) for new rows."""

    is_psd = False  # unknown, so checked

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        if Y is None and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be square: kernel='precomputed' takes k between all rows "
                f"as X; it has shape {X.shape}."
            )
        return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)


class Function(Kernel):
    """Any function of two matrices of rows as a kernel:  K = function(X, Y).

    Parameters
    ----------
    function : callable
        Maps two matrices of n and n′ rows to the matrix (n, n′) of kernel values.
    """

    is_psd = False  # unknown, so checked

    def __init__(self, function: Callable[[Any, Any], Any]):
        self.function = function

    def matrix(self, X: Matrix, Y: Any = None) -> Array:
        other = X if Y is None else Y
        K = self.function(X, other)
        K = np.asarray(K.toarray() if sparse.issparse(K) else K, dtype=float)
        if K.shape != (X.shape[0], other.shape[0]) or not np.isfinite(K).all():
            raise ValueError(
                f"the kernel gave an array of shape {K.shape}; it must be finite, of shape "
                f"{(X.shape[0], other.shape[0])}."
            )
        return K


KERNELS = {
    name: f"{__name__}.{name.capitalize()}"
    for name in ("gaussian", "linear", "polynomial", "precomputed", "sigmoid")
}
