"""Coefficients of linear methods on a data set, and their paths over strengths of the penalty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass.base.messages import names_and_others
from linclass.plotting import MAX_NAMED, CoefficientDisplay, PathDisplay, with_room
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.wording import metric_words, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import end_labels
from linclass_study.report.drawing.panels import NAMED, name_above
from linclass_study.report.drawing.style import INK
from linclass_study.report.figure_files import ReportFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MAX_OF_EACH_SIGN = 10  # of each sign, of one score; with several, in panels, half of it
MAX_PANELS, TWO_COLUMNS = 6, 5.0  # panels, half of them in figures narrower than this (inches)
SCORE_KEY = ["repeat", "fold", "class"]  # one score of one fit
ONE_COLUMN = 3.95  # inches of a figure of one column at most, which a phone shows whole
# inches of a feature, and of a line with the classes that each side favours
ROW, SIDES = 0.19, 0.16


def coefficients(outcome: Outcome, dataset: str) -> ReportFigure:
    """Largest positive and negative coefficients of the best linear method of a data set."""
    found = best_linear(outcome, dataset)
    if found is None:
        why = f"no linear method on {dataset} has coefficients of named features"
        return ReportFigure.nothing(why)
    method, table = found[0], oriented(found[1], outcome.about(dataset))
    classes, name = outcome.about(dataset)["classes"], outcome.labels.methods[method]
    codes = table["class"].unique().sort().to_list()
    most = MAX_OF_EACH_SIGN if len(codes) == 1 else MAX_OF_EACH_SIGN // 2
    of_class = {code: largest(table.filter(pl.col("class") == code), most) for code in codes}
    zero = [str(classes[code]) for code, panel in of_class.items() if not panel]
    columns = 1 if len(codes) == 1 or style.width() < TWO_COLUMNS else 2
    shown = [code for code, panel in of_class.items() if panel][: MAX_PANELS // 2 * columns]
    panels = [of_class[code] for code in shown]
    unit = "standard deviation" if is_standardized(table) else "unit"
    titles, sides, speaks = [str(classes[code]) for code in shown], [], ""
    if len(codes) == 1:
        titles, sides = [""], [str(classes[1 - shown[0]]), str(classes[shown[0]])]
        speaks = f" Positive ones favour {sides[1]}, negative ones {sides[0]}."
    figure = _coefficient_panels(panels, titles, columns, f"coefficient, per {unit}", sides)
    name_above(figure, name)
    fits, over = fits_and_units(outcome, dataset, table)
    of_how_many = table["feature"].drop_nulls().n_unique()
    caption = (
        f"Coefficients of {name}: how much its score rises with one {unit} of the feature.{speaks} "
        + (f"Large marks are means over {fits} {over}, dots the {over}. " if fits > 1 else "")
    )
    if all(len(panel) == of_how_many for panel in panels):
        caption += "It is the best linear method here with comparable coefficients."
    else:
        caption += f"Of {of_how_many} features the most positive and the most negative are shown."
    caption += sentence_on_folds(table, over)
    if zero:
        caption += f" All coefficients of {names_and_others(zero, MAX_PANELS)} are 0."
    if len(codes) - len(zero) > len(shown):
        caption += f" {len(shown)} of {len(codes)} classes are shown."
    more = " A row gets the class of the highest score, so differences between panels count."
    caption += more * (len(codes) > 1)
    of_class_shown = {
        str(classes[code]): [
            {"feature": name, "mean": values.mean(), "folds": values}
            for name, values in of_class[code]
        ]
        for code in shown
    }
    numbers = {"method": method, "per": unit, "classes": of_class_shown}
    title = f"Coefficients on {outcome.labels.datasets[dataset]}"
    return ReportFigure(figure, title, caption, numbers)


def best_linear(outcome: Outcome, dataset: str) -> tuple[str, pl.DataFrame] | None:
    """(method, coefficients of the main protocol) of the best method with standardized features, whose coefficients
    are comparable, and a finite optimum; without such a method, of the best linear method."""
    protocol, others = outcome.protocol(dataset), None
    odd = outcome.fits.filter(pl.col("status").is_in(("separable", "rank_deficient")))
    without_optimum = {*odd.filter(dataset=dataset)["method"]}
    for method in ranking(outcome, dataset)["method"]:
        table = outcome.run_table("coefficients", dataset, method)
        if table is None:
            continue
        table = table.filter(protocol=protocol)
        if not table.filter(pl.col("feature").is_not_null(), pl.col("value") != 0).height:
            continue
        if is_standardized(table) and method not in without_optimum:
            return method, table
        others = others or (method, table)
    return others


def fits_and_units(outcome: Outcome, dataset: str, table: pl.DataFrame) -> tuple[int, str]:
    """The number of fits with coefficients, and what they are of: folds or hold-outs."""
    fits = table.select("repeat", "fold").unique().height
    return fits, units(outcome.evaluation, outcome.protocol(dataset))


def oriented(table: pl.DataFrame, about: Mapping[str, Any]) -> pl.DataFrame:
    """Coefficients of the positive class, if two classes have one score."""
    positive = about["classes"].index(about["positive"]) if len(about["classes"]) == 2 else None
    if positive is None or table["class"].n_unique() > 1:
        return table
    sign = pl.when(pl.col("class") == positive).then(1.0).otherwise(-1.0)
    of_class = pl.lit(positive, table.schema["class"]).alias("class")
    return table.with_columns(of_class, value=pl.col("value") * sign)


def is_standardized(table: pl.DataFrame) -> bool:
    return bool((table["scale"] != 1).any())


def over_folds(table: pl.DataFrame) -> dict[tuple[int, str], np.ndarray]:
    """(class, feature) → value · scale in each fold whose fit has the feature; 0 if the fit stored only its largest
    coefficients and this is not among them."""
    cut = _truncated_fits(table)
    fits = dict(cut.group_by("class").len().iter_rows())
    features = (
        table.drop_nulls("feature")
        .join(cut.with_columns(cut=True), on=SCORE_KEY, how="left", maintain_order="left")
        .group_by("class", "feature", maintain_order=True)
        .agg(effect=pl.col("value") * pl.col("scale"), cut=pl.col("cut").count())
    )
    return {
        (code, feature): np.pad(np.array(effect), (0, fits.get(code, 0) - among))
        for code, feature, effect, among in features.iter_rows()
    }


def sentence_on_folds(table: pl.DataFrame, over: str) -> str:
    """A sentence for the caption about folds, or hold-outs, without a coefficient of each feature."""
    if _truncated_fits(table).height:
        return (
            " A fit with many features keeps its largest coefficients, and the others count as 0."
        )
    folds = table.select("repeat", "fold").unique().height
    if any(len(effect) < folds for effect in over_folds(table).values()):
        return f" A feature that the fits of some {over} do not have is averaged over the other {over}."
    return ""


def _truncated_fits(table: pl.DataFrame) -> pl.DataFrame:
    """Fits that have more features than stored coefficients."""
    kept = table.group_by(SCORE_KEY).agg(pl.col("feature").count(), pl.col("features").first())
    return kept.filter(pl.col("features") > pl.col("feature")).select(SCORE_KEY)


def largest(table: pl.DataFrame, most: int) -> Features:
    """(feature, coefficients) of the `most` highest and `most` lowest means of a class, highest first."""
    rows = [(feature, effects) for (_, feature), effects in over_folds(table).items()]
    rows.sort(key=lambda row: (-row[1].mean(), row[0]))
    if len(rows) <= 2 * most:
        return rows
    positive = [row for row in rows[:most] if row[1].mean() > 0]
    negative = [row for row in rows[-most:] if row[1].mean() < 0]
    return [*positive, *negative]


Features = list[tuple[str, np.ndarray]]  # with their coefficients in each fit


def _coefficient_panels(
    panels: list[Features], titles: list[str], columns: int, axis: str, sides: list[str]
) -> Figure:
    """A panel for each class in so many columns; `sides` are the classes that low and high coefficients favour."""
    rows = [range(len(panels))[i : i + columns] for i in range(0, len(panels), columns)]
    tall = [ROW * max(len(panels[number]) for number in row) for row in rows]
    whole = style.width() if columns > 1 else min(style.width(), ONE_COLUMN)
    width, room = whole / columns, 0.34 * whole / columns
    names = [[style.fitted(name, room, style.SMALL) for name, _ in panel] for panel in panels]
    left = 0.15 + max(style.widest(panel, style.SMALL) for panel in names)
    axis = style.broken(axis, width - left - 0.1)
    ends = [style.fitted(side, (whole - left) / 2 - 0.4, style.TEXT) for side in sides]
    ends = [f"← {ends[0]}", f"{ends[1]} →"] if sides else []
    longest = 2 * style.widest(ends, style.TEXT) + style.text_width(axis, style.TEXT)
    own_line = SIDES * (bool(sides) and longest + 0.5 > whole - left)
    below = 0.5 + 0.15 * axis.count("\n") + own_line
    head = NAMED if len(panels) > 1 else NAMED - 0.16  # a single panel has no title of its own
    height = sum(tall) + 0.56 * len(rows) - 0.3 + below + head
    figure = style.canvas(whole, height)
    limits = with_room(*(values for panel in panels for _, values in panel))
    top = height - head
    for row, deep in zip(rows, tall, strict=True):
        top -= 0.26
        for column, number in enumerate(row):
            own = ROW * len(panels[number])
            place = (column * width + left) / whole, (top - own) / height
            axes = figure.add_axes((*place, (width - left - 0.15) / whole, own / height))
            values = [of_feature for _, of_feature in panels[number]]
            mean, low, high = (np.array([f(v) for v in values]) for f in (np.mean, np.min, np.max))
            shown = CoefficientDisplay(names[number], mean, low, high, values)
            shown.plot(axes, color=INK, marker="o")
            axes.set(xlim=limits, xlabel="")
            axes.locator_params(axis="x", nbins=max(2, min(8, int((width - left) / 0.5))))
            axes.tick_params(axis="y", labelsize=style.SMALL)
            title = style.fitted(titles[number], width - left - 0.15, style.TEXT)
            axes.set_title(title, loc="left", fontsize=style.TEXT, pad=3)
        top -= deep + 0.3
    middle = 0.5 if columns > 1 else (left + whole - 0.15) / 2 / whole
    options: dict[str, Any] = {"va": "bottom", "color": style.INK}
    figure.text(middle, (0.06 + own_line) / height, axis, ha="center", **options)
    if sides:
        figure.text(left / whole, 0.06 / height, ends[0], ha="left", **options)
        figure.text(1 - 0.15 / whole, 0.06 / height, ends[1], ha="right", **options)
    return figure


MAX_PATHS = 2  # number of methods, the best ones with a path
PATH_WIDTH = 2.9  # inches of a method at least


def paths(outcome: Outcome, dataset: str) -> ReportFigure:
    """Regularization paths: coefficients and inner cross-validation score against the strength of the penalty."""
    runs = outcome.results / "runs" / dataset
    able = [
        method
        for method in ranking(outcome, dataset)["method"]
        if all((runs / method / f"{table}.parquet").exists() for table in ("paths", "tuning"))
    ]
    if not able:
        why = f"no method on {dataset} is tuned over strengths and has a path"
        return ReportFigure.nothing(why)
    panel = style.width() / max(1, min(MAX_PATHS, int(style.width() / PATH_WIDTH)))
    shown = able[: round(style.width() / panel)]
    about = outcome.about(dataset)
    classes, words = about["classes"], metric_words(outcome.metric)
    width = len(shown) * panel
    figure = style.canvas(width, 4.4)
    numbers: dict[str, Any] = {}
    for column, method in enumerate(shown):
        path, tuning = (outcome.run_table(table, dataset, method) for table in ("paths", "tuning"))
        assert path is not None
        assert tuning is not None
        path = oriented(path, about)
        scores = inner_scores(tuning.filter(protocol=outcome.protocol(dataset)))
        code = int(path["class"].to_numpy().max())
        left, span = (column * panel + 1.2) / width, (panel - 1.9) / width
        above = figure.add_axes((left, 0.45, span, 0.48))
        below = figure.add_axes((left, 0.11, span, 0.27), sharex=above)
        numbers[method] = _draw_path(above, path.filter(pl.col("class") == code))
        numbers[method] |= {"class": str(classes[code]), "inner": scores.to_dicts()}
        _draw_scores(below, scores)
        title = style.fitted(outcome.labels.methods[method], panel - 1.2, style.TEXT)
        above.set_title(title, loc="left", fontsize=style.TEXT)
        above.tick_params(which="both", labelbottom=False)
        below.set_xlabel("strength of the penalty")
        style.mark_log(below.xaxis)
        above.text(-0.05, 1.035, "feature", transform=above.transAxes, ha="right")
        above.yaxis.set_label_position("right")
        above.set_ylabel("coefficient")
        if not column:
            below.set_ylabel(words)
    of_class = f" of the score of {about['positive'] if len(classes) == 2 else classes[-1]}"
    most = max(len(own["path"]) for own in numbers.values())
    named = f"; the {MAX_NAMED} largest are named" if most > MAX_NAMED else ""
    caption = (
        f"Above: coefficients{of_class} per standard deviation of the feature against the strength, in "
        f"the first fit{named}. Below: the mean {words} of the inner folds of all fits, with "
        "its standard error; marks are strengths that were chosen, the larger the more often. "
        "Further to the right the penalty is stronger."
    )
    if len(able) > len(shown):
        caption += f" The {len(shown)} best of {len(able)} methods with a path are shown."
    title = f"Paths over strengths on {outcome.labels.datasets[dataset]}"
    return ReportFigure(figure, title, caption, numbers)


def inner_scores(tuning: pl.DataFrame) -> pl.DataFrame:
    """One row per strength, with the best values of the other parameters: mean over fits of the inner mean and of its
    standard error, and number of fits that selected it. Strengths of paths that were derived from the rows of each fit
    are those of a common grid, as no two fits have the same."""
    params = [json.loads(text) for text in tuning["params"]]
    strengths = pl.Series("strength", [float(own.pop("strength")) for own in params])
    others = pl.Series("params", [json.dumps(own, sort_keys=True) for own in params])
    scored = tuning.with_columns(strengths, others).filter(pl.col("strength") > 0)
    values = scored["strength"].unique().sort().to_numpy()
    of_fit = scored.group_by("repeat", "fold").agg(pl.col("strength").n_unique())["strength"]
    most = max(of_fit, default=0)
    if 1 < most < len(values):
        grid = np.geomspace(values[0], values[-1], most)
        nearest = np.abs(np.log(scored["strength"].to_numpy()[:, None] / grid)).argmin(axis=1)
        scored = scored.with_columns(strength=pl.Series(grid[nearest]))
    return (
        scored.group_by("strength", "params")
        .agg(pl.col("mean").mean(), pl.col("error").mean(), chosen=pl.col("chosen").sum())
        .sort("mean", "params", descending=[True, False], nulls_last=True)
        .group_by("strength", maintain_order=True)
        .agg(pl.col("mean").first(), pl.col("error").first(), pl.col("chosen").sum())
        .sort("strength")
    )


def _draw_path(axes: Axes, path: pl.DataFrame) -> dict[str, Any]:
    effects = path.drop_nulls("feature").with_columns(effect=pl.col("value") * pl.col("scale"))
    effects = effects.with_columns(feature="=" + pl.col("feature"))  # may be named `strength`
    table = effects.pivot("feature", index="strength", values="effect").sort("strength")
    names = [name[1:] for name in table.columns[1:]]
    strengths, *weights = table.to_numpy().T
    shown = PathDisplay(strengths, np.column_stack(weights), names).plot(axes, legend=False)
    ends = [
        (float(weights[j][0]), style.fitted(names[j], 1.05, style.SMALL), style.COLOURS[number])
        for number, j in enumerate(shown.largest[:MAX_NAMED])
    ]
    axes.margins(y=0.06)
    axes.set_xlabel("")  # that of the scores below
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.spines["right"].set_visible(True)
    axes.tick_params(axis="y", labelsize=7.5)
    end_labels(axes, ends, right=False)
    return {"path": {names[j]: [strengths.tolist(), weights[j].tolist()] for j in shown.largest}}


def _draw_scores(axes: Axes, scores: pl.DataFrame) -> None:
    scored = scores.drop_nulls("mean")
    x, mean, error = (scored[name].to_numpy() for name in ("strength", "mean", "error"))
    axes.fill_between(x, mean - error, mean + error, color=INK, alpha=0.15, linewidth=0)
    axes.plot(x, mean, color=INK, linewidth=1.2)
    chosen = scored.filter(pl.col("chosen") > 0)
    share = chosen["chosen"].to_numpy() / max(1, int(chosen["chosen"].sum()))
    for place, value, size in zip(chosen["strength"], chosen["mean"], share, strict=True):
        # not clipped, as the ends of the grid are the ends of the axis
        options: Any = {"color": INK, "markeredgecolor": "white", "clip_on": False, "zorder": 3}
        axes.plot(place, value, "o", markersize=3 + 7 * size**0.5, **options)
    axes.grid()
