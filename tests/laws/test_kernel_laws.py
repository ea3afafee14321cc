"""Laws of every kernel, and of the functions that are made of kernel columns."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import KernelPerceptron, KernelSVM
from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names
from linclass.kernels.kernel_features import (
    few_features,
    largest_eigenvalue,
    shift_to_psd,
)
from linclass.kernels.kernel_machine import gamma_scale

DEFINITIONS = {
    "linear": lambda x, y: x @ y,
    "function": lambda x, y: x @ y,
    "gaussian": lambda x, y: np.exp(-((x - y) @ (x - y))),
    "polynomial": lambda x, y: (x @ y + 1) ** 3,
    "sigmoid": lambda x, y: np.tanh(x @ y),
}


def rows(n, seed=0):
    return 0.5 * np.random.default_rng(seed).standard_normal((n, 3))


@each("name", [name for name in names("kernels") if name != "precomputed"])
def test_a_matrix_holds_the_kernel_of_every_pair(name):
    X, Y = rows(300), rows(7, seed=1)
    kernel, k = find("kernels", name)(), DEFINITIONS[name]
    K = kernel.matrix(X)
    assert_allclose(kernel.matrix(X, Y), [[k(x, y) for y in Y] for x in X], rtol=1e-10)
    assert_allclose(K[140:150], [[k(x, y) for y in X] for x in X[140:150]], rtol=1e-10)
    assert (K == K.T).all() or name == "function"
    assert_allclose(kernel.matrix(sparse.csr_array(X), sparse.csr_array(Y)), kernel.matrix(X, Y))


@each("offset", [2.0**17, 2.0**30])
def test_a_gaussian_kernel_does_not_depend_on_the_origin_of_the_rows(offset):
    """Rows of few binary digits, moved by a power of 2, differ by the same to the last digit."""
    X, Y = np.round(1024 * rows(60)) / 1024, np.round(1024 * rows(7, seed=1)) / 1024
    kernel = find("kernels", "gaussian")(100.0)
    K = kernel.matrix(X + offset)
    assert (np.diag(K) == 1).all()
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_allclose(K, np.exp(-100 * distances), rtol=1e-9, atol=1e-300)
    assert_allclose(kernel.matrix(X + offset, Y + offset), kernel.matrix(X, Y), rtol=1e-9)
    thin, other = sparse.csr_array(X + offset), sparse.csr_array(Y + offset)
    assert_allclose(kernel.matrix(thin), K, rtol=1e-9)
    for A, B in ((thin, other), (X + offset, other), (thin, Y + offset)):
        assert_allclose(kernel.matrix(A, B), kernel.matrix(X, Y), rtol=1e-9)
    assert gamma_scale(X + offset, np.ones(60)) == pytest.approx(1 / (3 * X.var()), rel=1e-6)
    thin = gamma_scale(sparse.csr_array(X * (X > 0)), np.ones(60))
    assert thin == pytest.approx(1 / (3 * (X * (X > 0)).var()), rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_an_overflowing_polynomial_kernel_is_reported():
    with pytest.raises(ValueError, match="kernel 'polynomial' overflows"):
        KernelSVM(kernel="polynomial", gamma=1.0, degree=40).fit(1e6 * rows(20), np.arange(20) % 2)


def test_kernels_that_are_not_inner_products_are_refused():
    X, y = rows(40) * 4, np.arange(40) % 2
    with pytest.raises(NotApplicable, match="negative eigenvalue"):
        KernelSVM(kernel="sigmoid", gamma=1.0, coef0=2.0).fit(X, y)
    with pytest.raises(ValueError, match="symmetric"):
        KernelSVM(kernel=lambda A, B: A @ np.triu(np.ones((3, 3))) @ B.T).fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        KernelSVM(kernel=lambda A, B: A).fit(X, y)
    for params in [{"kernel": "gausian"}, {"gamma": -1.0}, {"degree": 0}, {"strength": 0.0}]:
        with pytest.raises(ValueError, match=r"\w") as caught:
            KernelSVM(**params).check()
        assert "\n" not in str(caught.value)


@each("n", [20, 200, 1000])
def test_negative_eigenvalues_are_judged_relative_to_the_largest_for_any_number_of_rows(n):
    """All eigenvalues except one are 1: the trace grows with n, but rounding errors do not."""
    rng = np.random.default_rng(0)
    v = rng.standard_normal(n)
    v -= v.mean()  # a constant added to K must not hide it
    v /= np.linalg.norm(v)
    for share, refused in [(3e-8, True), (1e-7, True), (1e-9, False), (0.0, False)]:
        K = np.eye(n) - (1 + share) * np.outer(v, v)
        K = (K + K.T) / 2
        assert largest_eigenvalue(K) == pytest.approx(1, rel=1e-8)
        assert largest_eigenvalue(0 * K) == 0
        if refused:
            with pytest.raises(NotApplicable, match="negative eigenvalue"):
                shift_to_psd(K, "precomputed")
        else:
            assert shift_to_psd(K, "precomputed") == 0


def test_a_kernel_is_shifted_by_a_constant_only_if_the_intercept_absorbs_it():
    X = np.random.default_rng(0).standard_normal((30, 2))

    def below(A, B):
        """Not an inner product, but one between functions whose coefficients sum to 0."""
        return A @ B.T - 10.0

    y = X[:, 0] > 0.5
    model = KernelPerceptron(kernel=below, max_iter=10_000).fit(X, y)
    scores = model.dual_coef_[0] @ below(X[model.support_], X) + model.intercept_
    assert_allclose(model.decision_function(X), scores, rtol=1e-8)
    with pytest.raises(NotApplicable, match="is not an inner product on these rows"):
        KernelPerceptron(kernel=below, fit_intercept=False).fit(X, y)


@each("size", [1e-6, 1.0, 1e6])
def test_the_remainder_of_kernel_features_is_at_most_the_tolerance(size):
    """Few rows hold nearly all of the trace, and none of them is among the first candidates."""
    X = size * np.random.default_rng(0).normal(size=(1000, 3))
    X[1:7] *= 1e6
    for kernel in (find("kernels", "linear")(), find("kernels", "polynomial")(degree=2)):
        for share in (1e-12, 1e-6):
            K = kernel.matrix(X)
            found = few_features(kernel, X, 120, share * K.max())
            assert found is not None
            assert np.abs(found @ found.T - K).max() <= 1.1 * share * K.max()
    assert few_features(find("kernels", "gaussian")(1000.0), rows(300), 40) is None
    zero = few_features(find("kernels", "linear")(), np.zeros((1000, 3)), 120)
    assert zero is not None
    assert zero.shape == (1000, 0)
