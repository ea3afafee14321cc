"""Drawn decision boundaries, and tints of tables."""

import re

import numpy as np
from cases import each
from matplotlib.colors import to_rgb

from linclass.plotting import BoundaryDisplay, boundary_lines
from linclass_study.analysis.outcome import PlaneGrid
from linclass_study.data.plane import plane_margins
from linclass_study.report import page
from linclass_study.report.drawing import style

# Boundaries are drawn where scores are equal, in straight lines if they are linear

LINEAR = np.array([[1.0, 0.3, -0.2], [-0.8, 0.9, 0.1], [0.1, -1.1, 0.4]])  # K scores of (1, u, v)


def on_grid(z, K):
    """A fit with the scores z(u, v) on a grid, as the run keeps and the figure reads it, and its fields."""
    x, y = np.linspace(-3, 3, 21), np.linspace(-2, 2, 17)
    u, v = np.meshgrid(x, y)
    score = z(u, v)
    labels = score.argmax(axis=-1)
    margins = plane_margins(labels, score)
    grid = PlaneGrid(x, y, labels[None], None if margins is None else margins[None])
    return grid, grid.fields(0, K)


@each("K", [2, 3])
def test_boundaries_of_linear_scores_are_the_straight_lines_themselves(K):
    def z(u, v):
        return np.stack([np.ones_like(u), u, v], axis=-1) @ LINEAR[:K].T

    grid, fields = on_grid(z, K)
    assert not grid.from_classes().any()
    lines = boundary_lines(grid.x, grid.y, fields)
    u, v = lines[~np.isnan(lines[:, 0])].T
    assert len(u) > 10
    ordered = np.sort(z(u, v), axis=-1)
    apart = ordered[:, -1] - ordered[:, -2]
    # where three regions meet the lines end within a cell
    ends = (ordered[:, -1] - ordered[:, 0] < 0.5) if K > 2 else np.zeros(len(u), bool)
    assert apart[~ends].max() < 1e-6  # scores are single precision
    assert ends.sum() < len(u) / 3


def test_scores_that_jump_or_do_not_decide_leave_the_classes_alone():
    def votes(u, v):
        return np.stack([(u + v > 0.1) + 0.1 * np.tanh(u), (u + v < 0.1) + 0.0 * u], axis=-1)

    grid, fields = on_grid(votes, 2)
    assert grid.margins is None
    assert grid.from_classes().tolist() == [True]
    assert ((fields[0] > 0) == (grid.labels[0] == 0)).mean() > 0.95  # but for rounded corners
    score = np.random.default_rng(0).normal(size=(5, 6, 2))
    assert plane_margins(1 - score.argmax(axis=-1), score) is None  # by costs
    assert plane_margins(score.argmax(axis=-1), score * np.nan) is None  # classes alone


def test_marks_at_the_edge_are_whole_and_rows_beyond_it_are_not_drawn():
    with style.settings():
        axes = style.canvas(2, 2).add_axes((0.2, 0.2, 0.7, 0.7))
        X = np.array([[0.0, 0.5], [1.0, 1.0], [1.2, 0.5], [0.5, -0.1]])
        ends = np.array([0.0, 1.0])
        BoundaryDisplay(ends, ends, [], X, np.zeros(4, int)).plot(axes)
        (drawn,) = axes.lines
    assert not drawn.get_clip_on()
    assert drawn.get_xydata().tolist() == X[:2].tolist()


# Cells of matrices are tints of the page: numbers in them are legible in both themes


def themed(variable):
    """RGB of a variable of the page's CSS in the light and in the dark theme."""
    css = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    both = re.search(rf"--{variable}: light-dark\((#\w+), (#\w+)\)", css)
    return [np.array(to_rgb(colour)) for colour in both.groups()]


def luminance(rgb):
    """Relative luminance.   WCAG 2.1"""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@each("theme", [0, 1], ids=["light", "dark"])
@each("colour", style.COLOURS[:2])
def test_numbers_are_legible_on_every_tint(colour, theme):
    ink, paper = themed("ink")[theme], themed("paper")[theme]
    cells = style.tinted(colour, np.linspace(0, 1, 11))
    seen = cells[:, 3:] * cells[:, :3] + (1 - cells[:, 3:]) * paper
    assert np.array_equal(seen[0], paper)
    for cell in map(luminance, seen):
        low, high = sorted([cell, luminance(ink)])
        assert (high + 0.05) / (low + 0.05) >= 4.5  # WCAG 2.1, criterion 1.4.3
