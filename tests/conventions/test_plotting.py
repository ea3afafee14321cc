"""Displays show what fits have, computed here from their coefficients and predictions."""

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from matplotlib import pyplot
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

import linclass as L
from linclass.plotting import (
    BoundaryDisplay,
    CoefficientDisplay,
    ConvergenceDisplay,
    PathDisplay,
    ReliabilityDisplay,
    boundary_lines,
)

matplotlib.use("agg")
rng = np.random.default_rng(0)
THREE = np.arange(120) % 3
X = rng.normal(size=(120, 2)) + 1.5 * np.array([[0, 0], [1, 0.3], [0.2, 1]])[THREE]
TWO = (THREE > 0).astype(int)
WIDE = np.column_stack([X, rng.normal(size=(120, 3)) * [2.0, 0.1, 0.5]])


@pytest.fixture
def ax():
    return Figure().subplots()


def points(line):
    """The points of a line, without the gaps."""
    xy = np.asarray(line.get_xydata())
    return xy[~np.isnan(xy[:, 0])]


def test_the_boundary_of_a_linear_classifier_is_its_hyperplane(ax):
    fit = L.LogisticRegression().fit(X, TWO)
    display = BoundaryDisplay.from_estimator(fit, X, TWO, levels=(0, 1), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    for level, line in zip((0, 1), ax.lines, strict=False):
        assert len(points(line)) > 10
        assert_allclose(fit.decision_function(points(line)), level, atol=1e-9)
    drawn = np.concatenate([points(line) for line in ax.lines[2:]])
    assert_array_equal(drawn, np.concatenate([X[k == TWO] for k in (0, 1)]))


@each("model", [L.LinearDiscriminantAnalysis(), L.QuadraticDiscriminantAnalysis()])
def test_each_pair_of_classes_has_its_boundary_once(model):
    fit = model.fit(X, np.array(["a", "b", "c"])[THREE])
    display = BoundaryDisplay.from_estimator(fit, X)
    pyplot.close(display.figure_)
    (fields,) = display.fields
    xy = boundary_lines(display.x, display.y, fields)
    Z = np.sort(fit.decision_function(xy[~np.isnan(xy[:, 0])]), axis=1)
    step = np.ptp(display.x) / 199
    assert (Z[:, -1] - Z[:, -2] < 3 * step * np.abs(Z).max()).all()
    only_second = np.stack([fields[1], fields[2]])  # lines of the second class alone
    again = boundary_lines(display.x, display.y, only_second)
    first = boundary_lines(display.x, display.y, np.stack([fields[0], -fields[0]]))
    lengths = [np.nansum(np.hypot(*np.diff(line, axis=0).T)) for line in (xy, first, again)]
    shared = _shared_length(fit, again)
    assert lengths[0] == pytest.approx(lengths[1] + lengths[2] - shared, rel=0.02)


def _shared_length(fit, line):
    """Length of the part of the second class's boundary that is with the first class."""
    middle = (line[1:] + line[:-1]) / 2
    known = ~np.isnan(middle[:, 0])
    Z = fit.decision_function(middle[known])
    steps = np.hypot(*np.diff(line, axis=0)[known].T)
    return steps[Z[:, 0] > Z[:, 2]].sum()


def test_more_features_are_cut_along_principal_directions(ax):
    frame = pd.DataFrame(WIDE, columns=[*"abcde"])
    fit = L.LogisticRegression().fit(frame, TWO)
    display = BoundaryDisplay.from_estimator(fit, frame, TWO, ax=ax)
    pca = PCA(2).fit(WIDE)
    signs = np.sign((pca.transform(WIDE) * display.rows).sum(axis=0))
    assert_allclose(display.rows, pca.transform(WIDE) * signs, atol=1e-10)
    back = pca.inverse_transform(points(ax.lines[0]) * signs)
    assert_allclose(L.LogisticRegression().fit(WIDE, TWO).decision_function(back), 0, atol=1e-8)
    assert ax.get_xlabel() == "first principal direction"


def test_several_fits_have_a_line_each_and_features_their_names(ax):
    columns = ["length", "width"]
    frame = pd.DataFrame(X, columns=columns)
    fits = {
        m.__name__: m().fit(frame, TWO)
        for m in (L.LinearDiscriminantAnalysis, L.LogisticRegression)
    }
    BoundaryDisplay.from_estimator(fits, frame, TWO, ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*fits]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    of_polars = BoundaryDisplay.from_estimator(fits, pl.DataFrame(X, schema=columns), TWO)
    assert_array_equal(of_polars.ax_.lines[0].get_xdata(), ax.lines[0].get_xdata())
    for fit, line in zip(fits.values(), ax.lines, strict=False):
        of_line = pd.DataFrame(points(line), columns=frame.columns)
        assert_allclose(fit.decision_function(of_line), 0, atol=1e-9)


def test_regions_of_a_classifier_without_scores_are_its_predictions():
    fit = KNeighborsClassifier(5).fit(X, THREE)
    display = BoundaryDisplay.from_estimator(fit, X, limits=(-2, 3, -2, 3))
    pyplot.close(display.figure_)
    grid = np.stack(np.meshgrid(display.x, display.y), axis=-1).reshape(-1, 2)
    (fields,) = display.fields
    assert_array_equal(fields.argmax(axis=0).ravel(), fit.predict(grid))


@each("y", [TWO, THREE], ids=["two", "three"])
def test_intervals_of_coefficients_are_those_of_the_summary(y):
    fit = L.LogisticRegression(penalty=None).fit(X, y)
    display = CoefficientDisplay.from_estimator(fit, ax=Figure().subplots())
    table = fit.summary().table[-2:]
    assert_allclose(display.estimates, table.estimate)
    assert_allclose(display.high - display.low, 2 * 1.959964 * table.std_error, rtol=1e-6)
    biased = CoefficientDisplay.from_estimator(
        L.LogisticRegression().fit(X, y), ax=Figure().subplots()
    )
    assert_array_equal(biased.low, biased.high)


def test_a_path_shows_the_coefficients_of_each_fit(ax):
    tuned = L.TunedClassifier(L.LogisticRegression(penalty="l1"), strengths=5).fit(WIDE, TWO)
    display = PathDisplay.from_estimator(tuned, ax=ax)
    assert ax.get_xscale() == "log"
    found = {line.get_label(): line.get_ydata() for line in ax.lines}
    for j in range(5):
        assert_array_equal(found[f"x{j}"], tuned.path_.coef_[:, 0, j])
    assert_array_equal(display.x, tuned.path_.strengths)
    path = L.Lasso().path(WIDE, X[:, 0], [1.0, 0.1, 0.01])
    display = PathDisplay.from_estimator(
        path, against="norm", colors={1: "red"}, ax=Figure().subplots()
    )
    assert_allclose(display.x, np.abs(path.coef_).sum(axis=1))
    assert [line.get_color() for line in display.ax_.lines].count("red") == 1


def test_reliability_is_scikit_learns_calibration_curve(ax):
    fit = L.LogisticRegression().fit(X, np.array(["no", "yes"])[TWO])
    display = ReliabilityDisplay.from_estimator(fit, X, np.array(["no", "yes"])[TWO], ax=ax)
    share, predicted = calibration_curve(TWO, fit.predict_proba(X)[:, 1], n_bins=15)
    assert_allclose(display.share, share)
    assert_allclose(display.predicted, predicted)
    assert display.rows.sum() == 120
    assert ((display.low <= display.predicted) & (display.predicted <= display.high)).mean() > 0.9


def test_convergence_is_the_distance_from_the_lowest_objective(ax):
    fits = {
        solver: L.LogisticRegression(solver=solver, trace=True).fit(X, TWO)
        for solver in ("newton", "gradient_descent")
    }
    ConvergenceDisplay.from_estimator(fits, against="seconds", ax=ax)
    best = min(step["objective"] for fit in fits.values() for step in fit.trace_)
    for fit, line in zip(fits.values(), ax.lines, strict=True):
        expected = [step["objective"] - best for step in fit.trace_]
        assert_allclose(line.get_ydata(), np.maximum(expected, 1e-12 * best))
        assert_array_equal(line.get_xdata(), [step["seconds"] for step in fit.trace_])


@each(("draw", "message"), [
    (lambda: BoundaryDisplay.from_estimator(None, X[:, :1]), "a plane needs at least two features"),
    (lambda: PathDisplay.from_estimator([], against="size"), "use 'strength' or 'norm'"),
    (lambda: ConvergenceDisplay.from_estimator(L.LogisticRegression().fit(X, TWO)),
     "LogisticRegression has no trace_; set trace=True"),
    (lambda: PathDisplay.from_estimator(L.LogisticRegression()), r"LogisticRegression has no path_; give"),
    (lambda: BoundaryDisplay.from_estimator(L.LogisticRegression(), X), "LogisticRegression instance is not fitted"),
    (lambda: CoefficientDisplay.from_estimator(L.LogisticRegression()), "LogisticRegression instance is not fitted"),
    (lambda: ReliabilityDisplay.from_estimator(L.LogisticRegression().fit(X, TWO), X, THREE),
     "y holds 2, but the classifier was fitted on labels such as 0"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
