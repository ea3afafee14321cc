"""From which density on are fits on arrays as fast as on sparse rows?

Prints, for each size and density, the processor time of fits on an array divided by that on the same rows in CSR form,
the median of five alternating fits on one thread. docs/data.md has the rule that follows.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before NumPy is imported

import time
import warnings

import numpy as np
from scipy import sparse

from linclass import LinearSVM, LogisticRegression

SIZES = ((2_000, 50), (20_000, 100), (4_000, 500))
MODELS = {
    "logistic": LogisticRegression(strength=1e-3),
    "SVM": LinearSVM(strength=1e-3),
    "logistic, L1": LogisticRegression(penalty="l1", strength=1e-3),
}


def seconds(model, X, y):
    begin = time.process_time()
    model.fit(X, y)
    return time.process_time() - begin


warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
print("rows × columns, MB of the array | density |", " | ".join(MODELS))
for n, d in SIZES:
    for density in (0.05, 0.1, 0.2, 0.25, 0.3, 0.5):
        rows = sparse.random_array((n, d), density=density, format="csr", rng=rng)
        array = rows.toarray()
        y = (array @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0).astype(int)
        ratios = []
        for model in MODELS.values():
            both = [(seconds(model, array, y), seconds(model, rows, y)) for _ in range(5)]
            of_array, of_sparse = np.median(both, axis=0)
            ratios.append(f"{of_array / of_sparse:.2f}")
        print(f"{n:,} × {d}, {8e-6 * n * d:.1f} | {density:g} |", " | ".join(ratios), flush=True)
