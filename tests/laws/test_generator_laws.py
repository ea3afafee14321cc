"""Laws of every generator: seeds, numbers of rows, keys; and the theorem that each one illustrates."""

import inspect
from itertools import pairwise

import numpy as np
import pytest
from cases import each
from scipy import sparse
from scipy.stats import norm, t

import linclass as L
from linclass import datasets as synthetic
from linclass.datasets.keys import keys_schema

NEEDED = {"gaussians": {"means": [[0.0, 1.0], [2.0, 2.0]]}}


def draw(name, seed=0, rows=(30, 20), **given):
    return synthetic.generate(name, seed, rows=list(rows), **NEEDED.get(name, {}) | given)


def bayes(name, rows=(30, 20), **given):
    return synthetic.bayes_error(name, rows=list(rows), **NEEDED.get(name, {}) | given)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@each("name", synthetic.names())
def test_a_seed_fixes_every_row_and_every_key_has_a_kind_and_a_word(name):
    X, y = draw(name, 3)
    np.random.seed(0)  # noqa: NPY002, a foreign library may do so
    again, other = draw(name, 3)[0], draw(name, 4)[0]
    np.testing.assert_array_equal(dense(X), dense(again))
    assert (dense(X) != dense(other)).any()
    assert np.bincount(y).tolist() == [30, 20]
    assert y.dtype == np.int32
    assert (np.diff(y) >= 0).all()
    assert np.isfinite(dense(X)).all()
    assert dense(X).dtype == np.float64
    output = keys_schema(synthetic.generator(name))
    parameters = list(inspect.signature(synthetic.generator(name)).parameters)
    assert parameters[0] == "rng"
    assert list(output["properties"]) == parameters[1:]
    assert all(len(key["description"]) > 5 for key in output["properties"].values())
    assert "rows" in output["required"]
    known = getattr(inspect.getmodule(synthetic.generator(name)), f"error_of_{name}")
    assert [*inspect.signature(known).parameters] == parameters[1:]


RULES = {  # rules that learn the best boundary of a generator from enough rows
    "correlated_groups": L.LinearDiscriminantAnalysis,
    "gaussians": L.LinearDiscriminantAnalysis,
    "heavy_tailed": L.LinearDiscriminantAnalysis,
    "high_dimensional_sparse": L.BernoulliNB,
    "masking": L.LinearDiscriminantAnalysis,
    "simplex": L.LinearDiscriminantAnalysis,
    "unequal_covariances": L.QuadraticDiscriminantAnalysis,
}
SOME = {
    "heavy_tailed": {"degrees": 5.0},  # the mean of Cauchy's would be no centre
    "high_dimensional_sparse": {"features": 200, "informative": 10},
}


@each("name", RULES)
def test_the_right_model_is_as_good_as_any_and_noise_costs_what_the_formula_says(name):
    rows, given = (20_000, 20_000), SOME.get(name, {})
    train, test = (draw(name, seed, rows, **given) for seed in (1, 2))
    best, within = bayes(name, rows, **given)
    # four deviations of a share of 40,000 rows, and 1/500 for what was not learned
    slack = 4 * np.sqrt(best * (1 - best) / 40_000) + 4 * within
    error = 1 - RULES[name]().fit(*train).score(*test)
    assert -slack < error - best < slack + 0.002
    noisy = bayes(name, rows, **given, label_noise=0.2)[0]
    assert noisy == pytest.approx(0.2 + 0.6 * best)  # η + ε (1 − 2η)
    X, y = draw(name, 5, (500, 500))
    same, labels = draw(name, 5, (500, 500), label_noise=0.2)
    np.testing.assert_array_equal(dense(X), dense(same))
    assert abs((labels != y).mean() - 0.2) < 4 * np.sqrt(0.16 / 1000)


def test_noise_takes_all_other_classes_alike_and_bayes_error_follows():
    _, y = draw("simplex", 0, (8000,) * 3)
    _, noisy = draw("simplex", 0, (8000,) * 3, label_noise=0.3)
    shares = np.bincount((noisy - y) % 3, minlength=3) / len(y)
    np.testing.assert_allclose(shares, [0.7, 0.15, 0.15], atol=4 * np.sqrt(0.21 / 24_000))
    clean = bayes("simplex", (1, 1, 1))[0]
    assert bayes("simplex", (1, 1, 1), label_noise=0.3)[0] == pytest.approx(0.3 + clean * 0.55)


GENERATORS = {
    name: inspect.signature(synthetic.generator(name)).parameters for name in synthetic.names()
}


@each(("name", "wrong", "words"), [
    ("circles", {"radii": [1, 2, 3]}, r"radii: \[1, 2, 3\] is for 3 classes, rows for 2"),
    ("circles", {"radii": [1, 2], "rows": [10, 10, 10]}, "."),
    ("correlated_groups", {"groups": 3, "informative": 4}, "informative: 4 is more than the 3 groups; give fewer"),
    ("gaussians", {"rows": [10, 10, 10]}, "."),
    ("gaussians", {"covariances": [1.0, -1.0]}, "."),
    ("high_dimensional_sparse", {"features": 80, "informative": 50}, "features: 80 is less than 50 for each"),
    ("simplex", {"rows": [10, 10, 10], "features": 2}, "."),
    ("simplex", {"rows": [5] * 3, "label_noise": 0.7}, r"label_noise: 0\.7 leaves no signal with 3 classes"),
    *((name, {"rows": [10, 0]}, ".") for name in GENERATORS),
    *((name, {"distance": -4}, ".") for name, own in GENERATORS.items() if "distance" in own),
])  # fmt: skip
def test_the_bayes_error_refuses_parameters_that_the_generator_refuses(name, wrong, words):
    """Beyond that noise the best class is another one."""
    keys = NEEDED.get(name, {}) | {"rows": [10, 10]} | wrong
    with pytest.raises(ValueError, match=words) as drawing:
        synthetic.generate(name, **keys)
    with pytest.raises(ValueError, match=words) as knowing:
        synthetic.bayes_error(name, **keys)
    assert str(knowing.value) == str(drawing.value)


def test_regression_on_indicators_never_sees_the_middle_class():
    """With fewer rows than each of the others its fitted value, about its share, is never the largest."""
    X, y = draw("masking", 0, (400, 250, 400))
    assert (L.LeastSquaresClassifier().fit(X, y).predict(X) != 1).all()
    lda = L.LinearDiscriminantAnalysis().fit(X, y).predict(X)
    assert (lda[y == 1] == 1).mean() > 0.9
    # Φ(−δ/2) on each outer side, twice that in the middle, δ = 4
    assert bayes("masking", (1, 1, 1))[0] == pytest.approx(4 / 3 * norm.cdf(-2), abs=1e-8)


def test_features_of_a_group_are_correlated_and_those_of_two_groups_are_not():
    X, y = draw("correlated_groups", 0, (20_000, 10), groups=3, size=4, correlation=0.6)
    C = np.corrcoef(X[y == 0].T)
    expected = np.kron(np.eye(3), np.full((4, 4), 0.6)) + np.kron(np.eye(3), 0.4 * np.eye(4))
    np.testing.assert_allclose(C, expected, atol=5 / np.sqrt(20_000))
    X, y = draw("correlated_groups", 0, (4000, 4000), groups=3, size=4, informative=1, shift=2.0)
    shift = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(shift, [2.0] * 4 + [0.0] * 8, atol=5 * np.sqrt(2 / 4000))


def test_circles_are_separable_by_squares_and_by_no_hyperplane():
    X, y = draw("circles", 0, (100, 100), noise=0.02)
    assert L.separability(X, y).kind == "none"
    assert L.separability(X**2, y).kind == "complete"
    radius = np.sqrt((X**2).sum(axis=1))
    np.testing.assert_allclose([radius[y == k].mean() for k in (0, 1)], [1, 2], atol=0.01)
    # the densities of 1 + σz and 2 + σz are equal half way: Φ(−0.5/σ); σ = 0.1 leaves none at 0
    assert bayes("circles", (5, 5), noise=0.2)[0] == pytest.approx(norm.cdf(-2.5), rel=1e-8)
    assert bayes("circles", (3, 1), radii=[1, 1], noise=0.0)[0] == 0.25


@each(("margin", "spread", "features"), [(0.5, 1.0, 2), (0.01, 2.0, 7)])
def test_the_largest_margin_is_the_requested_one(margin, spread, features):
    """By construction: two rows 2γ apart, and a direction along which all classes are; a test set has it too."""
    given = {"margin": margin, "spread": spread, "features": features}
    X, y = draw("separable", 3, (40, 60), **given)
    assert L.largest_margin(X, y).margin == pytest.approx(margin, rel=1e-6)
    assert np.linalg.norm(X[0] - X[40]) == pytest.approx(2 * margin, rel=1e-9)
    for rows, labels in ((X, y), draw("separable", 4, (40, 60), **given)):
        along = rows @ (X[40] - X[0]) / (2 * margin)
        assert along[labels == 0].max() <= -margin * (1 - 1e-9)
        assert along[labels == 1].min() >= margin * (1 - 1e-9)


def test_tails_are_those_of_students_t():
    """The excess kurtosis of t_ν is 6/(ν − 4); of its mean over 200,000 rows the deviation is
    below 0.03 for ν = 20, where the eighth moment is close to a Gaussian's."""
    X, y = draw("heavy_tailed", 0, (200_000, 10), degrees=20.0)
    x = X[y == 0]
    excess = (x**4).mean(axis=0) / (x**2).mean(axis=0) ** 2 - 3
    np.testing.assert_allclose(excess, 6 / 16, atol=0.12)
    X, y = draw("heavy_tailed", 1, (200_000, 10), degrees=1.5)
    beyond = (np.abs(X[y == 0]) > 10).mean(axis=0)
    np.testing.assert_allclose(beyond, 2 * t.sf(10, 1.5), rtol=0.1)
    assert bayes("heavy_tailed", (5, 5), degrees=1.0)[0] == pytest.approx(t.cdf(-1.5, 1))
    assert bayes("heavy_tailed", (5, 6)) is None


@each("rows", [(1, 1), (3, 7)])
def test_the_error_of_sparse_classes_is_the_sum_over_all_counts(rows):
    """By brute force over every row of 0 and 1 of two classes with two features each."""
    given = {"features": 4, "informative": 2, "density": 0.2, "informative_density": 0.6}
    p = np.array([[0.6, 0.6, 0.2, 0.2], [0.2, 0.2, 0.6, 0.6]])
    bits = (np.arange(16)[:, None] >> np.arange(4)) & 1
    joint = np.array(rows) / sum(rows) * np.prod(np.where(bits[:, None], p, 1 - p), axis=2)
    found = bayes("high_dimensional_sparse", rows, **given)[0]
    assert found == pytest.approx(1 - joint.max(axis=1).sum(), rel=1e-12)


def test_sparse_rows_are_csr_with_their_densities_and_do_not_depend_on_blocks(monkeypatch):
    given = {"features": 2000, "informative": 50, "density": 0.01, "informative_density": 0.2}
    X, y = draw("high_dimensional_sparse", 0, (300, 300), **given)
    assert sparse.issparse(X)
    assert X.format == "csr"
    assert (X.data == 1).all()
    for k, block in enumerate(pairwise([0, 50, 100])):
        own = X[np.flatnonzero(y == k)][:, slice(*block)].mean()
        assert own == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 15_000))
    assert X[:, 100:].mean() == pytest.approx(0.01, rel=0.05)
    monkeypatch.setattr("linclass.datasets.generators.BLOCK", 5000)
    again, _ = draw("high_dimensional_sparse", 0, (300, 300), **given)
    assert (again != X).nnz == 0
