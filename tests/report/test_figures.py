"""Figures show their numbers, are readable with colour-vision deficiencies, and work for any study."""

import io
import itertools
import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import studies
from cases import each, first
from PIL import Image
from scipy import stats
from studies import Data, Method, draw_exhibits, numbers_of

from linclass_study.project import ROOT
from linclass_study.report import figures, page
from linclass_study.report import page as page_figures
from linclass_study.report.contents import FIGURES, Part
from linclass_study.report.drawing import style, svg
from linclass_study.report.drawing.style import method_style
from linclass_study.report.drawing.svg import THEME, inline
from linclass_study.report.figure_files import (
    PICTURES,
    ReportFigure,
    draw_figures,
    figure_names,
    read_record,
    requested_figures,
    write_pictures,
)
from linclass_study.report.figures import boundaries
from linclass_study.report.figures import methods as dots

#: Linear RGB as seen with a complete deficiency. Machado, Oliveira and Fernandes (2009), table 1
SEEN = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


#: Figures of what runs keep on top, which made-up ones do not: tests/report/test_kept_figures.py draws them.
OF_KEPT = {"coefficients", "paths", "convergence", "learning_curves"}


def lab(linear):
    """CIE L*a*b* (D65) of linear sRGB."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = linear @ to_xyz.T / (0.95047, 1, 1.08883)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = f.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def drawn_colours(theme):
    """Colours of methods on the page in the light (0) or dark (1) theme."""
    css = (page.TEMPLATES / "style.css").read_text(encoding="utf-8")
    themed = {
        name: both for name, *both in re.findall(r"(--\w+): light-dark\((#\w+), (#\w+)\)", css)
    }
    names = {colour: variable[4:-1] for colour, variable in THEME.items()}
    return [themed[names[c]][theme] if c in names else c for c in style.COLOURS]


@each("theme", [0, 1], ids=["light", "dark"])
@each("sight", SEEN)
def test_colours_of_methods_stay_apart_for_every_reader(sight, theme):
    colours = drawn_colours(theme)
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = lab(np.clip(linear @ SEEN[sight].T, 0, 1))
    # A difference of 2.3 is just noticeable; five times that is plain.
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 5 * 2.3


def test_all_styles_differ_and_dots_of_equal_value_are_side_by_side():
    styles = [method_style(place) for place in range(56)]
    assert len(set(styles)) == 56
    for one, other in itertools.pairwise(styles):
        assert one[0] != other[0]
        assert one[1] != other[1]
    values = np.array([0.5, 0.9, 0.5, 0.5, 0.1])
    places, offsets = dots.beside(values, width=0.01)
    assert places.tolist() == values.tolist()
    assert offsets[[1, 4]].tolist() == [0, 0]
    assert len(set(offsets[[0, 2, 3]])) == 3
    assert offsets[[0, 2, 3]].sum() == pytest.approx(0)
    same = np.array([[0, 0, 1], [0, 1, 1]])
    other = np.array([[0, 0, 1], [0, 0, 1]])
    assert boundaries.disputed(np.stack([same, same])) == 0
    assert boundaries.disputed(np.stack([same, other, same])) == pytest.approx(1 / 6)


@each("name", ["short", "a_" * 40, "x" * 200, "with spaces and-joints_of_all_kinds"])
@each("lines", [1, 2])
def test_no_name_is_too_long_for_its_place(name, lines):
    parts = style.wrapped(name, 20, lines).split("\n")
    assert len(parts) <= lines
    assert max(map(len, parts)) <= 24


@each("count", [1, 5, 6, 10, 15, 100])
def test_dots_do_not_overlap_and_stay_at_their_row_and_value(count):
    places, offsets = dots.beside(np.full(count, 0.7), width=0.01)
    assert len(set(zip(places, offsets, strict=True))) == count
    assert np.abs(offsets).max() <= 0.28
    assert np.abs(places - 0.7).max() <= 0.01 + 1e-12


def test_the_figure_of_folds_shows_the_scores(make):
    outcome = make({"d": Data(rows=100, official=20)}, {"m": Method(1.0)}, folds=5)
    draw_exhibits(outcome, "methods")
    (method,) = numbers_of(outcome, "methods-d")["methods"]
    accuracy = outcome.scores.filter(metric="accuracy")
    folds = accuracy.filter(pl.col("protocol") == "cv")["value"].to_numpy()
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
    patchy = Method(endings={0: ("failed", "x"), 2: ("failed", "x")})
    dead = Method(everywhere=("failed", "x"))
    outcome = make({"d": Data(features=2)}, {"patchy": patchy, "dead": dead}, folds=5)
    draw_exhibits(outcome, "boundaries")
    assert numbers_of(outcome, "boundaries-d")["folds"] == {"patchy": 3}
    methods = {
        "whole": Method(),
        "cannot": Method(everywhere=("not_applicable", "needs numbers")),
        "nor_this": Method(everywhere=("not_applicable", "needs more rows")),
        "dead": Method(everywhere=("failed", "x")),
    }
    outcome = make({"d": Data(features=2)}, methods)
    draw_exhibits(outcome, "boundaries")
    caption = numbers_of(outcome, "boundaries-d")["caption"]
    assert caption.endswith("Not drawn: cannot, nor_this (not applicable); dead (failed).")


@pytest.mark.parametrize(("n_methods", "n_classes"), first(1, [(1, 2), (13, 5)]))
def test_any_number_of_methods_and_classes_is_drawn(make, n_methods, n_classes):
    classes = tuple(f"class {k} of a rather long name" for k in range(n_classes))
    methods = {f"method_{i}_" + "of_a_long_name" * (i % 3): Method(i) for i in range(n_methods)}
    outcome = make({"d": Data(classes, 60, 2)}, methods, folds=2)
    for name, part in FIGURES.items():
        with style.settings():
            made = part(outcome, "d") if part.per_dataset else part(outcome)
        if made.figure is not None:
            made.figure.draw_without_rendering()
        # A single data set allows no comparison.
        assert (made.figure is not None) == (part.per_dataset and name not in OF_KEPT)


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
    assert record["not_drawn"] == {
        "paths-d": "no method on d is tuned over strengths and has a path"
    }
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


def test_a_method_whose_every_grid_has_holes_is_left_out_with_the_reason(make):
    outcome = make({"d": Data(features=2)}, {"holes": Method(), "whole": Method()})
    path = outcome.results / "runs" / "d" / "holes" / "boundary.npz"
    with np.load(path) as arrays:
        x, y, labels = (arrays[name] for name in ("x", "y", "labels"))
    labels[:, 0, 0] = -1  # as of a regressor that calls its prediction a class
    np.savez(path, x=x, y=y, labels=labels)
    draw_exhibits(outcome, "boundaries")
    numbers = numbers_of(outcome, "boundaries-d")
    assert list(numbers["disputed"]) == ["whole"]
    assert "Not drawn: holes (every fit left points" in numbers["caption"]
    only = replace(outcome, methods={"holes": {}})
    draw_exhibits(only, "boundaries")
    assert "holes (every fit left points" in numbers_of(only, "boundaries-d")["reason"]


def test_a_drawing_contains_neither_date_nor_software_version(make):
    outcome = make({"d": Data(features=2)}, {"m": Method()})
    draw_exhibits(outcome, "boundaries")
    folder = outcome.results / "exhibits" / "boundaries-d"
    write_pictures(outcome, ["boundaries-d"], PICTURES)
    svg = (folder / "figure.svg").read_text().lower()
    assert not [word for word in ("metadata", "matplotlib.org", "date") if word in svg]
    assert Image.open(io.BytesIO((folder / "figure.png").read_bytes())).text == {}
    pdf = (folder / "figure.pdf").read_bytes()
    assert not [word for word in (b"Date", b"atplotlib", b"Producer") if word in pdf]


def test_text_in_a_pdf_uses_an_embedded_font(tmp_path):
    with style.settings():
        figure = style.canvas(2, 1)
        figure.text(0.1, 0.5, "letters")
        ReportFigure(figure, "", "", {}).save_as("pdf", tmp_path)
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Subtype /Type3" not in pdf


def visible_subpaths(drawing: bytes) -> list[tuple[dict[str, str], list[float], np.ndarray]]:
    """(style with what is inherited, box of the clip path, ends of the segments) of each subpath."""
    root = ElementTree.fromstring(drawing)
    by_id = {part.get("id"): part for part in root.iter() if part.get("id")}
    found = []

    def visit(part, style, clip, corner):
        own = part.get("style", "").replace(" ", "").replace("stroke-dashoffset:0", "")
        own = re.sub(r"\d*\.\d+", lambda number: f"{float(number[0]):.2f}", own)
        style = style | dict(entry.split(":") for entry in own.split(";") if entry)
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
    texts = ("font", "text")
    return [({k: v for k, v in s.items() if k[:4] not in texts}, *rest) for s, *rest in found]


def subpaths(d: str) -> list[list[complex]]:
    """Ends of the segments of a path, by the definition of its commands in SVG."""
    found: list[list[complex]] = []
    here = 0j
    for letter, text in re.findall("([A-Za-z])([^A-Za-z]*)", d):
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]
        if letter == "z":
            here = found[-1][0]
            continue
        if letter in "hv":
            steps = [n * (1 if letter == "h" else 1j) for n in numbers]
        else:
            steps = [complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
        size = {"c": 3, "q": 2}.get(letter.lower(), 1)
        for i in range(size - 1, len(steps), size):
            here = steps[i] if letter.isupper() else here + steps[i]
            if letter in "Mm" and i == 0:
                found.append([])
            found[-1].append(here)
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


def distance(point: complex, line: np.ndarray) -> float:
    """From a point to a polyline."""
    if len(line) == 1:
        return abs(point - line[0])
    start, chord = line[:-1], np.diff(line) + 1e-12
    return np.abs(start + np.clip(((point - start) / chord).real, 0, 1) * chord - point).min()


def test_an_image_of_several_panels_is_stored_once(make):
    outcome = make({"d": Data(features=2)}, {"m": Method(), "n": Method(), "o": Method()})
    draw_exhibits(outcome, "boundaries")
    root = ElementTree.parse(outcome.results / "exhibits/boundaries-d/figure.svg").getroot()
    link = "{http://www.w3.org/1999/xlink}href"
    clouds = [i for i in root.iterfind(".//{*}image") if "matrix" not in i.get("transform", "")]
    assert len(clouds) == 1
    copies = [u for u in root.iterfind(".//{*}use") if u.get(link) == f"#{clouds[0].get('id')}"]
    assert len(copies) == 2


def test_a_class_that_is_called_like_a_colour_keeps_its_name():
    svg = f'<svg xmlns="x"><text id="a" style="fill: {style.INK}">{style.INK} id="b"</text></svg>'
    shown = inline(svg, "an exhibit", "title")
    assert f'>{style.INK} id="b"<' in shown
    assert 'style="fill: var(--ink)"' in shown
    assert 'id="an_20_exhibit.a"' in shown


def test_adding_one_entry_adds_one_figure(make, tmp_path, monkeypatch):
    (tmp_path / "sizes.py").write_text(
        "from linclass_study.report.figure_files import ReportFigure\n"
        "from linclass_study.report.drawing import style\n"
        "def bars(outcome):\n"
        "    figure = style.canvas(3, 2)\n"
        "    figure.subplots().bar(range(len(outcome.methods)), 1)\n"
        "    return ReportFigure(figure, 'Sizes', 'A caption of sizes.', {'n': len(outcome.methods)})\n"
    )
    monkeypatch.setattr(figures, "__path__", [*figures.__path__, str(tmp_path)])
    monkeypatch.setitem(FIGURES, "sizes", Part("across", "figures.sizes.bars"))
    assert figure_names()[False][-1] == "sizes"
    outcome = make({"d": Data()}, {"m": Method()})
    page = studies.finish(outcome, *FIGURES)
    assert numbers_of(outcome, "sizes")["n"] == 1
    assert "A caption of sizes." in page


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
