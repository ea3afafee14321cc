"""Generated data, and the plane on which a data set is drawn."""

import numpy as np
import pytest
from cases import each
from scipy import sparse
from scipy.stats import norm

from linclass import LinearDiscriminantAnalysis
from linclass import datasets as synthetic
from linclass.base.tables import Table
from linclass_study.data.plane import plane

N = 20_000
MEANS = [[0.0, 1.0, -2.0], [3.0, 0.0, 0.0]]
SHARED = [[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.5]]
FORMS = {
    "identity": ("identity", [np.eye(3), np.eye(3)]),
    "a variance per class": ([4.0, 0.25], [4 * np.eye(3), np.eye(3) / 4]),
    "one matrix": (SHARED, [np.array(SHARED)] * 2),
    "a matrix per class": ([SHARED, np.eye(3).tolist()], [np.array(SHARED), np.eye(3)]),
    "a singular matrix": (np.ones((3, 3)).tolist(), [np.ones((3, 3))] * 2),
}


@each("form", FORMS)
def test_gaussians_have_their_means_and_covariances(form):
    given, covariances = FORMS[form]
    X, y = synthetic.generate("gaussians", 5, means=MEANS, rows=[N, 2 * N], covariances=given)
    assert np.bincount(y).tolist() == [N, 2 * N]
    for code, covariance in enumerate(covariances):
        rows = X[y == code]
        variances = np.diag(covariance)
        # 5 standard errors: Var of a mean is σ²/n, of a covariance (σᵢ²σⱼ² + σᵢⱼ²)/n
        assert (np.abs(rows.mean(axis=0) - MEANS[code]) < 5 * np.sqrt(variances / len(rows))).all()
        error = np.sqrt((np.outer(variances, variances) + covariance**2) / len(rows))
        assert (np.abs(np.cov(rows.T) - covariance) < 5 * error + 1e-12).all()
    if form == "a singular matrix":  # all rows are in its subspace
        np.testing.assert_allclose((X - np.array(MEANS)[y]).std(axis=1), 0, atol=1e-7)


WRONG = {
    "names": ({"means": MEANS, "rows": [1]}, r"rows: \[1\] is for 1 class, means for 2"),
    "ragged": ({"means": [[1, 2], [1]], "rows": [1, 1]}, "means: lists of different lengths"),
    "flat": ({"means": [1, 2], "rows": [1, 1]}, "not a list with a list of numbers per class"),
    "word": ({"means": MEANS, "rows": [1, 1], "covariances": "unit"}, "'unit' is not known"),
    "shape": ({"means": MEANS, "rows": [1, 1], "covariances": [[1, 0], [0, 1]]}, "2 × 2 numbers; give"),
    "ragged matrix": ({"means": MEANS, "rows": [1, 1], "covariances": [[1, 0], [1]]}, "different sizes"),
    "lopsided": ({"means": [[0, 0]], "rows": [1], "covariances": [[1, 0.5], [0, 1]]}, "is not symmetric"),
    "indefinite": ({"means": [[0, 0]], "rows": [1], "covariances": [[1, 2], [2, 1]]}, "negative eigenvalue -1"),
}  # fmt: skip


@each("case", WRONG)
def test_parameters_that_cannot_work_are_refused(case):
    parameters, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        synthetic.generate("gaussians", **parameters)


def test_an_unknown_generator_is_reported_with_those_there_are():
    with pytest.raises(ValueError, match="no generator 'moons'; there are: circles, "):
        synthetic.generate("moons")


def drawn(**given):
    gaussians = {"generate": "gaussians", "means": [[0, 0], [2, 2]], "rows": [30, 30]}
    return {"source": gaussians | given}


def test_generated_data_have_a_known_bayes_error(obtain):
    # Δ = 2√2 between equally likely classes with Σ = I: Φ(−Δ/2)
    assert obtain(drawn()).bayes_error == (pytest.approx(norm.cdf(-np.sqrt(2)), rel=1e-12), 0)
    # priors ¼ and ¾: the boundary moves by ln 3 / Δ
    delta, shift = 2 * np.sqrt(2), np.log(3) / (2 * np.sqrt(2))
    parts = norm.cdf([shift - delta / 2, -shift - delta / 2])
    assert obtain(drawn(rows=[15, 45])).bayes_error[0] == pytest.approx(parts @ [1 / 4, 3 / 4])
    unlike = drawn(means=[[0, 0], [2, 2], [0, 3]], covariances=[1, 2, 3], rows=[9] * 3)
    assert 0 < obtain(unlike).bayes_error[1] < 1e-3


@each("entry", [
    drawn() | {"classes": {"a": ["0"], "b": ["1"]}},
    drawn() | {"drop": ["x1"]},
    drawn() | {"group": "x1"},
    drawn(covariances=[[1, 1], [1, 1]]),
    drawn() | {"test": drawn(means=[[0, 0], [1, 1]])["source"]},
    {"source": {"sklearn": "iris"}},
])  # fmt: skip
def test_real_data_have_no_known_bayes_error(obtain, entry):
    assert obtain(entry).bayes_error is None


def rows(classes, n=300, p=6):
    """Correlated columns of unlike scales, with a mean for each class."""
    rng = np.random.default_rng(classes)
    y = (np.arange(n) % classes).astype(np.int32)
    X = (rng.normal(size=(n, p)) + rng.normal(size=(classes, p))[y]) @ rng.normal(size=(p, p))
    return X * 10.0 ** np.arange(-2, p - 2) + 5, y


def table(X, levels=None):
    return Table(X, tuple(f"x{j}" for j in range(X.shape[1])), levels or {})


@each("classes", [2, 3, 5])
def test_coordinates_have_unit_covariance_within_classes_and_points_have_their_coordinates(classes):
    X, y = rows(classes)
    found = plane(table(X), y)
    U = found.coordinates(X)
    R = U - np.stack([U[y == k].mean(axis=0) for k in range(classes)])[y]
    np.testing.assert_allclose(R.T @ R / (len(y) - classes), np.eye(2), atol=1e-4)
    np.testing.assert_allclose(found.coordinates(found.points(U)), U, atol=1e-4)


@each("classes", [2, 3])
def test_lda_on_the_plane_gives_the_predictions_of_lda_on_all_features(classes):
    X, y = rows(classes)
    found = plane(table(X), y)
    fit = LinearDiscriminantAnalysis().fit(X, y)
    same = fit.predict(found.points(found.coordinates(X))) == fit.predict(X)
    assert same.mean() > 0.995  # RIDGE and rounding move the boundary a little
    assert (fit.predict(X) == y).mean() < 1  # so that there was something to disagree on


def test_the_plane_of_two_classes_has_the_lda_direction_and_the_direction_of_largest_variance():
    X, y = rows(2)
    found = plane(table(X), y)
    S = np.cov(X - np.stack([X[y == k].mean(axis=0) for k in (0, 1)])[y], rowvar=False)
    w = np.linalg.solve(S, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    first, second = found.weights.T
    cosine = first @ S @ w / np.sqrt((first @ S @ first) * (w @ S @ w))
    assert abs(cosine) == pytest.approx(1, abs=1e-7)
    # Among directions that are uncorrelated with the first within classes, of one length in standardized columns.
    rng, s = np.random.default_rng(0), X.std(axis=0)
    for other in rng.normal(size=(200, 6)) / s:
        v = other - w * (w @ S @ other) / (w @ S @ w)

        def variance(u):
            return (u @ S @ u) / ((u * s) @ (u * s))

        assert variance(v) <= variance(second) * (1 + 1e-3)


def test_a_plane_needs_two_features_and_passes_over_categories():
    X, y = rows(2, p=2)
    found = plane(table(X), y)
    assert found.names == ("x0", "x1")
    assert (found.coordinates(X) == X).all()
    assert (found.points(X) == X).all()
    X, y = rows(2, p=4)
    X[:, 3] = np.arange(len(y)) % 3 == 0
    X[0, 0] = np.nan
    found = plane(table(X, {"x3": ("often", "seldom")}), y)
    assert (found.points(np.array([[1.0, -2.0], [0, 3]]))[:, 3] == 0).all()
    filled = X.copy()
    filled[0, 0] = np.nanmean(X[:, 0])
    np.testing.assert_allclose(found.coordinates(X), found.coordinates(filled), atol=1e-4)


@each(("X", "words"), [
    (sparse.csr_array(np.eye(4)), "its 4 features are sparse"),
    (np.arange(4.0)[:, None], "two numeric features, and it has 1"),
    (np.eye(4, 400), "400 features, more than the 300"),
    (np.tile([[1.0, 2, 3]], (4, 1)), "fewer than two"),
])  # fmt: skip
def test_data_without_a_plane_give_the_reason(X, words):
    assert words in plane(table(X), np.array([0, 1, 0, 1]))
