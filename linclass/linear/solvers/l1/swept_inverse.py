"""The inverse of a positive definite matrix H on an index set P that changes, by sweeping:

    M_PP = H_PP⁻¹,   M = 0 elsewhere.

With  u = M h_j − e_j  and  s = h_jj − h_j·M h_j  the index j joins by  M + u uᵀ/s,  and leaves by
M − m_j m_jᵀ/m_jj;  several at once likewise. M keeps its size, so no submatrix is copied.
Goodnight (1979), The American Statistician 33
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from linclass.base.arrays import Array, diagonal

TOGETHER = 32  # indices that join or leave at once
TINY = np.finfo(float).tiny
LIFT = 1e-12  # of the diagonal, added if features are linearly dependent


class Swept:
    def __init__(self, H: Array):
        self.H = H
        self.inside = np.zeros(len(H), bool)
        self.M = np.zeros(H.shape, order="F")

    def grow(self, H: Array) -> None:
        """Take a larger H, of which the present one is the first block."""
        m, M = len(self.H), self.M
        self.H, self.M = H, np.zeros(H.shape, order="F")
        self.M[:m, :m] = M
        self.inside = np.append(self.inside, np.zeros(len(H) - m, bool))

    def join(self, joining: Array) -> None:
        if len(joining) > TOGETHER and not self.inside.any() and self._invert(joining):
            self.inside[joining] = True
            return
        for k in range(0, len(joining), TOGETHER):
            J = joining[k : k + TOGETHER]
            R = self.H[J]
            U = R @ self.M
            S = R[:, J] - U @ R.T
            own = np.arange(len(J))
            U[own, J] -= 1
            self._add(1.0, U, S, R[own, J])
        self.inside[joining] = True

    def leave(self, leaving: Array) -> None:
        for k in range(0, len(leaving), TOGETHER):
            L = leaving[k : k + TOGETHER]
            U = self.M[L]
            S = U[:, L]
            self._add(-1.0, U, S, S.diagonal())
            self.M[L] = 0
            self.M[:, L] = 0
        self.inside[leaving] = False

    def anew(self) -> None:
        """Recompute the inverse, to remove rounding errors and to follow a change of H."""
        P = np.flatnonzero(self.inside)
        self.M[...], self.inside[:] = 0, False
        self.join(P)

    def _invert(self, P: Array) -> bool:
        """M = H_PP⁻¹ directly, for a quarter of the work, if no index nearly depends on others."""
        H = self.H[np.ix_(P, P)]
        L, info = lapack.dpotrf(H, lower=1)
        if info or (L.diagonal() ** 2 <= LIFT * H.diagonal()).any():
            return False
        inverse, _ = lapack.dpotri(L, lower=1)
        self.M[np.ix_(P, P)] = inverse + np.tril(inverse, -1).T
        return True

    def _add(self, sign: float, U: Array, S: Array, scale: Array) -> None:
        """M ± Uᵀ S⁻¹ U, with S slightly regularized."""
        _, X, info = lapack.dposv(S, U)
        lift = LIFT
        while info:
            if not np.isfinite(S).all():
                raise FloatingPointError("products of features overflow; standardize them.")
            diagonal(S)[...] += lift * np.maximum(np.abs(scale), TINY)
            _, X, info = lapack.dposv(S, U)
            lift *= 100
        blas.dgemm(sign, U.T, X, beta=1.0, c=self.M, overwrite_c=1)
