"""What a fit may cost: memory in units of the data, many small steps in seconds."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

FIT = """
import resource, sys
import numpy as np
from scipy import sparse, special, linalg
from linclass import LogisticRegression

rng = np.random.default_rng(0)
small = rng.standard_normal((30, 3)), np.arange(30) % 2
LogisticRegression().fit(*small)  # what a first fit imports
LogisticRegression().fit(sparse.csr_array(np.eye(30)), small[1])
if sys.argv[1] == "dense":
    X = rng.standard_normal((200_000, 30))
    size = X.nbytes
else:
    X = sparse.random_array((20_000, 100_000), density=0.001, format="csr", rng=rng)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
y = (X[:, :30].sum(axis=1) + 0.1 * rng.standard_normal(X.shape[0]) > 0).astype(int)
before = [int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmRSS")][0] * 1024
open("/proc/self/clear_refs", "w").write("5")  # the high-water mark begins here
model = LogisticRegression().fit(X, y)
peak = [int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")][0] * 1024
print((peak - before + size) / size)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_fit_stays_within_two_and_a_half_times_the_memory_of_the_data(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIT, kind], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= 2.5


def test_half_a_million_gradient_steps_are_real_ones() -> None:
    """The prepared loop against the naive one over 2,000 steps; benchmarks/solvers.py times 500,000."""
    from scipy.special import expit

    from linclass import LogisticRegression

    rng = np.random.default_rng(0)
    X, y = np.round(rng.standard_normal((150, 2)), 1), rng.integers(0, 2, 150)
    B, w = np.column_stack([X, np.ones(150)]), np.zeros(3)
    for _ in range(2000):
        w -= 0.1 / 150 * (B.T @ (expit(B @ w) - y))
    options = {"solver": "gradient_descent", "step": 0.1, "max_iter": 2000, "tol": 0}
    model = LogisticRegression(penalty=None, **options).fit(X, y)
    assert model.n_iter_ == 2000
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), w, atol=1e-13)
