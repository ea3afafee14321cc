"""The plane of decision boundaries: Fisher's directions, on which LDA's regions are LDA itself."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import LinearDiscriminantAnalysis
from linclass.base.tables import Table
from linclass_study.pipeline.plane import plane


def rows(classes: int, n: int = 300, p: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns of unlike scales, with a mean for each class."""
    rng = np.random.default_rng(classes)
    y = (np.arange(n) % classes).astype(np.int32)
    X = (rng.normal(size=(n, p)) + rng.normal(size=(classes, p))[y]) @ rng.normal(size=(p, p))
    return X * 10.0 ** np.arange(-2, p - 2) + 5, y


def names(p: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(p))


@each("classes", [2, 3, 5])
def test_coordinates_have_unit_covariance_within_classes_and_points_have_their_coordinates(classes):
    X, y = rows(classes)
    found = plane(Table(X, names(6)), y)
    U = found.coordinates(X)
    R = U - np.stack([U[y == k].mean(axis=0) for k in range(classes)])[y]
    np.testing.assert_allclose(R.T @ R / (len(y) - classes), np.eye(2), atol=1e-4)
    np.testing.assert_allclose(found.coordinates(found.points(U)), U, atol=1e-4)


@each("classes", [2, 3])
def test_lda_on_the_plane_gives_the_predictions_of_lda_on_all_features(classes):
    X, y = rows(classes)
    found = plane(Table(X, names(6)), y)
    fit = LinearDiscriminantAnalysis().fit(X, y)
    on_plane = fit.predict(found.points(found.coordinates(X)))
    assert (
        on_plane == fit.predict(X)
    ).mean() > 0.995  # RIDGE and rounding move the boundary a little
    assert (fit.predict(X) == y).mean() < 1  # so that there was something to disagree on


def test_the_plane_of_two_classes_has_the_lda_direction_and_the_direction_of_largest_variance():
    X, y = rows(2)
    found = plane(Table(X, names(6)), y)
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


def test_two_features_are_used_as_the_plane():
    X, y = rows(2, p=2)
    found = plane(Table(X, ("length", "width")), y)
    assert found.names == ("length", "width")
    assert (found.coordinates(X) == X).all()
    assert (found.points(X) == X).all()


def test_categories_stay_at_the_commonest_and_missing_values_count_as_the_mean():
    X, y = rows(2, p=4)
    X[:, 3] = np.arange(len(y)) % 3 == 0
    X[0, 0] = np.nan
    found = plane(Table(X, names(4), {"x3": ("often", "seldom")}), y)
    assert (found.points(np.array([[1.0, -2.0], [0, 3]]))[:, 3] == 0).all()
    filled = X.copy()
    filled[0, 0] = np.nanmean(X[:, 0])
    np.testing.assert_allclose(found.coordinates(X), found.coordinates(filled), atol=1e-4)


@each(
    ("table", "words"),
    [
        (Table(sparse.csr_array(np.eye(4)), names(4)), "its 4 features are sparse"),
        (Table(np.arange(4.0)[:, None], names(1)), "two numeric features, and it has 1"),
        (Table(np.eye(4, 400), names(400)), "400 features, more than the 300"),
        (Table(np.tile([[1.0, 2, 3]], (4, 1)), names(3)), "fewer than two"),
    ],
)
def test_data_without_a_plane_give_the_reason(table, words):
    assert words in plane(table, np.array([0, 1, 0, 1]))
