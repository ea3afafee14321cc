"""Limits of the resources of a fit: memory in units of the data, seconds for many small steps."""

import subprocess
import sys

import numpy as np
import pytest
from cases import each
from scipy.special import expit
from sklearn.datasets import load_iris

from linclass import LogisticRegression

FIT = """
import resource, sys
import numpy as np
from scipy import sparse, special, linalg
from linclass import LinearSVM, LogisticRegression

kind = {'svm': LinearSVM}.get(sys.argv[2], LogisticRegression)
rng = np.random.default_rng(0)
small = rng.standard_normal((30, 3)), np.arange(30) % 2
kind().fit(*small)  # what a first fit imports
kind().fit(sparse.csr_array(np.eye(30)), small[1])
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
model = kind().fit(X, y)
peak = [int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")][0] * 1024
print((peak - before + size) / size)
"""


KERNEL = """
import numpy as np
from linclass import KernelSVM

rng = np.random.default_rng(0)
X = rng.standard_normal((2000, 10))
y = (X[:, 0] + np.abs(X[:, 1]) + rng.standard_normal(2000) > 1).astype(int)
KernelSVM().fit(X[:1200], y[:1200])  # what a first fit imports
status = lambda name: [int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(name)][0]
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # the high-water mark begins here
model = KernelSVM().fit(X, y)
assert model.status_ == "converged"
print((status("VmHWM") - before) * 1024 / (8 * 2000 * 2000))
"""


def output_of(code, *arguments):
    run = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@each("kind", ["dense", "sparse"], quick=1)
@each("model", ["logistic", "svm"], quick=1)
def test_a_fit_stays_within_two_and_a_half_times_the_memory_of_the_data(kind, model):
    assert output_of(FIT, kind, model) <= 2.5


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_kernel_machine_needs_one_kernel_matrix_and_small_change():
    assert output_of(KERNEL) <= 1.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_half_a_million_gradient_steps_on_iris_are_computed():
    """Setosa against the rest: 5,000 and one more are the naive loop's, and so is the very last."""
    X, species = load_iris(return_X_y=True)
    y, B = species > 0, np.column_stack([X, np.ones(len(X))])
    options = {"solver": "gradient_descent", "learning_rate": 0.1, "tol": 0, "warm_start": True}
    model, path, before = LogisticRegression(penalty=None, **options), {}, 0
    for steps in (5000, 5001, 50_000, 499_999, 500_000):
        model.set_params(max_iter=steps - before).fit(X, y)
        assert (model.n_iter_, model.status_) == (steps - before, "separable")
        path[steps], before = np.append(model.coef_, model.intercept_), steps

    def naive(w):
        return w - 0.1 / len(B) * (B.T @ (expit(B @ w) - y))

    w = np.zeros(B.shape[1])
    for _ in range(5000):
        w = naive(w)
    np.testing.assert_allclose(path[5000], w, rtol=1e-11)
    for before, after in [(5000, 5001), (499_999, 500_000)]:
        np.testing.assert_allclose(path[after] - path[before], naive(path[before]) - path[before])
    # to infinity along the margin, and on the way the objective only falls
    values = [np.logaddexp(0, -np.where(y, 1, -1) * (B @ w)).mean() for w in path.values()]
    assert (np.diff(values) < 0).all()
    np.testing.assert_allclose(model.objective_, values[-1], rtol=1e-9)
