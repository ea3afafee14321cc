"""Figures of fitted models, drawn with Matplotlib in the form of scikit-learn's displays.

    from linclass.plotting import BoundaryDisplay
    BoundaryDisplay.from_estimator(model, X, y).figure_.savefig("boundary.svg")

A display has what it shows as attributes, and `plot` draws it on given axes or on new ones. Matplotlib is imported when
something is drawn, and is not a dependency of linclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from linclass.base.arrays import Array, ArrayLike, EstimatorLike, MatrixLike
from linclass.base.documentation import documented
from linclass.base.validation import feature_names
from linclass.evaluation.metrics.probabilities import BINS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BoundaryDisplay",
    "CoefficientDisplay",
    "ConvergenceDisplay",
    "PathDisplay",
    "ReliabilityDisplay",
    "draw_rows",
]

# Six colours of Okabe and Ito (2008) and two of Tol (2021), which readers with common colour-vision deficiencies can
# distinguish. They have no common factor with the markers, so that neighbouring classes differ in both. Without
# colours, in print, markers and dashes remain.
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#e69f00", "#56b4e9", "#882255", "#999933"),
)
MARKERS = "os^DvPX*<p>dh"
DASHES = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (6, 1, 1, 1)),
    (0, (2.5, 2.5)),
    (0, (6, 1, 1, 1, 1, 1)),
)
INK, MUTED, GRID = "#1f2430", "#68707d", "#dfe3e8"
FINER = 3  # points of the background of regions for each point of the grid
RESOLUTION = 200  # points of the grid in a row
DARKER = 16, 5  # lightness of white minus that of the first and of the last region, about
MARGIN = 0.08  # of the range of the rows, around them
MAX_NAMED = 6  # features of a path with colour and name
COVERED = 0.95  # of the shares of a bin by chance
MAX_VALUES = 5_000_000  # probabilities that are compared with draws, about
DRAWS = 40, 1000  # at least and at most
MIN_EXCESS = 1e-12  # difference of objectives, relative to the lowest: smaller ones are rounding


class Display:
    """What displays share.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes that `plot` drew on.
    figure_ : matplotlib.figure.Figure
        Their figure.
    """

    ax_: Axes
    figure_: Figure

    @classmethod
    def from_estimator(cls, *_: Any, **options: Any) -> Self:
        """Draw a fitted model.

        Parameters
        ----------
        estimator : estimator
            A fitted model.
        ax : matplotlib.axes.Axes or None
            The axes to draw on. None makes a figure.
        **options : dict
            Parameters of `plot`.

        Returns
        -------
        display
            It has been drawn.
        """
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None
            The axes to draw on. None makes a figure.
        color : str
            Colour of lines and markers.
        marker : str
            Marker of the points.
        legend : bool
            Whether to name the lines.
        **line : dict
            Properties of the lines for `Axes.plot`, such as `linewidth`.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def _on(self, ax: Axes | None, x: str, y: str) -> Axes:
        """The axes to draw on, with these labels."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        ax.set(xlabel=x, ylabel=y)
        return ax


def _require_fitted(estimator: Any, attribute: str) -> None:
    if not hasattr(estimator, attribute):
        from sklearn.utils.validation import check_is_fitted  # slow to import

        check_is_fitted(estimator)


def _codes(y: ArrayLike, classes: Array) -> Array:
    """The place of the class of each row in `classes`."""
    y = np.asarray(y)
    if not (known := np.isin(y, classes)).all():
        unknown, first = y[~known][:1].tolist()[0], classes[:1].tolist()[0]
        raise ValueError(
            f"y holds {unknown!r}, but the classifier was fitted on labels such as {first!r}."
        )
    return np.searchsorted(classes, y)


def draw_rows(
    ax: Axes, X: Array, codes: Array, labels: Sequence[str] | None = None, **marks: Any
) -> None:
    """Draw rows of two features, each class with a colour and a marker of its own.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes to draw on.
    X : array of shape (n, 2)
        The rows.
    codes : array of shape (n,)
        The class of each row, 0, …, K − 1.
    labels : sequence of str or None, default=None
        Names of the classes for a legend.
    **marks : dict
        Properties of the markers for `Axes.plot`, such as `markersize`.
    """
    size = float(np.clip(60 / np.sqrt(max(len(X), 1)), 1.2, 3.5))
    usual: Any = {"alpha": 0.6, "markersize": size}
    for k in np.unique(codes):
        style = {"color": COLOURS[k % len(COLOURS)], "label": labels[k] if labels else None}
        ax.plot(*X[codes == k].T, MARKERS[k % len(MARKERS)], **usual | style | marks)


@documented
@dataclass(eq=False)
class BoundaryDisplay(Display):
    """Decision boundaries of one or several fits on a plane: of two features, or of the first two principal directions.

    The boundary of class k is where its field  z_k − max over j ≠ k of z_j  is 0, for scores z. Where a fit has no
    scores that decide its predictions, the fields are ±½, from the predicted classes.

    Parameters
    ----------
    x : array of shape (g,)
        First coordinates of the grid.
    y : array of shape (h,)
        Second coordinates of the grid.
    fields : iterable of arrays of shape (K, h, g)
        Of each fit, positive in the region of a class and negative outside of it. An iterator can be drawn once.
    rows : array of shape (n, 2) or None
        Coordinates of rows to draw.
    codes : array of shape (n,) or None
        Their classes, as the numbers 0, …, K − 1.
    labels : sequence of str
        Names of the fits for a legend; empty for none.
    axis_names : pair of str
        Names of the two coordinates.
    """

    x: Array
    y: Array
    fields: Iterable[Array]
    rows: Array | None = None
    codes: Array | None = None
    labels: Sequence[str] = ()
    axis_names: Sequence[str] = ("", "")

    @classmethod
    def from_estimator(
        cls,
        estimator: EstimatorLike | Mapping[str, EstimatorLike],
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        limits: tuple[float, float, float, float] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the boundaries of fitted classifiers, and rows.

        Parameters
        ----------
        estimator : classifier or dict
            A fitted classifier, or several of the same classes by name.
        X : array or data frame of shape (n, d)
            Rows that show where the data are, d ≥ 2. With more than two features, the plane goes through their mean
            along their first two principal directions; fits are cut by it and rows projected onto it.
        y : array of shape (n,) or None, default=None
            Classes of the rows, which are then drawn.
        limits : (x_min, x_max, y_min, y_max) or None, default=None
            Ends of the plane shown. None is the range of the rows and a margin.
        """
        fits: Mapping[str, Any] = estimator if isinstance(estimator, Mapping) else {"": estimator}
        names, rows = feature_names(X), np.asarray(X, dtype=float)
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise ValueError(f"X has shape {rows.shape}; a plane needs at least two features.")
        for fit in fits.values():
            _require_fitted(fit, "classes_")
        mean, span = np.zeros(2), np.eye(2)
        axis_names = ["x₁", "x₂"] if names is None else [*map(str, names[:2])]
        if rows.shape[1] > 2:
            mean = rows.mean(axis=0)
            span = np.linalg.svd(rows - mean, full_matrices=False)[2][:2]
            axis_names = ["first principal direction", "second principal direction"]
        rows = (rows - mean) @ span.T
        low, high = rows.min(axis=0), rows.max(axis=0)
        room = MARGIN * np.where(high > low, high - low, 1)
        ends = np.column_stack([low - room, high + room]) if limits is None else limits
        x, up = (np.linspace(a, b, RESOLUTION) for a, b in np.reshape(ends, (2, 2)))
        grid: Any = np.stack(np.meshgrid(x, up), axis=-1).reshape(-1, 2) @ span + mean
        if names is not None:
            grid = type(X)(dict(zip(map(str, names), grid.T, strict=True)))
        fields = [_fields(fit, grid).reshape(-1, len(up), len(x)) for fit in fits.values()]
        classes = next(iter(fits.values())).classes_
        codes = None if y is None else _codes(y, classes)
        labels = [name for name in fits if name]
        shown = None if y is None else rows
        return cls(x, up, fields, shown, codes, labels, axis_names).plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        regions: bool = True,
        levels: Sequence[float] = (0.0,),
        colors: Sequence[str] | None = None,
        linestyles: Sequence[Any] = ("-", "--", ":", "-."),
        marks: Mapping[str, Any] | None = None,
        legend: bool = True,
        **line: Any,
    ) -> Self:
        """Draw the boundaries, the regions between them, and the rows.

        Parameters
        ----------
        regions : bool
            Whether the background has the colour of the predicted class, mixed where fits disagree.
        levels : sequence of float
            Scores whose lines are drawn, for two classes; lines other than that of 0 are dashed.
        colors : sequence of str or None
            Colour of the lines of each fit.
        linestyles : sequence
            Style of the lines of each fit.
        marks : dict or None
            Properties of the markers of rows.
        """
        ax = self._on(ax, *self.axis_names)
        colours = colors or (COLOURS[2:] if self.labels else (INK,))
        image, count = np.zeros(()), 0
        for i, fields in enumerate(self.fields):
            for level in levels:
                style: Any = {"color": colours[i % len(colours)], "zorder": 3, "linewidth": 1.3}
                style["linestyle"] = "--" if level else linestyles[i % len(linestyles)]
                style["label"] = self.labels[i] if self.labels and not level else None
                lines = boundary_lines(self.x, self.y, fields, level)
                (drawn,) = ax.plot(*lines.T, **style | line)
                drawn.get_path().should_simplify = True  # Matplotlib skips short paths
            if regions:
                regions_of_fit = tints(len(fields))[interpolated(fields).argmax(axis=0)]
                image, count = image + regions_of_fit, count + 1
        if count:
            right, top = np.diff(self.x[:2])[0] / FINER / 2, np.diff(self.y[:2])[0] / FINER / 2
            place = (self.x[0] - right, self.x[-1] + right, self.y[0] - top, self.y[-1] + top)
            options: Any = {"aspect": ax.get_aspect(), "interpolation": "none", "origin": "lower"}
            ax.imshow(image / count, extent=place, **options)
        low, high = np.array([self.x[[0, -1]], self.y[[0, -1]]]).T
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        if self.rows is not None and self.codes is not None:  # marks at the edge are drawn whole
            seen = ((low <= self.rows) & (high >= self.rows)).all(axis=1)
            style = {"rasterized": len(seen) > 500, "clip_on": False} | dict(marks or {})
            draw_rows(ax, self.rows[seen], self.codes[seen], **style)
        if self.labels and legend:
            ax.legend(frameon=False, fontsize="small")
        return self


def _fields(fit: EstimatorLike, points: Any) -> Array:
    """The fields (K, n) of a fitted classifier."""
    predicted = np.searchsorted(fit.classes_, fit.predict(points))
    k = np.arange(len(fit.classes_))[:, None]
    if hasattr(fit, "decision_function"):
        Z = np.asarray(fit.decision_function(points)).T
        Z = np.stack([-Z / 2, Z / 2]) if Z.ndim == 1 else Z
        if len(Z) == len(k) and np.array_equal(Z.argmax(axis=0), predicted):
            second, first = np.partition(Z, len(Z) - 2, axis=0)[-2:]
            return np.asarray(Z - np.where(k == predicted, second, first))
    return np.where(k == predicted, 0.5, -0.5)


def boundary_lines(x: Array, y: Array, fields: Array, level: float = 0.0) -> Array:
    """Points (m, 2) of the lines where a field (K, h, g) of one fit is zero, NaN between two lines.

    Each pair of classes has its boundary once, among the lines of the first one. A level other than 0 is of the score
    of two classes.
    """
    from contourpy import contour_generator
    from scipy.ndimage import map_coordinates, maximum_filter1d

    gap = np.full((1, 2), np.nan)
    lines: list[Any] = [gap]
    for k, values in enumerate(fields[:-1]):
        if not values.min() <= -level < values.max():
            continue
        before = fields[:k].max(axis=0, initial=-np.inf)
        is_first = np.clip(fields[k + 1 :].max(axis=0) - before, -1, 1)
        contours: Any = contour_generator(x, y, values).lines(-level)
        for line in contours:
            cells = [np.interp(line[:, i], s, np.arange(len(s))) for i, s in ((1, y), (0, x))]
            is_boundary = map_coordinates(is_first, cells, order=1) >= 0
            drawn = maximum_filter1d(is_boundary, 3)  # a point beyond each end
            lines += [np.where(drawn[:, None], line, np.nan), gap]
    return np.concatenate(lines)


def tints(K: int) -> Array:
    """Colours (K, 4) of the regions of K classes: evenly spaced in lightness on white, the first the darkest, so that
    they differ in print without colours, too."""
    from matplotlib.colors import to_rgb

    rgb = np.array([to_rgb(COLOURS[k % len(COLOURS)]) for k in range(K)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    # CIE L*; that of white is 100
    lightness = 116 * np.cbrt(linear @ (0.2126, 0.7152, 0.0722)) - 16
    return np.column_stack([rgb, np.linspace(*DARKER, K) / (100 - lightness)])


def interpolated(fields: Array) -> Array:
    """The fields with FINER − 1 more points between neighbours, linearly interpolated."""
    for axis in (1, 2):
        place = np.arange(FINER * (fields.shape[axis] - 1) + 1) / FINER
        low = np.minimum(place.astype(int), fields.shape[axis] - 2)
        part = (place - low).reshape((-1, 1) if axis == 1 else -1)
        fields = fields.take(low, axis) * (1 - part) + fields.take(low + 1, axis) * part
    return fields


@documented
@dataclass(eq=False)
class CoefficientDisplay(Display):
    """Coefficients with their intervals, one below the other.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    estimates : array of shape (m,)
        A coefficient of each feature.
    low, high : array of shape (m,)
        Ends of its interval.
    values : sequence of arrays
        Coefficients of each feature in several fits, such as those of folds, which are drawn as dots; empty for none.
    """

    names: Sequence[str]
    estimates: Array
    low: Array
    high: Array
    values: Sequence[Array] = ()

    @classmethod
    def from_estimator(
        cls,
        estimator: EstimatorLike,
        *,
        interval: float = 0.95,
        output: int = -1,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the coefficients of a fitted linear model.

        Parameters
        ----------
        estimator : estimator
            A fitted model with `coef_`. Intervals are estimate ± z · standard error, by its `summary()`; of more than
            two classes relative to the first. A model without one has no intervals.
        interval : float
            Probability that a normal estimate is in its interval.
        output : int
            Index of the score, for models with several.
        """
        from scipy.special import ndtri

        _require_fitted(estimator, "coef_")
        w, d = np.atleast_2d(estimator.coef_)[output], estimator.n_features_in_
        names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(d)])
        reach = np.zeros(d)
        try:
            table = estimator.summary().table
        except (AttributeError, ValueError):  # no standard errors
            pass
        else:
            width = d + bool(estimator.fit_intercept)
            w, errors = (
                table[name].reshape(-1, width)[output, -d:] for name in ("estimate", "std_error")
            )
            reach = ndtri((1 + interval) / 2) * errors
        return cls([*map(str, names)], w, w - reach, w + reach).plot(ax, **options)

    def plot(
        self, ax: Axes | None = None, *, color: str = COLOURS[0], marker: str = "o", **line: Any
    ) -> Self:
        """Draw a line for each interval and a marker for each estimate."""
        ax = self._on(ax, "coefficient", "")
        ax.set(xlim=with_room(self.low, self.high), ylim=(len(self.names) - 0.5, -0.5))
        ax.axvline(0, color=MUTED, linewidth=0.6)
        look: Any = {"color": color, "linewidth": 1, "alpha": 0.4} | line
        for row, ends in enumerate(zip(self.low, self.high, strict=True)):
            ax.plot(ends, [row, row], **look)
        for row, values in enumerate(self.values):
            dots(ax, values, np.full(len(values), row), 2.4, color, 0.5)
        rows = np.arange(len(self.names))
        ax.plot(self.estimates, rows, marker, color=color, markersize=5, markeredgecolor="white")
        ax.set_yticks(rows, self.names)
        ax.grid(axis="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return self


def with_room(*values: Array) -> tuple[float, float]:
    """The range of 0 and the values, and 6 % of it at each end."""
    every = np.concatenate([[0.0], *values])
    room = 0.06 * np.ptp(every)
    return float(every.min() - room), float(every.max() + room)


def dots(ax: Axes, x: Any, y: Any, size: float, colour: str, alpha: float = 1.0) -> None:
    """Round dots as one path of very short strokes with round ends.

    As markers, each dot would be an element of the SVG, which would be ten times as large. Strokes of zero length are
    not drawn in a PNG, so the axes' limits must be set to determine a short length.
    """
    low, high = ax.get_xlim()
    strokes = np.full((len(x), 3, 2), np.nan)
    strokes[:, 0] = strokes[:, 1] = np.column_stack([x, y])
    strokes[:, 1, 0] += 1e-4 * (high - low)
    look: Any = {"color": colour, "alpha": alpha, "linewidth": size, "solid_capstyle": "round"}
    (drawn,) = ax.plot(*strokes.reshape(-1, 2).T, **look)
    drawn.set_snap(False)  # snapping to pixels would make the length zero
    drawn.get_path().should_simplify = False


@documented
@dataclass(eq=False)
class PathDisplay(Display):
    """Coefficients along a regularization path.

    Parameters
    ----------
    x : array of shape (m,)
        Strength of each fit, or what else the coefficients are drawn against.
    coefficients : array of shape (m, d)
        The coefficients of each fit.
    names : sequence of str
        Names of the features; empty for x0, x1, ….
    x_name : str
        Name of x; 'strength' has a logarithmic axis.
    """

    x: Array
    coefficients: Array
    names: Sequence[str] = ()
    x_name: str = "strength"

    @classmethod
    def from_estimator(
        cls,
        estimator: EstimatorLike,
        *,
        against: str = "strength",
        output: int = -1,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the path of a tuned model, or one that `path` returned.

        Parameters
        ----------
        estimator : TunedClassifier, TunedRegressor or RegularizationPath
            A fitted model with `path_`, or the fits along a path.
        against : {'strength', 'norm'}
            Whether to draw against the strength or against the L1 norm of the coefficients.
        output : int
            Index of the score, for models with several.
        """
        if against not in ("strength", "norm"):
            raise ValueError(f"against is {against!r}; use 'strength' or 'norm'.")
        path: Any = getattr(estimator, "path_", estimator)
        if not hasattr(path, "__iter__"):
            name = type(estimator).__name__
            raise ValueError(f"{name} has no path_; give the result of its path(X, y, strengths).")
        w = np.array([np.atleast_2d(fit.coef_)[output] for fit in path])
        x = np.abs(w).sum(axis=1) if against == "norm" else np.array([f.strength for f in path])
        name = "L1 norm of the coefficients" if against == "norm" else "strength"
        return cls(x, w, getattr(path[0], "feature_names_in_", ()), name).plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        colors: Mapping[int, str] | None = None,
        others: str = GRID,
        legend: bool = True,
        **line: Any,
    ) -> Self:
        """Draw a line for each feature.

        Parameters
        ----------
        colors : dict or None
            Colours of features, by their indices, each with dashes of its own. None colours those with the largest
            coefficients.
        others : str
            Colour of the other features, which are drawn beneath.
        """
        ax = self._on(ax, self.x_name, "coefficient")
        if self.x_name == "strength":
            ax.set(xscale="log", xlim=(self.x.min(), self.x.max()))
        ax.axhline(0, color=MUTED, linewidth=0.6)
        named = colors or dict(zip(self.largest[:MAX_NAMED], COLOURS, strict=False))
        dashes = dict(zip(named, cycle(DASHES), strict=False))
        below = [j for j in range(self.coefficients.shape[1]) if j not in named]
        for j in [*below, *named]:
            style: Any = {"color": named.get(j, others), "linewidth": 1.3 if j in named else 0.9}
            style["linestyle"] = dashes.get(j, "-")
            style["label"] = (self.names[j] if len(self.names) else f"x{j}") if j in named else None
            ax.plot(self.x, self.coefficients[:, j], **style | line)
        if legend:
            ax.legend(frameon=False, fontsize="small")
        return self

    @property
    def largest(self) -> list[int]:
        """Indices of the features, by the size of their largest coefficient."""
        sizes = np.nanmax(np.abs(self.coefficients), axis=0)
        return sorted(range(len(sizes)), key=lambda j: (-sizes[j], *self.names[j : j + 1]))


@documented
@dataclass(eq=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: in each of 15 bins of predicted probabilities, the share of the rows that are of the class.

    Grey lines cover 95 % of the shares that labels drawn from the probabilities have in a bin, as each share is a
    matter of chance.
    Murphy & Winkler (1977); Bröcker & Smith (2007)

    Parameters
    ----------
    predicted : array of shape (m,)
        Mean predicted probability in each bin that has rows.
    share : array of shape (m,)
        Share of the rows of the bin that are of the class.
    low, high : array of shape (m,)
        Range of 95 % of the shares by chance.
    rows : array of shape (m,)
        Number of rows of the bin.
    calibration_error : float
        Mean distance of the rows from the diagonal.
    by_chance : float
        Its mean if every probability were right.
    """

    predicted: Array
    share: Array
    low: Array
    high: Array
    rows: Array
    calibration_error: float
    by_chance: float

    @classmethod
    def from_estimator(
        cls,
        estimator: EstimatorLike,
        X: MatrixLike,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the diagram of a fitted classifier on rows that it was not fitted to.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with `predict_proba`.
        y : array of shape (n,)
            Classes of the rows.
        """
        _require_fitted(estimator, "classes_")
        codes = _codes(y, estimator.classes_)
        return cls.of(codes, estimator.predict_proba(X)).plot(ax, **options)

    @classmethod
    def of(
        cls, codes: Array, probabilities: Array, positive: int = 1, groups: Array | None = None
    ) -> Self:
        """The diagram of predicted probabilities, which `plot` draws.

        Parameters
        ----------
        codes : array of shape (n,)
            Class of each row, 0, …, K − 1.
        probabilities : array of shape (n, K)
            Predicted probabilities. Of more than two classes, all are pooled, each against the rest.
        positive : int
            Of two classes, the one whose probability is shown.
        groups : array of shape (n,) or None
            Which predictions are of the same row of the data, so that their labels are drawn together. None: each is
            of a row of its own.

        Returns
        -------
        ReliabilityDisplay
        """
        K = probabilities.shape[1]
        shown = np.array([positive] if K == 2 else range(K))
        p = probabilities[:, shown]
        bins = np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
        bins += np.arange(len(shown)) * BINS
        cells = len(shown) * BINS
        n, sums = (np.bincount(bins.ravel(), w, cells) for w in (None, p.ravel()))
        members = np.bincount(bins[codes[:, None] == shown], minlength=cells)
        drawn = _drawn(np.arange(len(p)) if groups is None else groups, p, bins)
        pooled, predicted, actual = (v.reshape(-1, BINS).sum(axis=0) for v in (n, sums, members))
        there, total = pooled > 0, max(p.size, 1)
        shares = drawn.reshape(len(drawn), -1, BINS).sum(axis=1)[:, there] / pooled[there]
        low, high = np.quantile(shares, [(1 - COVERED) / 2, (1 + COVERED) / 2], axis=0)
        error, by_chance = (np.abs(sums - of).sum(axis=-1) / total for of in (members, drawn))
        predicted, actual, pooled = predicted[there], actual[there], pooled[there]
        means = predicted / pooled, actual / pooled, low, high
        return cls(*means, pooled.astype(int), float(error), float(by_chance.mean()))

    def plot(
        self, ax: Axes | None = None, *, color: str = COLOURS[0], marker: str = "o", **line: Any
    ) -> Self:
        """Draw the shares against the predicted probabilities; larger marks stand for more rows."""
        ax = self._on(ax, "predicted probability", "share of the rows")
        ax.plot((0, 1), (0, 1), color=MUTED, linewidth=0.7, linestyle="--")
        ends = np.column_stack([self.low, self.high, np.full_like(self.low, np.nan)]).ravel()
        ax.plot(np.repeat(self.predicted, 3), ends, color=MUTED, linewidth=2.5, alpha=0.35)
        look: Any = {"color": color, "linewidth": 0.8, "alpha": 0.5} | line
        ax.plot(self.predicted, self.share, **look)
        sizes = 1.5 + 6 * np.sqrt(self.rows / self.rows.max())
        for x, y, size in zip(self.predicted, self.share, sizes, strict=True):
            ax.plot(x, y, marker, color=color, markersize=size)
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        return self


def _drawn(groups: Array, p: Array, bins: Array) -> Array:
    """Members (draws, cells) of each cell if labels were drawn from the probabilities: the same draws each time."""
    rng, cells = np.random.default_rng(0), p.shape[1] * BINS
    different, group_of_row = np.unique(groups, return_inverse=True)
    upper = np.cumsum(p, axis=1)
    counts = []
    for _ in range(int(np.clip(MAX_VALUES // max(p.size, 1), *DRAWS))):
        u = rng.random(len(different))[group_of_row]
        if p.shape[1] == 1:  # of the positive class
            members = bins[u < p[:, 0], 0]
        else:
            code = (u[:, None] >= upper[:, :-1]).sum(axis=1)
            members = bins[np.arange(len(bins)), code]
        counts.append(np.bincount(members, minlength=cells))
    return np.array(counts)


@documented
@dataclass(eq=False)
class ConvergenceDisplay(Display):
    """Progress of solvers: how far the objective is above the lowest one, after each step.

    Parameters
    ----------
    steps : dict
        Of each fit, by its name, a pair of arrays: the horizontal axis, and the objective.
    lowest : float or None
        The lowest objective. None is the lowest of these.
    x_name : str
        Name of the horizontal axis.
    """

    steps: Mapping[str, tuple[Array, Array]]
    lowest: float | None = None
    x_name: str = "steps"

    @classmethod
    def from_estimator(
        cls,
        estimator: EstimatorLike | Mapping[str, EstimatorLike],
        *,
        against: str = "steps",
        lowest: float | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the progress of models that were fitted with `trace=True`.

        Parameters
        ----------
        estimator : estimator or dict
            A fitted model with `trace_`, or several with the same objective by name.
        against : {'steps', 'passes', 'seconds'}
            What is on the horizontal axis.
        lowest : float or None
            The lowest objective. None is the lowest that any of the models reached.
        """
        name = type(estimator).__name__
        fits: Mapping[str, Any] = estimator if isinstance(estimator, Mapping) else {name: estimator}
        steps = {}
        for name, fit in fits.items():
            if not getattr(fit, "trace_", None):
                raise ValueError(f"{name} has no trace_; set trace=True and fit it.")
            objective = np.array([step["objective"] for step in fit.trace_])
            numbers = np.arange(len(objective)) + 1
            known = against != "steps"
            x = np.array([step[against] for step in fit.trace_]) if known else numbers
            steps[name] = x, objective
        return cls(steps, lowest, against).plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        colors: Sequence[str] = COLOURS,
        markers: Sequence[str] = MARKERS,
        legend: bool = True,
        **line: Any,
    ) -> Self:
        """Draw a line for each fit, on logarithmic axes.

        Parameters
        ----------
        colors : sequence of str
            Colour of each fit.
        markers : sequence of str
            Marker of each fit.
        """
        ax = self._on(ax, self.x_name, "objective − the lowest")
        reached = min(P.min(initial=np.inf) for _, P in self.steps.values())
        lowest = reached if self.lowest is None else self.lowest
        least = MIN_EXCESS * max(abs(lowest), MIN_EXCESS)
        for i, (name, (x, objective)) in enumerate(self.steps.items()):
            style: Any = {"color": colors[i % len(colors)], "marker": markers[i % len(markers)]}
            style |= {"label": name, "markersize": 3.5, "markevery": max(1, len(x) // 10)}
            ax.loglog(x, np.maximum(objective - lowest, least), **style | line)
        if legend:
            ax.legend(frameon=False, fontsize="small")
        return self
