"""Generated classes have the requested moments, and a seed fixes every row."""

import numpy as np
import pytest
from cases import each
from scipy.stats import norm

from linclass import datasets as synthetic

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


def test_rows_of_a_singular_gaussian_lie_in_its_subspace():
    ones = np.ones((2, 2)).tolist()
    X, _ = synthetic.generate("gaussians", 1, means=[[0, 0]], rows=[50], covariances=ones)
    np.testing.assert_allclose(X[:, 0], X[:, 1], atol=1e-7)


WRONG = {
    "names": ({"means": MEANS, "rows": [1]}, r"rows: \[1\] is for 1 class, means for 2"),
    "ragged": ({"means": [[1, 2], [1]], "rows": [1, 1]}, "means: lists of different lengths"),
    "flat": ({"means": [1, 2], "rows": [1, 1]}, "not a list with a list of numbers per class"),
    "word": ({"means": MEANS, "rows": [1, 1], "covariances": "unit"}, "'unit' is not known"),
    "shape": (
        {"means": MEANS, "rows": [1, 1], "covariances": [[1, 0], [0, 1]]},
        "2 × 2 numbers; give",
    ),
    "ragged matrix": (
        {"means": MEANS, "rows": [1, 1], "covariances": [[1, 0], [1]]},
        "different sizes",
    ),
    "lopsided": (
        {"means": [[0, 0]], "rows": [1], "covariances": [[1, 0.5], [0, 1]]},
        "is not symmetric",
    ),
    "indefinite": (
        {"means": [[0, 0]], "rows": [1], "covariances": [[1, 2], [2, 1]]},
        "negative eigenvalue -1",
    ),
}


@each("case", WRONG)
def test_parameters_that_cannot_work_are_refused(case):
    parameters, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        synthetic.generate("gaussians", **parameters)


def test_a_generator_that_does_not_exist_is_reported():
    with pytest.raises(ValueError, match="no generator 'moons'; there are: circles, "):
        synthetic.generate("moons")


def drawn(**given):
    return {
        "source": {"generate": "gaussians", "means": [[0, 0], [2, 2]], "rows": [30, 30]} | given
    }


def test_generated_data_have_a_known_bayes_error(obtain):
    # Δ = 2√2 between equally likely classes with Σ = I: Φ(−Δ/2)
    assert obtain(drawn()).bayes_error == (pytest.approx(norm.cdf(-np.sqrt(2)), rel=1e-12), 0)
    # priors ¼ and ¾: the boundary moves by ln 3 / Δ
    delta, shift = 2 * np.sqrt(2), np.log(3) / (2 * np.sqrt(2))
    parts = norm.cdf([shift - delta / 2, -shift - delta / 2])
    assert obtain(drawn(rows=[15, 45])).bayes_error[0] == pytest.approx(parts @ [1 / 4, 3 / 4])
    unlike = drawn(means=[[0, 0], [2, 2], [0, 3]], covariances=[1, 2, 3], rows=[9] * 3)
    assert 0 < obtain(unlike).bayes_error[1] < 1e-3


@pytest.mark.parametrize(
    "entry",
    [
        drawn() | {"classes": {"a": ["0"], "b": ["1"]}},
        drawn() | {"drop": ["x1"]},
        drawn() | {"group": "x1"},
        drawn(covariances=[[1, 1], [1, 1]]),
        drawn() | {"test": drawn(means=[[0, 0], [1, 1]])["source"]},
        {"source": {"sklearn": "iris"}},
    ],
)
def test_real_data_have_no_known_bayes_error(obtain, entry):
    assert obtain(entry).bayes_error is None
