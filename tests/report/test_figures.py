"""Figures show their numbers and are drawn for any study, as compact drawings without a date."""

import io
import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from cases import each, first
from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from PIL import Image
from scipy import stats
from studies import Data, Method, draw_exhibits, numbers_of

from linclass.plotting import BoundaryDisplay, boundary_lines
from linclass_study.analysis.outcome import PlaneGrid
from linclass_study.data.plane import plane_margins
from linclass_study.project import ROOT
from linclass_study.report import page as page_figures
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style, svg
from linclass_study.report.drawing.svg import inline
from linclass_study.report.figure_files import (
    PICTURES,
    draw_figures,
    figure_names,
    read_record,
    requested_figures,
    write_pictures,
)
from linclass_study.report.figures import boundaries
from linclass_study.report.figures import methods as dots

#: Figures of what runs keep on top, which made-up ones do not: tests/report/test_kept_figures.py draws them.
OF_KEPT = {"coefficients", "paths", "convergence", "learning_curves"}


def test_dots_of_equal_value_are_side_by_side_and_stay_at_their_row_and_value():
    values = np.array([0.5, 0.9, 0.5, 0.5, 0.1])
    places, offsets = dots.beside(values, width=0.01)
    assert places.tolist() == values.tolist()
    assert offsets[[1, 4]].tolist() == [0, 0]
    assert offsets[[0, 2, 3]].sum() == pytest.approx(0)
    for count in (1, 3, 5, 6, 10, 15, 100):
        places, offsets = dots.beside(np.full(count, 0.7), width=0.01)
        assert len(set(zip(places, offsets, strict=True))) == count
        assert np.abs(offsets).max() <= 0.28
        assert np.abs(places - 0.7).max() <= 0.01 + 1e-12


def test_the_disputed_share_of_a_plane_is_that_of_classes_that_differ_between_fits():
    same, other = np.array([[0, 0, 1], [0, 1, 1]]), np.array([[0, 0, 1], [0, 0, 1]])
    assert boundaries.disputed(np.stack([same, same])) == 0
    assert boundaries.disputed(np.stack([same, other, same])) == pytest.approx(1 / 6)


def test_no_name_is_too_long_for_its_place():
    for name in ("short", "a_" * 40, "x" * 200, "with spaces and-joints_of_all_kinds"):
        for lines in (1, 2):
            parts = style.wrapped(name, 20, lines).split("\n")
            assert len(parts) <= lines, name
            assert max(map(len, parts)) <= 24, name


def test_the_figure_of_folds_shows_the_scores(make):
    outcome = make({"d": Data(rows=100, official=20)}, {"m": Method(1.0)}, folds=5)
    draw_exhibits(outcome, "methods")
    (method,) = numbers_of(outcome, "methods-d")["methods"]
    accuracy = outcome.scores.filter(metric="accuracy")
    folds = accuracy.filter(protocol="cv")["value"].to_numpy()
    assert method["folds"] == folds.tolist()
    assert method["official"] == accuracy.filter(protocol="official")["value"].item()
    # Five folds of 24 rows of 120 are tested against the other 96.
    error = folds.std(ddof=1) * np.sqrt(1 / 5 + 24 / 96)
    low, high = stats.t.interval(0.95, 4, folds.mean(), error)
    assert method["interval"] == pytest.approx([max(low, 0), min(high, 1)])


def test_the_baseline_is_among_the_best_of_many_methods(make):
    methods = {f"m{i}": Method(2 + 0.1 * i) for i in range(40)} | {"MajorityClass": Method(0)}
    outcome = make({"d": Data()}, methods, folds=2)
    every = dots.folds_of_methods(outcome, "d")
    shown = [every[place]["method"] for place in dots.best_and_baseline(outcome, every)]
    best = [m["method"] for m in every if m["method"] != "MajorityClass"]
    assert shown == [*best[: dots.MAX_METHODS - 1], "MajorityClass"]


def test_methods_without_fits_and_failed_folds_are_left_out_of_the_boundaries(make):
    methods = {
        "whole": Method(),
        "patchy": Method(endings={0: ("failed", "x"), 2: ("failed", "x")}),
        "cannot": Method(everywhere=("not_applicable", "needs numbers")),
        "nor_this": Method(everywhere=("not_applicable", "needs more rows")),
        "dead": Method(everywhere=("failed", "x")),
        "holes": Method(),
    }
    outcome = make({"d": Data(features=2)}, methods, folds=5)
    path = outcome.results / "runs" / "d" / "holes" / "boundary.npz"
    with np.load(path) as arrays:
        x, y, labels = (arrays[name] for name in ("x", "y", "labels"))
    labels[:, 0, 0] = -1  # as of a regressor that calls its prediction a class
    np.savez(path, x=x, y=y, labels=labels)
    draw_exhibits(outcome, "boundaries")
    numbers = numbers_of(outcome, "boundaries-d")
    assert numbers["folds"] == {"whole": 5, "patchy": 3}
    assert {*numbers["disputed"]} == {"whole", "patchy"}
    assert "cannot, nor_this (not applicable); dead (failed)" in numbers["caption"]
    assert "holes (every fit left points" in numbers["caption"]
    only = replace(outcome, methods={"holes": {}})
    draw_exhibits(only, "boundaries")
    assert "holes (every fit left points" in numbers_of(only, "boundaries-d")["reason"]


@pytest.mark.parametrize(("n_methods", "n_classes"), first(1, [(1, 2), (13, 5)]))
def test_any_number_of_methods_and_classes_is_drawn(make, n_methods, n_classes):
    classes = tuple(f"class {k} of a rather long name" for k in range(n_classes))
    methods = {f"method_{i}_" + "of_a_long_name" * (i % 3): Method(i) for i in range(n_methods)}
    outcome = make({"d": Data(classes, 60, 2)}, methods, folds=2)
    for name, part in FIGURES.items():
        with style.settings():
            figure = (part(outcome, "d") if part.per_dataset else part(outcome)).figure
        # A single data set allows no comparison.
        assert (figure is not None) == (part.per_dataset and name not in OF_KEPT)
        if figure is not None:
            figure.draw_without_rendering()


@pytest.mark.parametrize("n_methods", first(1, [1, 5]))
def test_the_legend_of_classes_is_read_row_by_row_and_stays_inside_its_figure(make, n_methods):
    """Its rows begin with the first classes, above all panels, whatever the names."""
    classes = ("a", *(f"class {k} of a longer name" for k in range(5)), "b", "c")
    methods = {f"m{i}": Method(i) for i in range(n_methods)}
    outcome = make({"d": Data(classes, 80, 2)}, methods, folds=2)
    with style.settings():
        figure = boundaries.boundaries(outcome, "d").figure
        figure.draw_without_rendering()
        (legend,) = figure.legends
        boxes = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
        panels = max(axes.get_tightbbox().y1 for axes in figure.axes)  # with their titles
    assert max(box.x1 for box in boxes.values()) <= figure.bbox.x1
    assert min(box.y0 for box in boxes.values()) >= panels
    in_order = sorted(boxes, key=lambda name: (-round(boxes[name].y0), boxes[name].x0))
    assert in_order == list(classes)


def test_an_empty_figure_leaves_no_files_and_the_record_has_the_reason(make):
    """Not even those of an earlier drawing."""
    outcome = make({"d": Data()}, {"m": Method()})
    folder = outcome.results / "exhibits" / "paths-d"
    folder.mkdir(parents=True)
    (folder / "figure.pdf").touch()
    draw_figures(outcome, ["methods", "paths"], "d")
    assert not folder.exists()
    record = read_record(outcome.results, "d")
    reason = "no method on d is tuned over strengths and has a path"
    assert record["not_drawn"] == {"paths-d": reason}
    assert list(record["drawn"]) == ["methods-d/figure.svg", "methods-d/numbers.json"]


@each(("evaluation", "params", "asked"), [
    ({}, {}, set()),
    ({"traces": True}, {}, {"convergence"}),
    ({}, {"estimator": {"params": {"trace": True}}}, {"convergence"}),
    ({"protocols": ["cv", {"learning_curve": {"sizes": [0.5]}}]}, {}, {"learning_curves"}),
    ({"protocols": ["cv", "learning_curve"]}, {}, {"learning_curves"}),
])  # fmt: skip
def test_figures_of_optional_results_exist_in_studies_that_keep_them(evaluation, params, asked):
    given = {"protocols": ["cv", "official"], "folds": 5, "repeats": 1} | evaluation
    found = requested_figures(given, {"m": {"classifier": "linclass.Perceptron", "params": params}})
    assert set(FIGURES) - set(found) == {"convergence", "learning_curves"} - asked


def test_figures_of_an_earlier_configuration_are_not_on_the_page(make):
    outcome = make({"d": Data()}, {"m": Method()})
    draw_exhibits(outcome, "methods", *figure_names()[False])
    folder = outcome.results / "exhibits"
    for figure in {*figure_names()[True]} - {"methods"}:
        shutil.copytree(folder / "methods-d", folder / f"{figure}-d")
    shown = {name for name, _ in page_figures.embedded_figures(outcome)}
    assert "methods" in shown
    assert not shown & {"convergence", "learning_curves"}


def test_a_drawing_has_no_date_or_version_embeds_its_font_and_stores_an_image_once(make):
    outcome = make({"d": Data(features=2)}, {"m": Method(), "n": Method(), "o": Method()})
    draw_exhibits(outcome, "boundaries")
    folder = outcome.results / "exhibits" / "boundaries-d"
    write_pictures(outcome, ["boundaries-d"], PICTURES)
    drawing = (folder / "figure.svg").read_text()
    assert not re.findall("metadata|matplotlib.org|date", drawing.lower())
    assert Image.open(folder / "figure.png").text == {}
    pdf = (folder / "figure.pdf").read_bytes()
    assert not re.findall(b"Date|atplotlib|Producer|/Subtype /Type3", pdf)
    assert b"/FontFile2" in pdf
    root, link = ElementTree.fromstring(drawing), "{http://www.w3.org/1999/xlink}href"
    images = root.iterfind(".//{*}image")
    (cloud,) = [image for image in images if "matrix" not in image.get("transform", "")]
    copies = [use for use in root.iterfind(".//{*}use") if use.get(link) == f"#{cloud.get('id')}"]
    assert len(copies) == 2  # of the three panels


def visible_subpaths(drawing):
    """(style with what is inherited, box of the clip path, ends of the segments) of each subpath."""
    root = ElementTree.fromstring(drawing)
    by_id = {part.get("id"): part for part in root.iter() if part.get("id")}
    found = []

    def visit(part, style, clip, corner):
        own = part.get("style", "").replace(" ", "").replace("stroke-dashoffset:0", "")
        own = re.sub(r"\d*\.\d+", lambda number: f"{float(number[0]):.2f}", own)
        entries = (entry.split(":") for entry in own.split(";") if entry)
        style = style | {name: value for name, value in entries if name[:4] not in ("font", "text")}
        if reference := part.get("clip-path"):
            (box,) = by_id[reference[5:-1]]
            clip = [float(box.get(side)) for side in ("x", "y", "width", "height")]
        if part.tag.endswith("}use"):
            mark = by_id[part.get("{http://www.w3.org/1999/xlink}href")[1:]]
            visit(mark, style, clip, complex(float(part.get("x")), float(part.get("y"))))
        elif part.tag.endswith("}path"):
            if "z" not in part.get("d"):
                style["fill"] = "none"  # lines have no area
            if style["fill"] != "none" or style["stroke"] != "none":
                found.extend((style, clip, np.array(p) + corner) for p in subpaths(part.get("d")))
        elif not part.tag.endswith("}defs"):
            for inner in part:
                visit(inner, style, clip, corner)

    initial = {"stroke": "none", "stroke-linejoin": "round", "stroke-linecap": "butt"}
    visit(root, initial, [], 0)
    return found


def subpaths(d):
    """Ends of the segments of each subpath of a path."""
    pen, found = RecordingPen(), []
    parse_path(d, pen)
    for command, points in pen.value:
        if command == "moveTo":
            found.append([])
        if points:
            found[-1].append(complex(*points[-1]))
    return found


def test_the_compact_drawing_is_that_of_matplotlib_to_a_tenth_of_a_point():
    """Each subpath has the same style and clip path, and lies within 0.1 (simplified) + 0.1/√2 (rounded) points."""
    x = np.linspace(0, 1, 60)
    with style.settings():
        figure = style.canvas(4, 2)
        left, right = figure.subplots(1, 2)
        left.plot(x, np.sin(9 * x), x, x**2, "--")
        left.plot(x[::9], x[::9], "o", x[::5], x[::5] ** 2, "^", color=style.INK)
        left.fill_between(x, x, x + 0.1, alpha=0.5)
        left.grid()
        right.plot([0.2, 0.2, 0.8], [0.1, 0.9, 0.9], alpha=0.5)
        right.axhline(0.4)
        right.axhline(0.6)
        right.set_title("words <&>", rotation=10)
        whole = io.BytesIO()
        figure.savefig(whole, format="svg", transparent=True)
        small = svg.rendered(figure, "svg")
    assert len(small) < 0.6 * len(whole.getvalue())
    before, after = visible_subpaths(whole.getvalue()), visible_subpaths(small)
    assert len(before) == len(after) > 50
    for look, clip, points in before:
        near = [
            other
            for other_look, other_clip, other in after
            if other_look == look
            and other_clip == pytest.approx(clip, abs=0.01)
            and abs(other[0] - points[0]) < 0.1
            and max(distance(point, other) for point in points) < 0.1 + 0.1 / np.sqrt(2)
        ]
        assert near, (look, clip, points)
    texts = [
        [part.text for part in ElementTree.fromstring(code).iter() if part.tag.endswith("}text")]
        for code in (whole.getvalue(), small)
    ]
    assert sorted(texts[0]) == sorted(texts[1])


def distance(point, line):
    """From a point to a polyline."""
    if len(line) == 1:
        return abs(point - line[0])
    start, chord = line[:-1], np.diff(line) + 1e-12
    return np.abs(start + np.clip(((point - start) / chord).real, 0, 1) * chord - point).min()


def test_a_class_that_is_called_like_a_colour_keeps_its_name():
    svg = f'<svg xmlns="x"><text id="a" style="fill: {style.INK}">{style.INK} id="b"</text></svg>'
    shown = inline(svg, "an exhibit", "title")
    assert f'>{style.INK} id="b"<' in shown
    assert 'style="fill: var(--ink)"' in shown
    assert 'id="an_20_exhibit.a"' in shown


def test_every_caption_of_snakemakes_report_is_of_a_figure_that_there_is():
    captions = {file.stem for file in (ROOT / "workflow" / "report" / "captions").glob("*.rst")}
    assert captions - {"figure", "report"} <= set(FIGURES)


@each(
    ("threshold", "low", "high"),
    [(0.2, 0.04, 0.4), (0.01, 0.0, 0.3), (1.0, 0.0, 0.9), (0.002, 0.001, 3), (50, 0, 700)],
)
def test_labels_of_a_symlog_axis_do_not_overlap(threshold, low, high):
    axes = style.canvas(7, 4).add_subplot()
    axes.set_yscale("symlog", linthresh=threshold)
    axes.plot([0, 1], [low, high])
    style.mark_log(axes.yaxis)
    marks = axes.get_yticks()
    heights = np.sort(axes.transData.transform(np.column_stack([0 * marks, marks]))[:, 1])
    assert len(marks) >= 3
    assert np.diff(heights).min() >= 16  # pixels, of letters of about 12


# Boundaries are drawn where scores are equal, in straight lines if they are linear


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
    """K scores of (1, u, v) are equal there."""
    weights = np.array([[1.0, 0.3, -0.2], [-0.8, 0.9, 0.1], [0.1, -1.1, 0.4]])[:K]

    def z(u, v):
        return np.stack([np.ones_like(u), u, v], axis=-1) @ weights.T

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
