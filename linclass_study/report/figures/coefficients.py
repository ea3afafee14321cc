"""Largest positive and negative coefficients of the best linear method of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass.base.messages import names_and_others
from linclass_study.analysis.protocol_names import units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import NAMED, name_above
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 20, "dataset", True
EACH = 10  # of each sign, of one score; with several, in panels, half of it
PANELS = 6
SCORE = ["repeat", "fold", "class"]  # one score of one fit
ROW = 0.19  # inches of a feature


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    found = best_linear(outcome, dataset)
    if found is None:
        return Exhibit.nothing(f"no linear method on {dataset} has coefficients of named features")
    method, known = found[0], oriented(found[1], outcome.about(dataset))
    classes = outcome.about(dataset)["classes"]
    codes = known["class"].unique().sort().to_list()
    most = EACH if len(codes) == 1 else EACH // 2
    of_class = {code: largest(known.filter(pl.col("class") == code), most) for code in codes}
    zero = [str(classes[code]) for code, panel in of_class.items() if not panel]
    shown = [code for code, panel in of_class.items() if panel][:PANELS]
    panels = [of_class[code] for code in shown]
    unit = "standard deviation" if is_standardized(known) else "unit"
    sides = [str(classes[1 - shown[0]]), str(classes[shown[0]])] if len(codes) == 1 else []
    titles, axis = [str(classes[code]) for code in shown], f"coefficient, per {unit}"
    if len(codes) == 1:
        titles = [""]
    figure = _figure(panels, titles, axis, outcome.position(method))
    name_above(figure, method, outcome.position(method))
    if len(codes) == 1:
        _name_sides(figure, *sides)
    fits, over = fits_and_units(outcome, dataset, known)
    of_how_many = known["feature"].drop_nulls().n_unique()
    speaks = ""
    if len(codes) == 1:
        speaks = f" Positive ones favour {sides[1]}, negative ones {sides[0]}."
    caption = (
        f"Coefficients of {method}: how much its score rises with one {unit} of the feature.{speaks} "
        + (f"Large marks are means over {fits} {over}, dots the {over}. " if fits > 1 else "")
    )
    if all(len(panel) == of_how_many for panel in panels):
        caption += "It is the best linear method here with comparable coefficients."
    else:
        caption += f"Of {of_how_many} features the most positive and the most negative are shown."
    caption += sentence_on_folds(known, over)
    if zero:
        caption += f" All coefficients of {names_and_others(zero, PANELS)} are 0."
    if len(codes) - len(zero) > PANELS:
        caption += f" {PANELS} of {len(codes)} classes are shown."
    if len(codes) > 1:
        caption += (
            " A row gets the class of the highest score, so differences between panels count."
        )
    named = {str(classes[code]): panel for code, panel in zip(shown, panels, strict=True)}
    numbers = {"method": method, "per": unit, "classes": {k: _listed(p) for k, p in named.items()}}
    return Exhibit(figure, f"Coefficients on {dataset}", caption, numbers)


def _listed(panel: list[tuple[str, np.ndarray]]) -> list[dict[str, Any]]:
    return [
        {"feature": name, "mean": float(np.mean(values)), "folds": values.tolist()}
        for name, values in panel
    ]


def best_linear(outcome: Outcome, dataset: str) -> tuple[str, pl.DataFrame] | None:
    """(method, coefficients of the main protocol) of the best method with standardized features, whose coefficients
    are comparable, and a finite optimum; without such a method, of the best linear method."""
    from linclass_study.analysis.summary import ranking

    protocol, others = outcome.protocol(dataset), None
    odd = outcome.fits.filter(pl.col("status").is_in(("separable", "rank_deficient")))
    without_optimum = {*odd.filter(dataset=dataset)["method"]}
    for method in ranking(outcome, dataset)["method"]:
        known = outcome.kept("coefficients", dataset, method)
        if known is None:
            continue
        known = known.filter(protocol=protocol)
        if not known.filter(pl.col("feature").is_not_null(), pl.col("value") != 0).height:
            continue
        if is_standardized(known) and method not in without_optimum:
            return method, known
        others = others or (method, known)
    return others


def fits_and_units(outcome: Outcome, dataset: str, known: pl.DataFrame) -> tuple[int, str]:
    """The number of fits with coefficients, and what they are of: folds or hold-outs."""
    fits = known.select("repeat", "fold").unique().height
    return fits, units(outcome.evaluation, outcome.protocol(dataset))


def oriented(known: pl.DataFrame, about: Mapping[str, Any]) -> pl.DataFrame:
    """Coefficients of the positive class, if two classes have one score."""
    positive = about["classes"].index(about["positive"]) if len(about["classes"]) == 2 else None
    if positive is None or known["class"].n_unique() > 1:
        return known
    sign = pl.when(pl.col("class") == positive).then(1.0).otherwise(-1.0)
    return known.with_columns(
        value=pl.col("value") * sign, **{"class": pl.lit(positive, known.schema["class"])}
    )


def is_standardized(known: pl.DataFrame) -> bool:
    return bool((known["scale"] != 1).any())


def over_folds(known: pl.DataFrame) -> dict[tuple[int, str], np.ndarray]:
    """(class, feature) → value · scale in each fold whose fit has the feature; 0 if the fit stored only its largest
    coefficients and this is not among them."""
    cut = _cut(known)
    fits = dict(cut.group_by("class").len().iter_rows())
    features = (
        known.drop_nulls("feature")
        .join(cut.with_columns(cut=True), on=SCORE, how="left", maintain_order="left")
        .group_by("class", "feature", maintain_order=True)
        .agg(effect=pl.col("value") * pl.col("scale"), cut=pl.col("cut").count())
    )
    return {
        (code, feature): np.pad(np.array(effect), (0, fits.get(code, 0) - among))
        for code, feature, effect, among in features.iter_rows()
    }


def sentence_on_folds(known: pl.DataFrame, over: str) -> str:
    """A sentence for the caption about folds, or hold-outs, without a coefficient of each feature."""
    if _cut(known).height:
        return (
            " A fit with many features keeps its largest coefficients, and the others count as 0."
        )
    folds = known.select("repeat", "fold").unique().height
    if any(len(effect) < folds for effect in over_folds(known).values()):
        return f" A feature that the fits of some {over} do not have is averaged over the other {over}."
    return ""


def _cut(known: pl.DataFrame) -> pl.DataFrame:
    """Fits that have more features than stored coefficients."""
    kept = known.group_by(SCORE).agg(pl.col("feature").count(), pl.col("features").first())
    return kept.filter(pl.col("features") > pl.col("feature")).select(SCORE)


def largest(known: pl.DataFrame, most: int) -> list[tuple[str, np.ndarray]]:
    """(feature, coefficients) of the `most` highest and `most` lowest means of a class, highest first."""
    rows = [(feature, effects) for (_, feature), effects in over_folds(known).items()]
    rows.sort(key=lambda row: (-row[1].mean(), row[0]))
    if len(rows) <= 2 * most:
        return rows
    positive = [row for row in rows[:most] if row[1].mean() > 0]
    negative = [row for row in rows[-most:] if row[1].mean() < 0]
    return [*positive, *negative]


def _figure(
    panels: list[list[tuple[str, np.ndarray]]], titles: list[str], axis: str, position: int
) -> Figure:
    columns = 1 if len(panels) == 1 else 2
    lines = -(-len(panels) // columns)
    room = 34 if columns == 1 else 19
    tall = [
        ROW * max(len(panel) for panel in panels[i * columns : (i + 1) * columns])
        for i in range(lines)
    ]
    head = NAMED if len(panels) > 1 else NAMED - 0.16  # a single panel has no title of its own
    height = sum(tall) + 0.56 * lines + 0.2 + head
    figure = style.canvas(7.2, height)
    spans = [(low, high) for low, high in map(_span, panels)]
    limits = min(low for low, _ in spans), max(high for _, high in spans)
    longest = max((len(name[:room]) for panel in panels for name, _ in panel), default=1)
    left, width = 0.15 + 0.066 * longest, 7.2 / columns
    top = height - head
    for line in range(lines):
        top -= 0.26
        for column, number in enumerate(
            range(line * columns, min((line + 1) * columns, len(panels)))
        ):
            own = ROW * len(panels[number])
            place = (column * width + left) / 7.2, (top - own) / height
            axes = figure.add_axes((*place, (width - left - 0.15) / 7.2, own / height))
            axes.set_xlim(*limits)
            _draw(axes, panels[number], position, room)
            axes.set_title(titles[number], loc="left", fontsize=8.5, pad=3)
        top -= tall[line] + 0.3
    middle = 0.5 if columns > 1 else (left + 7.05) / 2 / 7.2
    figure.text(middle, 0.06 / height, axis, ha="center", va="bottom", color=style.INK)
    return figure


def _name_sides(figure: Figure, low: str, high: str) -> None:
    """Write the class that each side favours at the ends of the axis label."""
    box = figure.axes[0].get_position()
    height = 0.06 / figure.get_size_inches()[1]
    options: dict[str, Any] = {"va": "bottom", "color": style.INK}
    figure.text(box.x0, height, f"← {style.wrapped(low, 24, 1)}", ha="left", **options)
    figure.text(box.x1, height, f"{style.wrapped(high, 24, 1)} →", ha="right", **options)


def _span(panel: list[tuple[str, np.ndarray]]) -> tuple[float, float]:
    values = np.concatenate([[0.0], *(values for _, values in panel)])
    room = 0.06 * (values.max() - values.min())
    return float(values.min() - room), float(values.max() + room)


def _draw(axes: Axes, panel: list[tuple[str, np.ndarray]], position: int, room: int) -> None:
    colour, marker = method_style(position)
    axes.set_ylim(len(panel) - 0.5, -0.5)
    axes.axvline(0, color=style.MUTED, linewidth=0.6)
    for row, (_, values) in enumerate(panel):
        axes.plot([values.min(), values.max()], [row, row], color=colour, linewidth=1, alpha=0.4)
        style.dots(axes, values, np.full(len(values), row), 2.4, colour, 0.5)
        axes.plot(values.mean(), row, marker, color=colour, markersize=5, markeredgecolor="white")
    names = [style.wrapped(name, room, 1) for name, _ in panel]
    axes.set_yticks(range(len(panel)), names, fontsize=7.5)
    axes.grid(axis="x")
    style.quiet(axes)
