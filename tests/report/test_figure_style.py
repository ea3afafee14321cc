"""Figures in the width and font that a study asks for are legible, also in print without colours."""

import itertools
import re

import numpy as np
import pytest
import studies
from cases import each
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from studies import Data, Method
from test_kept_figures import add_learning_curve, keep, path, trace, tuning, weights

from linclass.plotting import PathDisplay, tints
from linclass_study.report import page
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style
from linclass_study.report.drawing.svg import THEME
from linclass_study.report.figure_files import draw_figure

pytestmark = pytest.mark.xdist_group("figure_style")  # one study for all of them

COLUMN, PAGE = {"width": "3.3in", "font": "serif"}, {}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Of every figure: names of all lengths, an official test set, kept results, a failed run."""
    classes = ("a", "class b of a rather long name", "c")
    data = {"two": Data(features=2, official=20), "several_classes_in_this_one": Data(classes, 60)}
    data |= {f"data_set_{i}": Data() for i in range(7)}
    methods = {f"method_{i}" + "_of_a_long_name" * (i % 3): Method(i / 4) for i in range(14)}
    methods["fails"] = Method(only=["data_set_1"], everywhere=("failed", "x"))
    outcome = studies.build(tmp_path_factory.mktemp("style") / "results", data, methods, folds=4)
    for dataset, method in itertools.product([*data][:2], [*methods][:13]):
        code = len(outcome.about(dataset)["classes"]) - 1
        keep(outcome, "coefficients", dataset, method, weights([1.0, -2.0], code=code))
        keep(outcome, "traces", dataset, method, trace(1.0))
        keep(outcome, "tuning", dataset, method, tuning)
        keep(outcome, "paths", dataset, method, path)
    add_learning_curve(outcome, 10)
    return outcome


def texts_of(figure):
    """Those that are drawn: not ticks beyond the limits of their axis."""
    left_out = set()
    for axis in figure.findobj(Axis):
        ticks = {*axis.majorTicks, *axis.minorTicks}
        ticks -= {*axis._update_ticks()} if axis.axes.axison else set()
        left_out |= {label for tick in ticks for label in (tick.label1, tick.label2)}
    texts = [text for text in figure.findobj(Text) if text not in left_out]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def corners(text):
    """Of the box around a text, which may be turned."""
    angle = text.get_rotation()
    text.set_rotation(0 if angle % 90 else angle)
    box = text.get_window_extent().corners()[[0, 1, 3, 2]]
    text.set_rotation(angle)
    if not angle % 90:
        return box
    anchor = text.get_transform().transform(text.get_unitless_position())
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return (box - anchor) @ np.array([[cos, sin], [-sin, cos]]) + anchor


def overlap(one, other):
    """Whether no line between two boxes is parallel to a side of one of them; half a pixel does not count."""
    sides = [box[i] - box[i - 1] for box in (one, other) for i in range(4)]
    normals = np.array([[-y, x] / np.hypot(x, y) for x, y in sides])
    P, Q = one @ normals.T, other @ normals.T
    return np.all((P.max(axis=0) > Q.min(axis=0) + 0.5) & (Q.max(axis=0) > P.min(axis=0) + 0.5))


@each("figure_style", [COLUMN, pytest.param(PAGE, marks=pytest.mark.full)], ids=["column", "page"])
@each("name", FIGURES)
def test_every_text_is_legible_inside_its_figure_and_apart_from_the_others(
    outcome, figure_style, name
):
    datasets = [*outcome.datasets][:2] if FIGURES[name].per_dataset else [""]
    with style.settings(figure_style):
        drawn = [draw_figure(outcome, name, dataset).figure for dataset in datasets]
        assert any(drawn)
        for figure in filter(None, drawn):
            figure.draw_without_rendering()
            texts = texts_of(figure)
            boxes = np.array([corners(text) for text in texts])
            for text, box in zip(texts, boxes, strict=True):
                inside = (box >= -0.5).all() and (box <= figure.bbox.size + 0.5).all()
                assert inside, text
                assert 7 <= text.get_fontsize() <= 9, text
            low, high = boxes.min(axis=1), boxes.max(axis=1)
            near = (low[:, None] < high).all(axis=2)
            for i, j in np.argwhere(np.triu(near & near.T, 1)):
                assert not overlap(boxes[i], boxes[j]), (texts[i], texts[j])


@pytest.mark.slow
def test_a_figure_has_the_width_and_the_font_of_its_study(outcome):
    for width, inches in (
        ("3.3in", 3.3), ("84 mm", 84 / 25.4), ("8.4cm", 84 / 25.4), ("252pt", 3.5),
    ):  # fmt: skip
        figure = figure_of(outcome, "ratings", "", {"width": width, "font": "serif"})
        assert figure.get_figwidth() == pytest.approx(inches)
        assert {text.get_fontfamily()[0] for text in texts_of(figure)} == {"STIXGeneral"}


# Without colours, marks differ by their shapes, dashes or lightness.


def linear(rgb):
    """Linear RGB of sRGB.   IEC 61966-2-1"""
    rgb = np.asarray(rgb)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(rgb):
    """Relative luminance.   WCAG 2.1"""
    return linear(rgb) @ (0.2126, 0.7152, 0.0722)


def on(paper, rgba):
    """Colours with an opacity as they are seen on paper."""
    rgb, opacity = np.split(np.asarray(rgba), [3], axis=1)
    return opacity * rgb + (1 - opacity) * paper if opacity.size else rgb


def lightness(colours):
    """CIE L* (D65) of sRGB on white."""
    return 116 * np.cbrt(luminance(on(1, colours))) - 16


def themed(theme):
    """Variable → RGB of the page's CSS in the light (0) or dark (1) theme."""
    css = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    found = re.findall(r"(--\w+): light-dark\((#\w+), (#\w+)\)", css)
    return {f"var({name})": np.array(to_rgb(both[theme])) for name, *both in found}


#: Linear RGB as seen with a complete deficiency. Machado, Oliveira and Fernandes (2009), table 1
SEEN = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]
    ],
}  # fmt: skip
TO_XYZ = [
    [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]
]  # fmt: skip


def lab(linear_rgb):
    """CIE L*a*b* (D65)."""
    xyz = linear_rgb @ np.transpose(TO_XYZ) / (0.95047, 1, 1.08883)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = f.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@each("theme", [0, 1], ids=["light", "dark"])
@each("sight", SEEN)
def test_colours_of_methods_stay_apart_for_every_reader(sight, theme):
    known = themed(theme)
    rgb = [known[THEME[c]] if c in THEME else to_rgb(c) for c in style.COLOURS]
    seen = lab(np.clip(linear(rgb) @ np.transpose(SEEN[sight]), 0, 1))
    # A difference of 2.3 is just noticeable; five times that is plain.
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 5 * 2.3


@each("theme", [0, 1], ids=["light", "dark"])
@each("colour", style.COLOURS[:2])
def test_numbers_are_legible_on_every_tint(colour, theme):
    """Cells of matrices are tints of the page."""
    ink, paper = (themed(theme)[f"var(--{name})"] for name in ("ink", "paper"))
    cells = on(paper, style.tinted(colour, np.linspace(0, 1, 11)))
    assert np.array_equal(cells[0], paper)
    for cell in luminance(cells):
        low, high = sorted([cell, luminance(ink)])
        assert (high + 0.05) / (low + 0.05) >= 4.5  # WCAG 2.1, criterion 1.4.3


def figure_of(outcome, name, dataset="", figure_style=None):
    with style.settings(figure_style):
        return draw_figure(outcome, name, dataset).figure


def test_methods_have_markers_of_their_own(outcome):
    styles = [style.method_style(place) for place in range(56)]
    assert len(set(styles)) == 56
    assert len({marker for _, marker in styles[:13]}) == 13
    for one, other in itertools.pairwise(styles):
        assert one[0] != other[0]
        assert one[1] != other[1]
    for name in ("convergence", "learning_curves"):
        figure = figure_of(outcome, name, "two")
        lines = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", "")]
        looks = {(line.get_color(), line.get_marker()) for line in lines}
        assert len(looks) == len({marker for _, marker in looks}) > 10, name


@pytest.mark.slow
def test_each_of_39_methods_has_a_mark_of_its_own_in_score_against_cost(make):
    methods = {f"m{i}": Method(i / 10) for i in range(39)}
    outcome = make({"d": Data(), "e": Data()}, methods, folds=2)
    (legend,) = figure_of(outcome, "cost").legends
    marks = {(line.get_marker(), line.get_fillstyle()) for line in legend.get_lines()}
    assert len(marks) == len(legend.get_texts()) == 39


def test_classes_differ_by_dashes_and_tint(outcome):
    panels = figure_of(outcome, "probabilities", "several_classes_in_this_one").axes
    outlines = [part for part in panels[0].patches if isinstance(part, StepPatch)]
    assert len({str(part.get_linestyle()) for part in outlines}) == len(outlines) == 3
    for K in (2, 3, 4):
        assert np.diff(lightness(tints(K))).min() > 2.3  # the least difference that is noticed


def test_features_of_a_path_have_dashes_of_their_own():
    x = np.geomspace(0.01, 1, 5)
    display = PathDisplay(x, np.outer(1 - x, np.arange(1, 9))).plot(style.canvas(4, 3).subplots())
    named = [line for line in display.ax_.lines if not line.get_label().startswith("_")]
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in named}) == 6


def test_significant_pairs_point_to_the_better_method(make):
    data = {f"d{i}": Data(rows=100) for i in range(8)}
    outcome = make(data, {"good": Method(3.0), "bad": Method(0.0)}, folds=5)
    cells = [text.get_text() for text in figure_of(outcome, "pairwise").axes[0].texts]
    better, worse = sorted(cells, reverse=True)
    assert (better[0], better[-1]) == ("−", "↑")
    assert (worse[0], worse[-1]) == ("+", "←")


def test_cells_of_the_heat_map_darken_with_the_distance_and_lost_ones_are_crossed(outcome):
    axes, bar = figure_of(outcome, "heat").axes
    colours = bar.collections[-1].cmap(np.linspace(0, 1, 20))
    fall = np.diff(lightness(colours))
    assert fall.max() < 0
    assert lightness(colours[:1]) < 90  # white is 100
    (crosses,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert len(crosses.get_xdata()) == 1  # of the only run that failed
