"""The data that the page's scripts sort, filter and draw, as one JSON object.

Scores are those of every fold, for each metric that a reader can choose, so that the scripts can compare any two
methods; tests and intervals across data sets are computed here. Methods and data sets are numbers in the study's
order. `study_data` documents the keys.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from linclass.base.public import MODULES
from linclass.evaluation import metrics
from linclass.evaluation.comparisons.friedman_test import ranks
from linclass_study.analysis.across_datasets import (
    MIN_DATA_SETS,
    OTHER_METRICS,
    ComparisonAcross,
    bootstrap_means,
    comparison_across,
    groups_sharing_rows,
    scenarios,
)
from linclass_study.analysis.comparison_with_control import (
    across,
    baselines,
    focus_of,
    ranks_decide,
)
from linclass_study.analysis.fit_problems import planned_sentence, planned_words
from linclass_study.analysis.headline import headline_by
from linclass_study.analysis.outcome import Outcome, PlaneGrid, median_seconds
from linclass_study.analysis.tuned_values import chosen_values, grid_ends
from linclass_study.analysis.within_dataset import rope_of
from linclass_study.analysis.wording import metric_title, metric_words, protocol_phrase, test_words
from linclass_study.report.data_card import data_warnings, source_of
from linclass_study.report.drawing.svg import corners
from linclass_study.report.figures.boundaries import grids_of_methods, training_rows
from linclass_study.report.method_scores import fits_of_methods, fold_values

LARGE = 2000  # scores, from which on scripts draw and add parts of the page when they are wanted
UNIT = 1e-5  # of scores, which are whole numbers of it
SECONDS = 1e-6  # of seconds
LEADING = 6  # methods with a colour of their own
MAX_CLASSES = 30  # whose names the page has
MAX_PLANES = 6  # data sets whose decision boundaries are on the first screen
MAX_PANELS = 6  # of them at first
MAX_POINTS = 250  # rows in a panel of a plane
TUNED_DIGITS = 4  # of tuned values
RANK_DIGITS = 7  # of mean ranks: equal ones share their place, others do not
SIDE = 1000  # of a plane, in whole numbers
PRECISION = 3.0  # of a boundary, in the same unit
LEVEL = 0.95  # of intervals
LABELS = ("Predicts", "Cost", "Certificate", "Reference")  # of a model's docstring


def study_data(outcome: Outcome) -> dict[str, Any]:
    """All data of the page.

    metric      the study's metric; `metrics` are those that the page can show, the study's first, the others with the
                headline by them; on large pages without, which would take a minute
    planned     how many fits of each method are planned, and for what
    leading     methods with a colour of their own; others are grey
    focus       methods that the study is about
    baseline    methods that guess the most frequent class
    methods     name, classifier and what its docstring says, in the study's order
    datasets    size, folds and warnings, in the study's order
    t           Student's quantiles of 95 % intervals for 1, 2, … degrees of freedom
    scores      metric → [data set][method] → scores of the folds in UNIT, null for a method without a score of each
    partial     metric → {"data set,method": mean over the folds that have a score}
    seconds     [data set][method], median of the fits in SECONDS
    memory      [data set][method], the most of a process in MB
    fits        [data set][method] → number of fits by status
    tuned       [data set][method] → parameter → [[value, times, end of the grid], …], the last only if it is an end
    across      metric → tests across data sets
    planes      decision boundaries
    ratings     [method, rating, low, high] by the study's metric, best first; of few data sets without interval
    sensitivity the study's comparison and its variations, with their best methods
    """
    names = [outcome.metric, *(name for name in OTHER_METRICS if name != outcome.metric)]
    scores, partial = _scores(outcome, names)
    datasets = _datasets(outcome)
    shown = [name for name in names if any(any(row) for row in scores[name])]
    medians = median_seconds(outcome.times).items()
    seconds = {run: max(round(median / SECONDS), 1) for run, median in medians}
    most = pl.col("peak_rss_mb").max().round(0).cast(pl.Int64)
    memory = outcome.times.group_by("dataset", "method").agg(most).drop_nulls().iter_rows()
    return {
        "metric": outcome.metric,
        "planned": planned_sentence(outcome.fits),
        "leading": _places(outcome, leading_methods(outcome)),
        "metrics": [_metric(outcome, name) for name in shown],
        "focus": _places(outcome, focus_of(outcome)),
        "baseline": _places(outcome, baselines(outcome)),
        "methods": [_method(outcome, name) for name in outcome.methods],
        "datasets": datasets,
        "t": _t_quantiles(max(len(datasets), *(one.get("folds", 0) for one in datasets))),
        "scores": {name: scores[name] for name in shown},
        "partial": {name: partial[name] for name in shown},
        "seconds": _of_runs(outcome, seconds, None),
        "memory": _of_runs(outcome, {(d, m): megabytes for d, m, megabytes in memory}, None),
        "fits": _of_runs(outcome, _fits(outcome), {}),
        "tuned": _of_runs(outcome, _tuned(outcome), {}),
        "across": {name: _across(outcome, name) for name in shown},
        "planes": _planes(outcome),
        "ratings": _ratings(outcome, comparison_across(outcome)),
        "sensitivity": [
            {"what": one.what, "datasets": one.datasets, "best": _places(outcome, one.best)}
            for one in scenarios(outcome, comparison_across(outcome))
        ],
    }


def leading_methods(outcome: Outcome) -> list[str]:
    """The focus and the first methods by mean rank, or by mean if they are not ranked: those with a colour."""
    base = comparison_across(outcome)
    if base.enough:
        order = [base.methods[j] for j in np.argsort(base.nemenyi.ranks, kind="stable")]
    else:
        every = base.every
        mean = np.nanmean(every.table, axis=0) if every.table.size else np.zeros(0)
        order = [every.methods[j] for j in np.argsort(-mean, kind="stable")]
    guesses = baselines(outcome)
    names = dict.fromkeys([*focus_of(outcome), *(name for name in order if name not in guesses)])
    return [*names][:LEADING]


def as_json(data: dict[str, Any]) -> str:
    """JSON that can stand in a script element of HTML."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _places(outcome: Outcome, names: Any) -> list[int]:
    order = {name: place for place, name in enumerate(outcome.methods)}
    return [order[name] for name in names]


def _metric(outcome: Outcome, name: str) -> dict[str, Any]:
    low, high = metrics.bounds(name)
    told = name == outcome.metric or len(outcome.datasets) * len(outcome.methods) > LARGE
    return {
        "name": name,
        "words": metric_words(name),
        "title": metric_title(name),
        "greater": metrics.greater_is_better(name),
        **({} if told else {"headline": headline_by(outcome, name)}),
        "rope": rope_of(outcome.evaluation) if name == outcome.metric else 0.0,
        "bounds": [end if np.isfinite(end) else None for end in (low, high)],
    }


def _method(outcome: Outcome, name: str) -> dict[str, Any]:
    entry = outcome.methods[name]
    steps = entry.get("transforms") or []
    return {
        "name": name,
        "classifier": entry.get("classifier", ""),
        "params": entry.get("params") or {},
        "tune": entry.get("tune") or {},
        "transforms": [step if isinstance(step, str) else json.dumps(step) for step in steps],
        "grid_end": grid_ends(outcome).get(name, ""),
        **docstring_parts(str(entry.get("classifier", ""))),
        **_label(entry),
    }


def _label(entry: Mapping[str, Any]) -> dict[str, str]:
    """What the page calls a method or data set, if its entry says so."""
    return {"label": str(entry["label"])} if entry.get("label") else {}


def docstring_parts(classifier: str) -> dict[str, str]:
    """What the docstring of a model of linclass says: its equation, and the lines that begin with LABELS; nothing for
    other classifiers, which are not imported."""
    module = MODULES.get(classifier.removeprefix("linclass."), "")
    if not classifier.startswith("linclass.") or not module:
        return {}
    loader: Any = getattr(find_spec(module), "loader", None)
    if not hasattr(loader, "get_source"):
        return {}
    text = ast.get_docstring(ast.parse(loader.get_source(module) or "")) or ""
    equation, *pieces = re.split(rf"\n({'|'.join(LABELS)}): ", text.rstrip())
    labelled = zip(pieces[::2], pieces[1::2], strict=True)
    found = {label.lower(): " ".join(value.split()) for label, value in labelled}
    return {"equation": equation.strip(), **found}


def _datasets(outcome: Outcome) -> list[dict[str, Any]]:
    warnings = data_warnings(outcome)
    relatives = {name: group for group in groups_sharing_rows(outcome) for name in group}
    found = []
    for place, (name, own) in enumerate(outcome.parts().items()):
        about = own.about(name)
        one: dict[str, Any] = {
            "name": name,
            **_label(own.datasets[name]),
            "anchor": f"data-{place + 1}",
            "warnings": warnings.get(name, []),
            "shares": [other for other in relatives[name] if other != name],
        }
        if about["status"] == "unavailable":
            found.append(one | {"unavailable": about["reason"]})
            continue
        protocol = own.protocol(name)
        fits = own.fits.filter(protocol=protocol)
        counts, classes = about["class_counts"], about["classes"]
        sized = fits.filter(pl.col("n_train") > 0)  # no folds, no sizes
        ratio, test = (sized["n_test"] / sized["n_train"]).mean(), sized["n_test"].mean()
        found.append(one)
        one |= {
            "rows": about["rows"],
            "features": about["n_features"],
            "sparse": bool(about.get("sparse")),
            "n_classes": len(classes),
            "classes": classes[:MAX_CLASSES],
            "counts": counts[:MAX_CLASSES],
            "majority": max(counts) / max(sum(counts), 1),
            "separable": own.checks(name).get("separable"),
            "source": source_of(about),
            "over": protocol_phrase(own.evaluation, protocol),
            "planned": planned_words(own.fits) * (own.fits["protocol"].n_unique() > 1),
            "folds": fits.select("repeat", "fold").unique().height,
            "ratio": ratio if isinstance(ratio, float) else 0.0,
            "step": 1 / test if isinstance(test, float) and test else 0.0,
        }
    return found


def _t_quantiles(most: int) -> list[float]:
    """Student's quantiles of two-sided 95 % intervals for 1, 2, … degrees of freedom."""
    from scipy.special import stdtrit  # slow to import

    return _rounded(stdtrit(np.arange(1, max(most, 2)), (1 + LEVEL) / 2), 8)


def _scores(
    outcome: Outcome, names: list[str]
) -> tuple[dict[str, list[Any]], dict[str, dict[str, float]]]:
    methods = list(outcome.methods)
    names = [name for name in names if "." in name or name in metrics.names()]
    scores: dict[str, list[Any]] = {name: [] for name in names}
    partial: dict[str, dict[str, float]] = {name: {} for name in names}
    for place, (dataset, own) in enumerate(outcome.parts().items()):
        if own.about(dataset)["status"] == "unavailable":
            for name in names:
                scores[name].append([None] * len(methods))
            continue
        protocol = own.protocol(dataset)
        of_protocol = own.scores.filter(pl.col("metric").is_in(names), protocol=protocol)
        values = fold_values(of_protocol, names, methods)
        planned, fitted, _, _ = fits_of_methods(own.fits.filter(protocol=protocol), methods)
        count = np.isfinite(values).sum(axis=2)
        whole = (count > 0) & (np.minimum(count, fitted) == planned)
        for i, name in enumerate(names):
            scores[name].append(row := [None] * len(methods))
            for j, of_folds in enumerate(values[i]):
                if whole[i, j]:
                    own_values = of_folds[~np.isnan(of_folds)]
                    row[j] = np.round(own_values / UNIT).astype(int).tolist()
                elif count[i, j]:
                    partial[name][f"{place},{j}"] = round(float(np.nanmean(of_folds)), 5)
    return scores, partial


def _of_runs(outcome: Outcome, known: Mapping[tuple[str, str], Any], default: Any) -> list[Any]:
    """(data set, method) → value as a nested list, [data set][method]."""
    return [[known.get((d, m), default) for m in outcome.methods] for d in outcome.datasets]


def _fits(outcome: Outcome) -> dict[tuple[str, str], dict[str, int]]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    ended = outcome.fits.group_by("dataset", "method", "status").len().sort(pl.all())
    for dataset, method, status, n in ended.iter_rows():
        counts.setdefault((dataset, method), {})[status] = n
    return counts


def _tuned(outcome: Outcome) -> dict[tuple[str, str], dict[str, list[Any]]]:
    """Values of floats have TUNED_DIGITS digits."""
    times: dict[tuple[str, str], dict[str, Counter[tuple[str, str | None]]]] = {}
    main = {name: outcome.protocol(name) for name in outcome.datasets}
    columns = ("dataset", "method", "protocol", "parameter", "value", "edge")
    chosen = chosen_values(outcome).select(columns)
    for dataset, method, protocol, parameter, text, edge in chosen.iter_rows():
        if protocol == main.get(dataset):
            value = json.loads(text)
            if isinstance(value, float):
                text = f"{value:.{TUNED_DIGITS}g}" if np.isfinite(value) else json.dumps(str(value))
            run = times.setdefault((dataset, method), {})
            run.setdefault(parameter, Counter())[text, edge] += 1
    return {
        run: {
            parameter: [
                [json.loads(text), n, *([edge] if edge else [])]
                for (text, edge), n in sorted(counted.items(), key=str)
            ]
            for parameter, counted in of_run.items()
        }
        for run, of_run in times.items()
    }


def _across(outcome: Outcome, metric: str) -> dict[str, Any] | None:
    """Tests across data sets by a metric; None if there is nothing to compare.

    methods, datasets   numbers of those that are compared
    rank, low, high     mean ranks and, of enough data sets, their bootstrap intervals
    groups              methods that do not differ significantly by Nemenyi's test
    control             the focus or the best method; `verdict` is 1 where it is significantly better than one of the
                        `others`, −1 where it is worse, `p` that after correction, `words` the test and its correction
    test                wilcoxon, ranks or nemenyi; `chosen`: whether p is corrected for all pairs, as the control was
                        chosen as the best method by the same scores
    pairs               p of all pairs after correction, [i][j − i − 1] of the pair i < j; null if all are 1. As of a
                        chosen control, Nemenyi's test decides where Wilcoxon's cannot; `pairs_words` names the test
    """
    base = comparison_across(outcome, metric)
    if not base.enough:
        return None
    order = {name: place for place, name in enumerate(outcome.datasets)}
    methods = _places(outcome, base.methods)
    intervals = {}  # by a bootstrap over data sets
    if base.enough_for_intervals:
        ends = map(_rounded, bootstrap_means(np.array(ranks(base.table))))
        intervals = dict(zip(("low", "high"), ends, strict=True))
    found: dict[str, Any] = {
        "datasets": [order[name] for name in base.datasets],
        "methods": methods,
        "rank": _rounded(base.nemenyi.ranks, RANK_DIGITS),
        **intervals,
        "groups": [[methods[j] for j in group] for group in base.nemenyi.groups],
        **_pairs(base),
    }
    focus = [name for name in focus_of(outcome) if name in base.methods]
    against = across(outcome, base, (focus or base.best)[0])
    if against is not None and against.enough:
        others = _places(outcome, against.others)
        found |= {
            "control": _places(outcome, [against.control])[0],
            "test": against.test,
            "words": test_words(against.test, len(others), against.comparisons),
            "chosen": against.chosen_from is not None,
            "others": others,
            "verdict": against.significant.astype(int).tolist(),
            "p": _rounded(against.adjusted),
        }
    return found


def _rounded(values: np.ndarray, digits: int = 4) -> list[float]:
    return [float(f"{value:.{digits}g}") for value in values.tolist()]


def _pairs(base: ComparisonAcross) -> dict[str, Any]:
    n, k = base.table.shape
    comparisons = k * (k - 1) // 2
    by_ranks = ranks_decide(n, comparisons)
    adjusted = base.nemenyi.p if by_ranks else base.pairs.adjusted
    pairs = (
        None if (adjusted == 1).all() else [_rounded(p[i + 1 :]) for i, p in enumerate(adjusted)]
    )
    words = test_words("nemenyi" if by_ranks else "wilcoxon", k - 1, comparisons)
    return {"pairs": pairs, "pairs_words": words}


def _ratings(outcome: Outcome, base: ComparisonAcross) -> list[list[float]]:
    if not base.enough or len(base.datasets) < MIN_DATA_SETS:
        return []
    rated, places = base.ratings, _places(outcome, base.methods)
    ends = (rated.lower, rated.upper) if base.enough_for_intervals else ()
    return [
        [places[j], round(float(rated.elo[j]), 1), *(round(float(end[j]), 1) for end in ends)]
        for j in np.argsort(-rated.elo, kind="stable")
    ]


def _planes(outcome: Outcome) -> list[dict[str, Any]]:
    """Decision boundaries of data sets of two features; without any, of the first one with a plane.

    axes        names of its axes; coordinates are whole numbers from 0 to SIDE, upwards
    shown       methods of the first screen
    points      [x, y, class] of some training rows
    panels      method → the regions of classes but the first (paths of polygons), in which most folds predict them,
                and the boundaries of each fold (paths of lines)
    """
    runs = outcome.results / "runs"
    names = [
        name
        for name in outcome.datasets
        if outcome.about(name)["status"] != "unavailable"
        and any((runs / name / method / "boundary.npz").exists() for method in outcome.methods)
    ]
    two = [name for name in names if outcome.about(name)["n_features"] == 2]
    found = []
    for name in two[:MAX_PLANES] or names[:1]:
        on_plane, (grids, _) = (
            training_rows(outcome, name),
            grids_of_methods(outcome.parts()[name], name),
        )
        if isinstance(on_plane, str) or not grids:
            continue
        (X, y, plane), about = on_plane, outcome.about(name)
        first, n_classes = next(iter(grids.values())), len(about["classes"])
        low = np.array([first.x[0], first.y[0]])
        scale = SIDE / (np.array([first.x[-1], first.y[-1]]) - low)
        some = np.unique(np.linspace(0, len(X) - 1, min(len(X), MAX_POINTS)).astype(int))
        points = np.round((X[some] - low) * scale).astype(int) if len(X) else np.empty((0, 2), int)
        inside = ((points >= 0) & (points <= SIDE)).all(axis=1)
        codes = y[some][inside, None] if len(X) else np.empty((0, 1), int)
        panels = [_panel(grid, n_classes) for grid in grids.values()]
        found.append(
            {
                "dataset": list(outcome.datasets).index(name),
                "axes": list(plane.names) if plane else ["", ""],
                "cut": about["n_features"] != 2,
                "shown": _places(outcome, _different(outcome, grids)),
                "points": np.hstack([points[inside], codes]).tolist(),
                "panels": dict(zip(_places(outcome, grids), panels, strict=True)),
            }
        )
    return found


def _different(outcome: Outcome, grids: dict[str, PlaneGrid]) -> list[str]:
    """The leading method and the best one here, then the method whose regions differ most from those of all before, and
    so on; in the order of `grids`. Methods that predict one class everywhere come last."""
    maps = {
        name: np.stack([grid.labels == code for code in range(grid.labels.max() + 1)])
        .mean(axis=1)
        .argmax(axis=0)
        for name, grid in grids.items()
    }
    first = [*leading_methods(outcome)[:1], *grids]
    chosen = [name for name in dict.fromkeys(first) if name in grids][:2]
    while len(chosen) < min(MAX_PANELS, len(grids)):
        others = [name for name in grids if name not in chosen]
        apart = {
            name: (np.ptp(maps[name]) > 0, min((maps[name] != maps[one]).mean() for one in chosen))
            for name in others
        }
        chosen.append(max(others, key=lambda name: apart[name]))
    return [name for name in grids if name in chosen]


def _panel(grid: PlaneGrid, n_classes: int) -> dict[str, Any]:
    from contourpy import contour_generator  # with matplotlib

    gx, gy = np.linspace(0, SIDE, len(grid.x)), np.linspace(0, SIDE, len(grid.y))
    shares = np.array([(grid.labels == code).mean(axis=0) for code in range(n_classes)])
    regions, lines = [], []
    for code in range(1, n_classes):
        lead = shares[code] - np.delete(shares, code, axis=0).max(axis=0)
        found = contour_generator(gx, gy, lead, fill_type="OuterOffset").filled(0, 2)
        rings = [
            points[begin:end]
            for points, offsets in zip(*found, strict=True)
            for begin, end in pairwise(offsets)
        ]
        regions.append(_path(rings, closed=True))
    for fit in range(len(grid.labels)):
        fields = grid.fields(fit, n_classes)[1:]
        lines.append("".join(_path(contour_generator(gx, gy, field).lines(0)) for field in fields))
    return {"regions": regions, "lines": lines}


def _path(curves: Any, closed: bool = False) -> str:
    """An SVG path of curves (n, 2), in whole numbers, without points that lie on the line through their neighbours."""
    parts = []
    for curve in curves:
        kept = corners(curve[:, 0] + 1j * curve[:, 1], PRECISION)
        points = np.round(curve[kept]).astype(int).tolist()
        if len(points) > 1:
            parts.append("M" + "L".join(f"{x} {y}" for x, y in points) + "Z" * closed)
    return "".join(parts)
