"""Laws of every kernel, of functions that are made of kernel columns, and of machines on rows far from 0."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names
from linclass.kernels import kernel_machine
from linclass.kernels.kernel_features import few_features, largest_eigenvalue, shift_to_psd
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


def test_kernels_that_are_not_inner_products_are_refused():
    X, y = rows(40) * 4, np.arange(40) % 2
    for params, error, words in [
        ({"kernel": "sigmoid", "gamma": 1.0, "coef0": 2.0}, NotApplicable, "negative eigenvalue"),
        ({"kernel": lambda A, B: A @ np.triu(np.ones((3, 3))) @ B.T}, ValueError, "symmetric"),
        ({"kernel": lambda A, B: A}, ValueError, "shape"),
    ]:
        with pytest.raises(error, match=words):
            L.KernelSVM(**params).fit(X, y)
    for params in [{"kernel": "gausian"}, {"gamma": -1.0}, {"degree": 0}, {"strength": 0.0}]:
        with pytest.raises(ValueError, match=r"\w") as caught:
            L.KernelSVM(**params).check()
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="kernel 'polynomial' overflows"):
        L.KernelSVM(kernel="polynomial", gamma=1.0, degree=40).fit(1e6 * X, y)


@each(("share", "refused"), [(3e-8, True), (1e-7, True), (1e-9, False), (0.0, False)])
@each("n", [20, 200, 1000])
def test_negative_eigenvalues_are_judged_relative_to_the_largest_for_any_number_of_rows(
    n, share, refused
):
    """All eigenvalues except one are 1: the trace grows with n, but rounding errors do not."""
    v = np.random.default_rng(0).standard_normal(n)
    v -= v.mean()  # a constant added to K must not hide it
    v /= np.linalg.norm(v)
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
    """It is not an inner product, but one between functions whose coefficients sum to 0."""

    def below(A, B):
        return A @ B.T - 10.0

    X = np.random.default_rng(0).standard_normal((30, 2))
    y = X[:, 0] > 0.5
    model = L.KernelPerceptron(kernel=below, max_iter=10_000).fit(X, y)
    scores = model.dual_coef_[0] @ below(X[model.support_], X) + model.intercept_
    assert_allclose(model.decision_function(X), scores, rtol=1e-8)
    with pytest.raises(NotApplicable, match="is not an inner product on these rows"):
        L.KernelPerceptron(kernel=below, fit_intercept=False).fit(X, y)


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


# Kernel machines of rows far from 0: the machine of the rows near 0, and the scores that its attributes state

OWN = {  # the kernels with the parameters below, row by row
    "linear": lambda A, B: A @ B.T,
    "polynomial": lambda A, B: (0.2 * A @ B.T + 1) ** 2,
    "less": lambda A, B: A @ B.T - 5.0,  # an inner product after a constant is added
    "gaussian": lambda A, B: np.exp(-0.2 * ((A[:, None] - B) ** 2).sum(axis=-1)),
}


def data(classes):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(90, 3)) * 256) / 256  # X + c is exact
    return X, (X + rng.gumbel(size=(90, 3)))[:, :classes].argmax(axis=1)


def model(kernel, **params):
    options = {"gamma": 0.2, "coef0": 1.0, "degree": 2, "strength": 0.01}
    return L.KernelLogisticRegression(kernel=kernel, **options, **params)


@each("far", [1e3, 1e5, 1e7])
@each("classes", [2, 3])
@each("kernel", ["linear", "gaussian"])
def test_translation_invariant_kernels_give_the_machine_of_centred_rows(kernel, classes, far):
    X, y = data(classes)
    near, moved = model(kernel).fit(X, y), model(kernel).fit(X + far, y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.objective_ == pytest.approx(near.objective_, rel=1e-6)
    assert_allclose(moved.decision_function(X + far), near.decision_function(X), atol=1e-4)


@each("far", [0.0, 20.0])
@each("classes", [2, 3])
@each("kernel", OWN)
def test_scores_are_those_of_the_attributes(kernel, classes, far):
    X, y = data(classes)
    X += far
    fit = model(OWN[kernel] if kernel == "less" else kernel).fit(X, y)
    fresh = X[:20] + 0.125
    Z = OWN[kernel](fresh, X[fit.support_]) @ fit.dual_coef_.T + fit.intercept_
    found = fit.decision_function(fresh)
    assert_allclose(found, Z[:, 0] if classes == 2 else Z, rtol=1e-6, atol=1e-6)


@each("far", [1e3, 1e5])
@each("kernel", [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 1}])
@each("kind", [L.KernelLogisticRegression, L.KernelSVM, L.SupportVectorRegressor])
def test_sparse_rows_far_from_0_give_the_machine_of_the_dense_ones(kind, kernel, far):
    """Their inner products once kept none of the digits of their differences: max_iter, with a certificate of 1."""
    X, y = data(2)
    X[::3, 2] = 0
    X[:, :2] += far  # the last column stays sparse
    dense, fit = (kind(tol=1e-8, **kernel).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    assert dense.status_ == fit.status_ == "converged", fit.reason_
    assert fit.objective_ == pytest.approx(dense.objective_, rel=1e-7)
    score = "predict" if kind is L.SupportVectorRegressor else "decision_function"
    found = getattr(fit, score)(sparse.csr_array(X[:20]))
    assert_allclose(found, getattr(dense, score)(X[:20]), atol=1e-3)


@each("container", [np.asarray, sparse.csr_array])
@each("kernel", [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 1}])
def test_the_linear_machine_has_the_minimum_of_the_linear_svm_on_two_far_clusters(
    kernel, container
):
    """No centre brings both near 0, so the matrix of the kernel has lost the digits that features keep."""
    X, _ = data(2)
    X[::3] += 2.0**13
    y = np.random.default_rng(1).integers(0, 2, len(X))
    fit = L.KernelSVM(gamma=1.0, **kernel).fit(container(X), y)
    linear = L.LinearSVM().fit(X, y)
    assert fit.status_ == linear.status_ == "converged", fit.reason_
    assert fit.objective_ == pytest.approx(linear.objective_, rel=1e-6)
    assert_allclose(fit.decision_function(X), linear.decision_function(X), atol=2e-3)


@each("loss", ["hinge", "squared_hinge"])
def test_the_certificate_is_that_of_the_coefficients(loss):
    """Features replace the kernel. Their weights once had a certificate of 0.007, and the machine of the coefficients,
    which predicts, 45 times the least objective.
    """
    X = np.random.default_rng(0).normal(size=(170, 20))
    noise = np.random.default_rng(1).normal(size=170)
    y, strengths = X[:, 0] + noise > 0, np.geomspace(10, 1e-7, 9)
    machines = L.KernelSVM(kernel="linear", loss=loss, tol=1e-2).path(X, y, strengths)
    exact = L.LinearSVM(loss=loss, tol=1e-8).path(X, y, strengths)
    for fit, best in zip(machines, exact, strict=True):
        assert fit.status_ == "converged"
        slacks = np.maximum(1 - np.where(y, 1, -1) * fit.decision_function(X), 0)
        losses = slacks if loss == "hinge" else slacks**2
        own = losses.mean() + fit.strength / 2 * np.square(fit.coef_).sum()
        assert own <= best.objective_ / (1 - 1.001e-2)
        assert own == pytest.approx(fit.objective_, rel=1e-6)


@pytest.mark.filterwarnings("ignore:KernelSVM ended max_iter")
def test_coefficients_without_a_certificate_are_kept_and_not_converged(monkeypatch):
    monkeypatch.setattr(kernel_machine, "certify", lambda point, slopes: np.inf)
    X, y = data(2)
    fit = L.KernelSVM(kernel="linear").fit(X, y)
    assert fit.status_ == "max_iter"
    assert fit.score(X, y) > 0.6


# Support vector regression of targets far from 0, c + s·y: the function c + s·f, for the intercept is free.

POWER = {"epsilon_insensitive": 1, "squared_epsilon_insensitive": 2}  # of s in the loss of s·r


def regressor(kernel, loss, s):
    strength = 1e-3 * s ** (POWER[loss] - 2)
    options = {"epsilon": 0.125 * s, "strength": strength}
    return L.SupportVectorRegressor(kernel=kernel, loss=loss, **options)


@each(("c", "s"), [(5.0, 2.0**-23), (1e6, 1.0), (-1e8, 1.0)])
@each("loss", POWER)
@each("kernel", ["linear", "gaussian"])
def test_far_targets_give_the_function_of_near_ones(kernel, loss, c, s):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=60)
    y = np.round(y * 256) / 256  # c + s·y is exact
    near, far = regressor(kernel, loss, 1.0).fit(X, y), regressor(kernel, loss, s).fit(X, c + s * y)
    assert far.status_ == near.status_ == "converged"
    assert_allclose((far.predict(X) - c) / s, near.predict(X), atol=1e-6)
