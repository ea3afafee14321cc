"""Figures in the width and font that a study asks for are legible, also in print without colours."""

import itertools

import numpy as np
import polars as pl
import pytest
import studies
from cases import each
from matplotlib.axis import Axis
from matplotlib.patches import StepPatch
from matplotlib.text import Text
from studies import Data, Method
from test_kept_figures import keep, path, trace, tuning, weights

from linclass.plotting import PathDisplay, tints
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style
from linclass_study.report.figure_files import draw_figure

COLUMN, PAGE = {"width": "3.3in", "font": "serif"}, {}
ALONE = {"ranks", "pairwise", "ratings", "heat", "cost"}  # of all data sets together


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
        keep(outcome, "paths", dataset, method, lambda fold: path(fold) if fold == 0 else ())
    for part in ("fits", "scores"):
        whole = getattr(outcome, part)
        curve = {"protocol": pl.lit("learning_curve@10"), "repeat": pl.col("fold")}
        if part == "fits":
            curve["n_train"] = pl.lit(10, pl.Int64)
        smaller = whole.filter(protocol="cv").with_columns(**curve, fold=pl.lit(0, pl.Int32))
        outcome.__dict__[part] = pl.concat([whole, smaller])
    return outcome


def drawn(outcome, figure_style):
    """Name → figure."""
    with style.settings(figure_style):
        for name, part in FIGURES.items():
            for dataset in [*outcome.datasets][:2] if part.per_dataset else [""]:
                yield name, dataset, draw_figure(outcome, name, dataset)


def texts_of(figure):
    """Those that are drawn: not ticks beyond the limits of their axis."""
    ticks, shown = set(), set()
    for axis in figure.findobj(Axis):
        for tick in (*axis.majorTicks, *axis.minorTicks):
            ticks |= {tick.label1, tick.label2}
        if axis.axes.axison:
            shown |= {
                label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)
            }
    texts = [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()
    ]
    return [text for text in texts if text not in ticks or text in shown]


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
def test_every_text_is_legible_inside_its_figure_and_apart_from_the_others(outcome, figure_style):
    wrong, names = [], set()
    for name, dataset, exhibit in drawn(outcome, figure_style):
        if exhibit.figure is None:
            continue
        names.add(name)
        exhibit.figure.draw_without_rendering()
        texts = texts_of(exhibit.figure)
        boxes = [corners(text) for text in texts]
        for text, box in zip(texts, boxes, strict=True):
            inside = (box >= -0.5).all() and (box <= exhibit.figure.bbox.size + 0.5).all()
            if not inside or not 7 <= text.get_fontsize() <= 9:
                wrong.append((name, dataset, text.get_text(), text.get_fontsize(), box.round()))
        for i, j in itertools.combinations(range(len(texts)), 2):
            if overlap(boxes[i], boxes[j]):
                wrong.append((name, dataset, texts[i].get_text(), texts[j].get_text()))
    assert not wrong
    assert names == {*FIGURES}


@pytest.mark.slow
@each(
    ("width", "found"), [("3.3in", 3.3), ("84 mm", 84 / 25.4), ("8.4cm", 84 / 25.4), ("252pt", 3.5)]
)
def test_a_figure_has_the_width_and_the_font_of_its_study(outcome, width, found):
    with style.settings({"width": width, "font": "serif"}):
        figure = draw_figure(outcome, "ratings").figure
        assert figure.get_figwidth() == pytest.approx(found)
        assert {text.get_fontfamily()[0] for text in texts_of(figure)} == {"STIXGeneral"}


# Without colours, marks differ by their shapes, dashes or lightness.


def lightness(colours):
    """CIE L* (D65) of sRGB on white."""
    rgb = np.asarray(colours)[:, :3]
    if np.shape(colours)[1] == 4:
        share = np.asarray(colours)[:, 3:]
        rgb = share * rgb + (1 - share)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return 116 * np.cbrt(linear @ (0.2126, 0.7152, 0.0722)) - 16


def figure_of(outcome, name, dataset=""):
    with style.settings():
        return draw_figure(outcome, name, dataset).figure


def test_methods_have_markers_of_their_own(outcome):
    assert len({style.method_style(place)[1] for place in range(13)}) == 13
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


def test_classes_differ_by_marker_dashes_and_tint(outcome):
    classes = len(outcome.about("several_classes_in_this_one")["classes"])
    panels = figure_of(outcome, "probabilities", "several_classes_in_this_one").axes
    outlines = [part for part in panels[0].patches if isinstance(part, StepPatch)]
    assert len({str(part.get_linestyle()) for part in outlines}) == len(outlines) == classes
    assert len({style.method_style(code)[1] for code in range(13)}) == 13
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
    assert better.startswith("−")
    assert better.endswith("↑")
    assert worse.startswith("+")
    assert worse.endswith("←")


def test_cells_of_the_heat_map_darken_with_the_distance_and_lost_ones_are_crossed(outcome):
    axes, bar = figure_of(outcome, "heat").axes
    colours = bar.collections[-1].cmap(np.linspace(0, 1, 20))
    fall = np.diff(lightness(colours))
    assert fall.max() < 0
    assert lightness(colours[:1]) < 90  # white is 100
    (crosses,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert len(crosses.get_xdata()) == 1  # of the only run that failed
