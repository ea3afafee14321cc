"""Features of a kernel, from landmarks."""

from collections.abc import Callable, Hashable, MutableMapping
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, ArrayLike, Matrix, squares_of_rows
from linclass.base.messages import require_memory
from linclass.base.parameters import is_number, require_nonnegative, require_whole
from linclass.base.tables import Table
from linclass.kernels.functions import WIDTHS, Gaussian, Linear, Polynomial
from linclass.preprocessing.transforms.base import Transform, beside_categories, complete_numbers

# Positive semidefinite kernels, so that S ≥ 0.
KERNELS: dict[str, Callable[..., Any]] = {"gaussian": Gaussian, "polynomial": Polynomial}
MIN_EIGENVALUE = 1e-7  # of the largest eigenvalue: 1/√S would amplify the rounding of k
# Landmarks of a table, and the inner products of its rows with landmarks: tuning fits many kernels to the same rows
SHARED: MutableMapping[Table, dict[Hashable, Any]] = WeakKeyDictionary()


class Nystroem(Transform):
    """Nyström features:  x → (k(x, l_1), …, k(x, l_m)) U S^{−1/2},   K_ll = U S Uᵀ over m landmarks l.

    Their inner products are the projection of k onto the span of the landmarks,  k_l(x)ᵀ K_ll⁺ k_l(x′), the best
    approximation by functions Σ_j β_j k(l_j, ·). It is k itself if all training rows are landmarks. Linear
    solvers thus fit kernel machines with n × m numbers. Directions with small S are dropped, which changes no
    inner product by more than 10⁻⁷ of the largest S.

    Landmarks are distinct training rows, selected by a seeded hash of their content and not of their position.
    The result is dense; categorical columns are kept, on the left.
    Williams & Seeger (2001), NIPS 13

    Parameters
    ----------
    columns : int, default=100
        Number m of landmarks, and the largest number of features.
    kernel : {'gaussian', 'polynomial'}, default='gaussian'
        The kernel k.
    gamma : float or 'scale', default='scale'
        Factor γ of the kernel, above 0. 'scale' is 1/(d · variance of the entries of the landmarks).
    degree : int, default=3
        Degree of the kernel 'polynomial'.
    coef0 : float, default=1.0
        Constant term of the kernel 'polynomial'.
    seed : int, default=0
        Seed of the hash that selects the landmarks.

    Attributes
    ----------
    landmarks_ : array of shape (m, d)
        The landmarks.
    map_ : array of shape (m, r)
        The matrix U S^{−1/2}.
    """

    makes_dense = True
    paths = ("gamma",)  # options with `_path_values`

    def __init__(
        self,
        columns: int = 100,
        kernel: str = "gaussian",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        seed: int = 0,
    ):
        require_whole("nystroem: columns", columns, 1)
        if kernel not in [*KERNELS]:
            raise ValueError(f"nystroem: kernel is {kernel!r}; use {' or '.join(KERNELS)}.")
        scale = isinstance(gamma, str) and gamma == "scale"
        if not (scale or (is_number(gamma) and 0 < gamma < np.inf)):
            raise ValueError(f"nystroem: gamma is {gamma!r}; use 'scale' or a number above 0.")
        require_whole("nystroem: degree", degree, 1)
        require_whole("nystroem: seed", seed)
        require_nonnegative("nystroem: coef0", coef0)
        self.columns, self.kernel, self.gamma = columns, kernel, gamma
        self.degree, self.coef0, self.seed = degree, coef0, seed

    def _path_values(self, option: str, table: Table) -> np.ndarray:
        """The values of gamma that a study tunes over with `path`: about 'scale', the widest kernel first."""
        return np.asarray(_scale(self._landmark_rows(table)) * WIDTHS)

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.landmarks_ = self._landmark_rows(table)
        gamma = _scale(self.landmarks_) if self.gamma == "scale" else self.gamma
        polynomial = {"degree": self.degree, "coef0": self.coef0}
        self._k = KERNELS[self.kernel](gamma, **(polynomial if self.kernel == "polynomial" else {}))
        shared, key = SHARED.setdefault(table, {}), (self.columns, self.seed, self.kernel)
        if key not in shared:
            near = self._k.near_zero(self.landmarks_)
            shared[key] = Linear().matrix(near), squares_of_rows(near)
        products, lengths = shared[key]
        K = products.copy()
        self._k.block(K, lengths, lengths)
        np.fill_diagonal(K, self._k.diagonal(self.landmarks_))
        s, U = np.linalg.eigh(K)
        real = s > MIN_EIGENVALUE * s[-1]
        self.map_ = U[:, real] / np.sqrt(s[real])
        return self

    def _landmark_rows(self, table: Table) -> np.ndarray:
        shared, key = SHARED.setdefault(table, {}), (self.columns, self.seed)
        if key not in shared:
            X = complete_numbers(table, "nystroem")
            rows = landmarks(X, self.columns, self.seed)
            require_memory(8 * len(rows) * X.shape[1], f"{len(rows)} dense landmarks")
            shared[key] = X[rows].toarray() if table.is_sparse else X[rows]
        return np.asarray(shared[key])

    def _inner_products(self, table: Table) -> tuple[Array, Array, Array]:
        """(x·l of the rows and the landmarks, ‖x‖², ‖l‖²), from which the kernel is computed."""
        shared = SHARED.setdefault(table, {})
        landmarks, *found = shared.get(self.kernel, (None,))
        if landmarks is not self.landmarks_:
            X, L = self._k.near_each_other(table.numeric().X, self.landmarks_)
            found = [Linear().matrix(X, L), squares_of_rows(X), squares_of_rows(L)]
            shared[self.kernel] = self.landmarks_, *found
        products, a, b = found
        return products, a, b

    def transform(self, table: Table) -> Table:
        n, (m, r) = table.shape[0], self.map_.shape
        require_memory(8 * n * (2 * m + 2 * r), f"{r} Nyström features are dense")
        products, a, b = self._inner_products(table)
        K = products.copy()
        self._k.block(K, a, b)
        features = K @ self.map_
        return beside_categories(table, features, [f"nystroem{j}" for j in range(1, r + 1)])


def landmarks(X: Matrix, columns: int, seed: int) -> np.ndarray:
    """The rows with the smallest hashes, without duplicates; a sparse row has the hash of the dense one."""
    first: dict[bytes, int] = {}
    key, rows = str(seed).encode(), sp.csr_array(X, copy=True)
    rows.eliminate_zeros()
    j, values = rows.indices.astype(np.int64), rows.data
    for i, (begin, end) in enumerate(pairwise(rows.indptr.tolist())):
        content = j[begin:end].tobytes() + values[begin:end].tobytes()
        first.setdefault(blake2b(content, digest_size=16, key=key).digest(), i)
    return np.array([first[digest] for digest in sorted(first)[:columns]])


def _scale(X: np.ndarray) -> float:
    """1/(columns · variance of all entries) of the landmarks, so it does not depend on the order of rows."""
    variance = float(X.var())
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0
