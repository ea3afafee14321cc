"""Figures and tables of optional results show their numbers, or a notice if there are none."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import each
from studies import Data, Method, draw_exhibits, finish, numbers_of

from linclass_study.analysis.summary import ranking
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.files import tables as parquet
from linclass_study.files.tables import write_table
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import labels, style
from linclass_study.report.figure_files import ReportFigure
from linclass_study.report.figures import coefficients, cost
from linclass_study.report.tables import models

FOLDS = 4


@pytest.fixture
def outcome(make):
    return make(
        {"d": Data(), "three": Data(("a", "b", "c"))},
        {"m": Method(2.0), "other": Method(1.0)},
        folds=FOLDS,
    )


def keep(outcome, table, dataset, method, rows):
    """Rows without the columns that say which fit it is, of each fold: rows(fold)."""
    identity = {"dataset": dataset, "method": method, "protocol": "cv", "repeat": 0}
    reported = [identity | {"fold": fold} | row for fold in range(FOLDS) for row in rows(fold)]
    path = outcome.results / "runs" / dataset / method / f"{table}.parquet"
    write_table(parquet.frame(table, reported), table, path)


def weights(values, scale=2.0, code=1):
    """Coefficients of x0, x1, … that differ a little from fold to fold."""
    return lambda fold: [
        {"class": code, "feature": None, "value": 9.0, "scale": 1.0},
        *(
            {"class": code, "feature": f"x{j}", "value": value + 0.01 * fold, "scale": scale}
            for j, value in enumerate(values)
        ),
    ]


def drawn(name, outcome, dataset):
    with style.settings():
        return FIGURES[name](outcome, dataset)


def test_no_figure_is_drawn_without_kept_results(outcome):
    for name in ("coefficients", "paths", "convergence", "learning_curves"):
        exhibit = drawn(name, outcome, "d")
        assert exhibit.figure is None
        assert exhibit.reason
    assert models.coefficients(outcome, "d") is None
    assert not models.tuned(outcome, "d").rows


def test_coefficients_are_means_over_folds_and_the_largest_are_shown(outcome):
    keep(outcome, "coefficients", "d", "m", weights([3.0, -5.0, 0.1]))
    exhibit = drawn("coefficients", outcome, "d")
    assert "m" in [text.get_text() for text in exhibit.figure.texts]
    reported = exhibit.numbers["classes"]["yes"]
    assert [one["feature"] for one in reported] == ["x0", "x2", "x1"]
    expected = [2 * (value + 0.01 * np.arange(FOLDS)) for value in (3.0, 0.1, -5.0)]
    np.testing.assert_allclose([one["folds"] for one in reported], expected)
    assert "Positive ones favour yes, negative ones no" in exhibit.caption
    table = models.coefficients(outcome, "d")
    assert table.frame()["feature"].to_list() == ["x1", "x0", "x2"]  # by size
    in_order = [np.mean(expected[k]) for k in (2, 0, 1)]
    assert table.frame()["m"].to_list() == pytest.approx(in_order)
    values = np.linspace(-1, 1, 101)

    def rows(fold):
        own = weights(values)(fold)
        own = own if fold else [row for row in own if row["feature"] != "x100"]
        return [row | {"features": 101} for row in own]

    keep(outcome, "coefficients", "d", "m", rows)
    (reported,) = drawn("coefficients", outcome, "d").numbers["classes"].values()
    names = [one["feature"] for one in reported]
    assert len(names) == 2 * coefficients.MAX_OF_EACH_SIGN
    assert {"x99", "x98", "x0", "x1"} <= set(names)
    assert "x50" not in names
    weighed = models.effects(outcome.run_table("coefficients", "d", "m"))
    assert weighed[1, "x100"].value == pytest.approx(2 * np.mean([0, 1.01, 1.02, 1.03]))
    assert "the others count as 0" in models.coefficients(outcome, "d").caption


def test_a_feature_that_a_fit_does_not_have_is_averaged_over_the_other_folds(outcome):
    def rows(fold):
        return [
            row | {"features": 2 if fold else 1}
            for row in weights([3.0, -5.0][: 1 + (fold > 0)])(fold)
        ]

    keep(outcome, "coefficients", "d", "m", rows)
    exhibit, table = drawn("coefficients", outcome, "d"), models.coefficients(outcome, "d")
    reported = {one["feature"]: one["mean"] for one in exhibit.numbers["classes"]["yes"]}
    means = {"x0": 2 * 3.015, "x1": 2 * -4.98}
    assert reported == pytest.approx(means)
    assert dict(table.frame().select("feature", "m").iter_rows()) == pytest.approx(means)
    for caption in (exhibit.caption, table.caption):
        assert "averaged over the other folds" in caption


def test_comparable_coefficients_of_finite_optima_come_first(outcome, make):
    """Of the better method they are per unit; the other's are standardized, so that they can be compared."""
    keep(outcome, "coefficients", "d", "m", weights([1.0], scale=1.0))
    assert coefficients.best_linear(outcome, "d")[0] == "m"
    keep(outcome, "coefficients", "d", "other", weights([1.0]))
    assert coefficients.best_linear(outcome, "d")[0] == "other"
    keep(outcome, "coefficients", "d", "m", weights([1.0]))
    assert coefficients.best_linear(outcome, "d")[0] == "m"
    separable = Method(2.0, everywhere=("separable", "no optimum"))
    odd = make({"d": Data()}, {"m": separable, "other": Method(1.0)}, folds=FOLDS, name="odd")
    for method in ("m", "other"):
        keep(odd, "coefficients", "d", method, weights([1.0]))
    assert coefficients.best_linear(odd, "d")[0] == "other"


def test_a_class_without_coefficients_has_no_panel(outcome):
    """The last class may be the reference of the others, and an L1 penalty may leave nothing of a class."""
    values = {0: [3.0, *[0.5] * 12], 1: [-5.0, *[0.2] * 12]}

    def rows(fold):
        zero = [row | {"value": 0.0} for row in weights([0.0] * 13, code=2)(fold)]
        return [row for code, own in values.items() for row in weights(own, code=code)(fold)] + zero

    keep(outcome, "coefficients", "three", "m", rows)
    exhibit = drawn("coefficients", outcome, "three")
    assert list(exhibit.numbers["classes"]) == ["a", "b"]
    assert "All coefficients of c are 0." in exhibit.caption


def test_coefficients_speak_for_the_positive_class_which_may_be_the_first(outcome):
    keep(outcome, "coefficients", "d", "m", weights([3.0, -5.0]))
    file = outcome.results / "data" / "d.json"
    about = json.loads(file.read_text())
    first, last = about["classes"]
    assert about["positive"] == last
    as_kept = models.coefficients(outcome, "d")
    file.write_text(json.dumps(about | {"positive": first}))
    turned = replace(outcome)  # read anew
    table = models.coefficients(turned, "d")
    assert f"positive ones favour {first}" in table.caption
    features = as_kept.frame()["feature"].to_list()
    assert table.frame()["feature"].to_list() == features
    assert table.frame()["m"].to_list() == [-value for value in as_kept.frame()["m"]]
    exhibit = drawn("coefficients", turned, "d")
    assert f"Positive ones favour {first}, negative ones {last}" in exhibit.caption
    reported = {one["feature"]: one["mean"] for one in exhibit.numbers["classes"][first]}
    assert reported["x0"] < 0 < reported["x1"]
    keep(turned, "tuning", "d", "m", tuning)
    keep(turned, "paths", "d", "m", lambda fold: path(fold) if fold == 0 else ())
    of_path = drawn("paths", turned, "d")
    assert f"of the score of {first} per" in of_path.caption
    assert of_path.numbers["m"]["path"]["x7"][1] == [-400.0, -40.0, -4.0]


def test_methods_without_coefficients_are_named_with_the_reason(make):
    methods = {f"m{i}": Method(5.0 - i / 2) for i in range(10)}
    outcome = make({"d": Data()}, methods, folds=FOLDS)
    ranked = ranking(outcome, "d")["method"].to_list()
    keep(outcome, "coefficients", "d", ranked[0], weights([1.0], scale=1.0))
    for method in ranked[2:]:
        keep(outcome, "coefficients", "d", method, weights([1.0]))
    table = models.coefficients(outcome, "d")
    assert [column.key for column in table.columns[1:]] == ranked[2:8]
    assert (
        f"Left out: {ranked[0]} (not per standard deviation); {ranked[1]} (no coefficients of named "
        f"features); {ranked[8]}, {ranked[9]} (there is room for 6)."
    ) in table.caption


def test_long_names_and_many_classes_are_drawn(make):
    classes = tuple(f"class {k} of a rather long name" for k in range(8))
    method = "a_method_" + "of_a_long_name" * 3
    outcome = make({"many": Data(classes, rows=80)}, {method: Method(2.0)}, folds=FOLDS)

    def rows(fold):
        reported = [row for code in range(8) for row in weights([1.0, -1.0], code=code)(fold)]
        return [
            row | {"feature": (row["feature"] or None) and row["feature"] * 30} for row in reported
        ]

    keep(outcome, "coefficients", "many", method, rows)
    keep(outcome, "traces", "many", method, trace(1.0))
    keep(outcome, "tuning", "many", method, tuning)
    keep(outcome, "paths", "many", method, lambda fold: path(fold) if fold == 0 else ())
    for figure in ("coefficients", "convergence", "paths"):
        draw_exhibits(outcome, figure)
        assert numbers_of(outcome, f"{figure}-many")["drawn"]


def tuning(fold):
    """Strength 0.1 is best in half of the folds."""
    for place, strength in enumerate((0.01, 0.1, 1.0)):
        mean = None if place == 0 and fold == 0 else 0.7 + 0.1 * place
        chosen = place == (1 if fold % 2 else 2)
        yield {
            "params": json.dumps({"strength": strength}), "mean": mean, "error": 0.01 * (fold + 1), "n": 3,
            "chosen": chosen,
        }  # fmt: skip


def path(fold):
    for strength in (0.01, 0.1, 1.0):
        for j in range(8):
            value = (j + 1) / strength
            yield {
                "strength": strength, "class": 1, "feature": f"x{j}", "value": value, "scale": 0.5,
            }  # fmt: skip


def test_paths_and_inner_scores_are_those_that_were_kept(outcome):
    keep(outcome, "tuning", "d", "m", tuning)
    keep(outcome, "paths", "d", "m", lambda fold: path(fold) if fold == 0 else ())
    exhibit = drawn("paths", outcome, "d")
    reported = exhibit.numbers["m"]
    assert "the 6 largest are named" in exhibit.caption  # of 8
    assert "methods with a path" not in exhibit.caption  # all are shown
    assert reported["path"]["x7"] == [[0.01, 0.1, 1.0], [400.0, 40.0, 4.0]]
    assert [one["strength"] for one in reported["inner"]] == [0.01, 0.1, 1.0]
    assert [one["mean"] for one in reported["inner"]] == pytest.approx([0.7, 0.8, 0.9])
    assert [one["error"] for one in reported["inner"]] == pytest.approx([0.025] * 3)
    assert [one["chosen"] for one in reported["inner"]] == [0, 2, 2]


def test_inner_scores_of_paths_of_each_fit_are_those_of_a_common_grid():
    """Two fits whose strengths differ by a factor of 1.1: without a grid their means would alternate."""
    tuning = pl.DataFrame(
        {
            "repeat": 0, "fold": fold, "params": json.dumps({"strength": shift * strength}),
            "mean": level + strength, "error": 0.02, "chosen": strength == 0.1,
        }
        for fold, shift, level in ((0, 1.0, 0.1), (1, 1.1, 0.3))
        for strength in (0.01, 0.1, 1.0)
    )  # fmt: skip
    scores = coefficients.inner_scores(tuning)
    assert scores["strength"].to_list() == pytest.approx([0.01, (0.01 * 1.1) ** 0.5, 1.1])
    assert scores["mean"].to_list() == pytest.approx([0.21, 0.3, 1.2])
    assert scores["chosen"].to_list() == [0, 2, 0]


def trace(best, steps=5, scored=True):
    def rows(fold):
        for step in range(steps if fold == 0 else 0):
            held_out = 0.5 + 0.1 * step if scored else None
            yield {
                "step": step, "passes": 2.0 * (step + 1), "seconds": 0.1 * (step + 1),
                "objective": best + 10.0**-step, "gradient_norm": 1.0, "held_out": held_out,
            }  # fmt: skip

    return rows


def test_objectives_are_reported_above_the_lowest_of_those_that_minimize_the_same(outcome):
    same = {"classifier": "linclass.LogisticRegression", "params": {"penalty": "l2"}}
    outcome.methods["m"] = same | {"params": same["params"] | {"solver": "newton", "tol": 1e-9}}
    outcome.methods["other"] = same | {"params": same["params"] | {"solver": "irls"}}
    keep(outcome, "traces", "d", "m", trace(1.0))
    keep(outcome, "traces", "d", "other", trace(1.5, scored=False))
    numbers = drawn("convergence", outcome, "d").numbers
    lowest = 1 + 1e-4
    assert numbers["m"]["behind"] == pytest.approx([1 + 10.0**-k - lowest for k in range(5)])
    assert numbers["other"]["behind"] == pytest.approx([1.5 + 10.0**-k - lowest for k in range(5)])
    outcome.methods["other"] = same | {"params": {"penalty": "l1"}}  # another objective
    assert drawn("convergence", outcome, "d").numbers["other"]["behind"][-1] == 0


@pytest.mark.parametrize(
    "odd", [np.inf, None, *(pytest.param(x, marks=pytest.mark.full) for x in (-np.inf, np.nan))]
)
@pytest.mark.parametrize("which", [slice(3, None), slice(None)], ids=["the last steps", "all"])
def test_a_solver_that_diverged_is_drawn_as_far_as_its_objective_is_a_number(
    outcome, tmp_path, which, odd
):
    def diverged(fold):
        steps = list(trace(1.0)(fold))
        for step in steps[which]:
            step |= {"objective": odd, "held_out": odd, "gradient_norm": odd}
        return steps

    keep(outcome, "traces", "d", "m", diverged)
    drawn("convergence", outcome, "d").save(tmp_path)
    behind = json.loads((tmp_path / "numbers.json").read_text())["m"]["behind"]
    known = [] if which == slice(None) else [1 - 0.01, 0.1 - 0.01, 0]
    assert behind[: len(known)] == pytest.approx(known)
    assert behind[len(known) :] == [None] * (5 - len(known))


def test_steps_are_drawn_until_their_objective_is_beyond_any_axis(outcome):
    objectives = [1.0, 1e50, 1e200, 1e300]

    def diverging(fold):
        steps = zip(trace(1.0, steps=4)(fold), objectives, strict=False)
        return [step | {"objective": objective} for step, objective in steps]

    keep(outcome, "traces", "d", "m", diverging)
    exhibit = drawn("convergence", outcome, "d")
    assert exhibit.numbers["m"]["behind"] == [objective - 1 for objective in objectives]
    low, high = exhibit.figure.axes[0].get_ylim()
    assert low < 1e50 < high


def test_minimizations_for_one_class_after_another_are_lines_of_their_own(outcome):
    """Their seconds begin anew and their passes do not; each has a lowest objective of its own."""

    def three_classes(fold):
        steps = [step for best in (1.0, 0.0, 2.0) for step in trace(best, steps=3)(fold)]
        return [step | {"step": i, "passes": 2.0 * (i + 1)} for i, step in enumerate(steps)]

    keep(outcome, "traces", "d", "m", three_classes)
    exhibit = drawn("convergence", outcome, "d")
    assert "a line for each" in exhibit.caption
    assert exhibit.numbers["m"]["passes"] == [2, 4, 6] * 3
    assert exhibit.numbers["m"]["behind"] == pytest.approx([0.99, 0.09, 0] * 3)
    for axes in exhibit.figure.axes:
        assert len(axes.lines) == 3
        assert all((np.diff(line.get_xdata()) > 0).all() for line in axes.lines)


def test_nan_and_infinity_are_null_in_json(tmp_path):
    numbers = {"a": [1.0, np.float64("nan"), (float("inf"), "x")], "b": {"c": -float("inf")}}
    ReportFigure(style.canvas(1, 1), "title", "caption", numbers).save(tmp_path)
    kept = json.loads((tmp_path / "numbers.json").read_text())
    assert (kept["a"], kept["b"]) == ([1.0, None, [None, "x"]], {"c": None})


def test_learning_curves_of_a_metric_without_a_best_value_are_of_the_metric(outcome, monkeypatch):
    """A profit of hundreds was drawn as 1 − profit on an axis that begins at 0: an empty frame."""
    from linclass.evaluation import metrics

    size = {"protocol": pl.lit("learning_curve@10"), "repeat": pl.col("fold")}
    part = outcome.fits.filter(protocol="cv").with_columns(**size, n_train=pl.lit(10, pl.Int64))
    profit = outcome.scores.filter(metric="accuracy").with_columns(value=1000 * pl.col("value"))
    lower = profit.filter(protocol="cv").with_columns(**size, value=pl.col("value") - 100)
    outcome.__dict__["fits"] = pl.concat([outcome.fits, part])
    outcome.__dict__["scores"] = pl.concat([profit, lower])
    monkeypatch.setattr(metrics, "bounds", lambda name: (-np.inf, np.inf))
    exhibit = drawn("learning_curves", outcome, "d")
    (axes,) = exhibit.figure.axes[:1]
    low, high = axes.get_ylim()
    curves = [line for line in axes.lines if line.get_transform() == axes.transData]
    values = np.concatenate([line.get_ydata() for line in curves])
    assert len(curves) == len(outcome.methods)
    assert "1 −" not in axes.get_ylabel()
    assert ((values > low) & (values < high)).all()
    assert "still rises" in exhibit.caption
    assert not exhibit.caption.startswith("Error")


def test_learning_curves_end_in_cross_validation_and_leave_failed_sizes_out(outcome):
    """Parts of 10 and 20 rows, made of the folds of cv; one fit of 'other' on 10 rows failed."""
    fits, scores = [outcome.fits], [outcome.scores]
    for rows in (10, 20):
        size = pl.lit(f"learning_curve@{rows}")
        moved = {"protocol": size, "repeat": pl.col("fold"), "fold": pl.lit(0, pl.Int32)}
        part = outcome.fits.filter(protocol="cv").with_columns(
            **moved, n_train=pl.lit(rows, pl.Int64)
        )
        lower = outcome.scores.filter(protocol="cv").with_columns(
            **moved, value=pl.col("value") - 1 / rows
        )
        if rows == 10:
            unlucky = (pl.col("method") == "other") & (pl.col("repeat") == 0)
            failed = pl.when(unlucky).then(pl.lit("failed")).otherwise("status")
            part, lower = part.with_columns(status=failed), lower.filter(~unlucky)
        fits.append(part)
        scores.append(lower)
    outcome.__dict__["fits"], outcome.__dict__["scores"] = pl.concat(fits), pl.concat(scores)
    curves = drawn("learning_curves", outcome, "d").numbers["curves"]
    accuracy = outcome.scores.filter(dataset="d", protocol="cv", metric="accuracy")
    whole = dict(accuracy.group_by("method").agg(pl.col("value").mean()).iter_rows())
    assert [point["rows"] for point in curves["m"]] == [10, 20, 90]
    assert [point["rows"] for point in curves["other"]] == [20, 90]
    means = [point["mean"] for point in curves["m"]]
    assert means == pytest.approx([whole["m"] - 0.1, whole["m"] - 0.05, whole["m"]])


def test_tuned_values_are_counted(outcome):
    outcome.methods["m"] = {"classifier": "linclass.m", "tune": {"strength": [0.01, 0.1, 1.0]}}
    params = pl.Series([json.dumps({"strength": 1.0 if fold else 0.1}) for fold in range(FOLDS)])
    own = outcome.fits.filter(dataset="d", method="m", protocol="cv").sort("fold")
    outcome.__dict__["fits"] = own.with_columns(params=params)
    keep(outcome, "tuning", "d", "m", tuning)
    (row,) = models.tuned(outcome, "d").frame().to_dicts()
    assert (row["method"], row["parameter"]) == ("m", "strength")
    assert row["chosen"] == "1 in 3, 0.1 in 1"
    assert row["at_the_end"] == 0.75
    assert row["inner"] == pytest.approx(0.85)


@each("places", [[0.0, 0.0, 0.0], [5.0, 90.0, 91.0, 92.0], [99.0, 99.0, 1.0]])
def test_labels_are_apart_in_order_and_where_there_is_room_at_their_ends(places):
    found = labels.spread(np.array(places), 10.0, 100.0)
    assert (found >= 0).all()
    assert (found <= 100).all()
    ordered = found[np.argsort(places, kind="stable")]
    assert (np.diff(ordered) >= 10 - 1e-9).all()
    alone = labels.spread(np.array([20.0, 50.0]), 10.0, 100.0)
    assert alone.tolist() == [20.0, 50.0]


def test_a_method_without_a_score_somewhere_is_not_on_the_front_of_score_against_cost(make):
    """'m' is the best and the fastest where it has a score; on 'three' every fit of it failed."""
    methods = {"m": Method(4.0, everywhere=("failed", "why"), only=["three"]), "other": Method(1.0)}
    outcome = make({"d": Data(), "three": Data(("a", "b", "c"), seed=7)}, methods, folds=FOLDS)
    seconds = (
        pl.when(pl.col("method") == "m")
        .then(1e-3)
        .when(pl.col("dataset") == "d")
        .then(0.1)
        .otherwise(10.0)
    )
    outcome.__dict__["times"] = outcome.times.with_columns(
        fit_seconds=pl.when(pl.col("fit_seconds").is_not_null()).then(seconds)
    )
    exhibit = cost.cost_and_score(outcome)
    numbers = exhibit.numbers
    assert "line" not in exhibit.caption  # of one method none is drawn
    assert "Hollow" in exhibit.caption
    assert numbers["behind"]["m"] == 0
    assert numbers["front"] == numbers["everywhere"] == ["other"]
    assert numbers["seconds"] == pytest.approx({"m": 1e-3, "other": 1.0})  # √(0.1 · 10)


@each("name", ["strength", "value", "class"])
def test_a_feature_may_have_the_name_of_a_column(make, name):
    outcome = make({"d": Data()}, {"m": Method(2.0), "other": Method()}, folds=FOLDS)
    renamed = [
        row | {"feature": row["feature"] and name}
        for row in path(0)
        if row["feature"] in (None, "x7")
    ]
    keep(outcome, "tuning", "d", "m", tuning)
    keep(outcome, "paths", "d", "m", lambda fold: renamed if fold == 0 else ())
    assert drawn("paths", outcome, "d").numbers["m"]["path"].keys() == {name}


def test_methods_may_have_the_names_of_columns(make):
    names = ("fold", "repeat", "dataset", "method", "value")
    data = {name: Data() for name in names}
    outcome = make(data, {name: Method(2.0 - i / 4) for i, name in enumerate(names)}, folds=FOLDS)
    assert (
        comparison_within(outcome, "fold").methods == ranking(outcome, "fold")["method"].to_list()
    )
    assert "fold" in finish(outcome)
