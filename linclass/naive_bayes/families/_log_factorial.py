"""Σ_j ln x_j! of each row; for sparse rows over the stored values alone."""

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from linclass.base.arrays import Matrix


def sum_of_log_factorials(X: Matrix) -> np.ndarray:
    if sp.issparse(X):
        logs = sp.csr_array((gammaln(X.data + 1), X.indices, X.indptr), X.shape)
        return logs @ np.ones(X.shape[1])
    return gammaln(X + 1).sum(axis=1)
