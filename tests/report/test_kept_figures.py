"""Figures and tables of optional results show their numbers, or a notice if there are none."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import each
from studies import Data, Method, draw_exhibits, finish, numbers_of

from linclass.evaluation import metrics
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.files import tables as parquet
from linclass_study.files.tables import write_table
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import labels, style
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


def add_learning_curve(outcome, rows, **scores):
    """Fits on so many rows, one for each fold of cross-validation, and their scores, of which columns may change."""
    size = {
        "protocol": pl.lit(f"learning_curve@{rows}"), "repeat": pl.col("fold"), "fold": pl.lit(0, pl.Int32),
    }  # fmt: skip
    for part, changed in (("fits", {"n_train": pl.lit(rows, pl.Int64)}), ("scores", scores)):
        whole = getattr(outcome, part)
        smaller = whole.filter(protocol="cv").with_columns(**size, **changed)
        outcome.__dict__[part] = pl.concat([whole, smaller])


def weights(values, scale=2.0, code=1, **more):
    """Coefficients of x0, x1, … that differ a little from fold to fold."""

    def rows(fold):
        yield {"class": code, "feature": None, "value": 9.0, "scale": 1.0} | more
        for j, value in enumerate(values):
            own = {"feature": f"x{j}", "value": value + 0.01 * fold, "scale": scale}
            yield {"class": code} | own | more

    return rows


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


def test_coefficients_are_means_over_folds_in_the_order_of_their_sizes(outcome):
    keep(outcome, "coefficients", "d", "m", weights([3.0, -5.0, 0.1]))
    exhibit = drawn("coefficients", outcome, "d")
    assert "m" in [text.get_text() for text in exhibit.figure.texts]
    reported = exhibit.numbers["classes"]["yes"]
    assert [one["feature"] for one in reported] == ["x0", "x2", "x1"]
    expected = [2 * (value + 0.01 * np.arange(FOLDS)) for value in (3.0, 0.1, -5.0)]
    np.testing.assert_allclose([one["folds"] for one in reported], expected)
    assert "Positive ones favour yes, negative ones no" in exhibit.caption
    table = models.coefficients(outcome, "d").frame()
    assert table["feature"].to_list() == ["x1", "x0", "x2"]  # by size
    assert table["m"].to_list() == pytest.approx([np.mean(expected[k]) for k in (2, 0, 1)])


def test_of_many_coefficients_the_largest_are_shown(outcome):
    def rows(fold):
        own = weights(np.linspace(-1, 1, 101), features=101)(fold)
        return [row for row in own if fold or row["feature"] != "x100"]

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
        n = 2 if fold else 1
        return weights([3.0, -5.0][:n], features=n)(fold)

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
    values = [[3.0, *[0.5] * 12], [-5.0, *[0.2] * 12]]

    def rows(fold):
        zero = [row | {"value": 0.0} for row in weights([0.0] * 13, code=2)(fold)]
        return [row for k, own in enumerate(values) for row in weights(own, code=k)(fold)] + zero

    keep(outcome, "coefficients", "three", "m", rows)
    exhibit = drawn("coefficients", outcome, "three")
    assert list(exhibit.numbers["classes"]) == ["a", "b"]
    assert "All coefficients of c are 0." in exhibit.caption


def test_of_many_classes_some_have_a_panel_whatever_the_lengths_of_names(make):
    classes = tuple(f"class {k} of a rather long name" for k in range(8))
    method = "a_method_" + "of_a_long_name" * 3
    outcome = make({"many": Data(classes, rows=80)}, {method: Method(2.0)}, folds=FOLDS)

    def rows(fold):
        found = [row for code in range(8) for row in weights([1.0, -1.0], code=code)(fold)]
        return [row | {"feature": row["feature"] and row["feature"] * 30} for row in found]

    kept = {"coefficients": rows, "traces": trace(1.0), "tuning": tuning, "paths": path}
    for table, own in kept.items():
        keep(outcome, table, "many", method, own)
    figures = ("coefficients", "paths", "convergence")
    draw_exhibits(outcome, *figures)
    numbers, paths, steps = (numbers_of(outcome, f"{figure}-many") for figure in figures)
    assert all(one["drawn"] for one in (numbers, paths, steps))
    assert f" {len(numbers['classes'])} of 8 classes are shown." in numbers["caption"]
    assert list(paths[method]["path"]) == [f"x{j}" for j in range(7, -1, -1)]  # by size


def test_coefficients_are_of_the_positive_class_which_may_be_the_first(outcome):
    keep(outcome, "coefficients", "d", "m", weights([3.0, -5.0]))
    kept = models.coefficients(outcome, "d").frame()
    file = outcome.results / "data" / "d.json"
    about = json.loads(file.read_text())
    first, last = about["classes"]
    assert about["positive"] == last
    file.write_text(json.dumps(about | {"positive": first}))
    turned = replace(outcome)  # read anew
    table = models.coefficients(turned, "d")
    assert f"positive ones favour {first}" in table.caption
    assert table.frame()["feature"].to_list() == kept["feature"].to_list()
    assert table.frame()["m"].to_list() == (-kept["m"]).to_list()
    exhibit = drawn("coefficients", turned, "d")
    assert f"Positive ones favour {first}, negative ones {last}" in exhibit.caption
    reported = {one["feature"]: one["mean"] for one in exhibit.numbers["classes"][first]}
    assert reported["x0"] < 0 < reported["x1"]
    keep(turned, "tuning", "d", "m", tuning)
    keep(turned, "paths", "d", "m", path)
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


def tuning(fold):
    """Strength 0.1 is best in half of the folds."""
    for place, strength in enumerate((0.01, 0.1, 1.0)):
        yield {
            "params": json.dumps({"strength": strength}),
            "mean": None if place == fold == 0 else 0.7 + 0.1 * place,
            "error": 0.01 * (fold + 1), "n": 3, "chosen": place == (1 if fold % 2 else 2),
        }  # fmt: skip


def path(fold, names=tuple(f"x{j}" for j in range(8))):
    """Coefficients along strengths, which are kept for the first fold."""
    for strength in (0.01, 0.1, 1.0) if fold == 0 else ():
        for j, name in enumerate(names):
            yield {
                "strength": strength, "class": 1, "feature": name, "value": (j + 1) / strength, "scale": 0.5,
            }  # fmt: skip


def test_paths_and_inner_scores_are_those_that_were_kept(outcome):
    keep(outcome, "tuning", "d", "m", tuning)
    keep(outcome, "paths", "d", "m", path)
    exhibit = drawn("paths", outcome, "d")
    reported = exhibit.numbers["m"]
    assert "the 6 largest are named" in exhibit.caption  # of 8
    assert "methods with a path" not in exhibit.caption  # all are shown
    assert reported["path"]["x7"] == [[0.01, 0.1, 1.0], [400.0, 40.0, 4.0]]
    inner = {name: [one[name] for one in reported["inner"]] for name in reported["inner"][0]}
    assert inner["strength"] == [0.01, 0.1, 1.0]
    assert inner["mean"] == pytest.approx([0.7, 0.8, 0.9])
    assert inner["error"] == pytest.approx([0.025] * 3)
    assert inner["chosen"] == [0, 2, 2]


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


def trace(best, steps=5, **changed):
    """The first fold's steps to an objective."""

    def rows(fold):
        for step in range(steps if fold == 0 else 0):
            yield {
                "step": step, "passes": 2.0 * (step + 1), "seconds": 0.1 * (step + 1),
                "objective": best + 10.0**-step, "gradient_norm": 1.0, "held_out": 0.5 + 0.1 * step,
            } | changed  # fmt: skip

    return rows


def test_objectives_are_reported_above_the_lowest_of_those_that_minimize_the_same(outcome):
    entry, l2 = {"classifier": "linclass.LogisticRegression"}, {"penalty": "l2"}
    outcome.methods["m"] = entry | {"params": l2 | {"solver": "newton", "tol": 1e-9}}
    outcome.methods["other"] = entry | {"params": l2 | {"solver": "irls"}}
    keep(outcome, "traces", "d", "m", trace(1.0))
    keep(outcome, "traces", "d", "other", trace(1.5, held_out=None))
    numbers = drawn("convergence", outcome, "d").numbers
    for name, best in (("m", 1.0), ("other", 1.5)):
        behind = [best + 10.0**-k - (1 + 1e-4) for k in range(5)]
        assert numbers[name]["behind"] == pytest.approx(behind)
    outcome.methods["other"] = entry | {"params": {"penalty": "l1"}}  # another objective
    assert drawn("convergence", outcome, "d").numbers["other"]["behind"][-1] == 0


@each("odd", [np.inf, None, -np.inf, np.nan])
@each("finite", [3, 0])
def test_a_solver_that_diverged_is_drawn_as_far_as_its_objective_is_a_number(
    outcome, tmp_path, finite, odd
):
    def diverged(fold):
        steps = list(trace(1.0)(fold))
        for step in steps[finite:]:
            step |= {"objective": odd, "held_out": odd, "gradient_norm": odd}
        return steps

    keep(outcome, "traces", "d", "m", diverged)
    drawn("convergence", outcome, "d").save(tmp_path)
    behind = json.loads((tmp_path / "numbers.json").read_text())["m"]["behind"]
    assert behind[:finite] == pytest.approx([1 - 0.01, 0.1 - 0.01, 0][:finite])
    assert behind[finite:] == [None] * (5 - finite)


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


def test_learning_curves_of_a_metric_without_a_best_value_are_of_the_metric(outcome, monkeypatch):
    """A profit of hundreds was drawn as 1 − profit on an axis that begins at 0: an empty frame."""
    profit = outcome.scores.filter(metric="accuracy").with_columns(value=1000 * pl.col("value"))
    outcome.__dict__["scores"] = profit
    add_learning_curve(outcome, 10, value=pl.col("value") - 100)
    monkeypatch.setattr(metrics, "bounds", lambda name: (-np.inf, np.inf))
    exhibit = drawn("learning_curves", outcome, "d")
    axes = exhibit.figure.axes[0]
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
    for rows in (10, 20):
        add_learning_curve(outcome, rows, value=pl.col("value") - 1 / rows)
    small = (pl.col("protocol") == "learning_curve@10") & (pl.col("method") == "other")
    unlucky = small & (pl.col("repeat") == 0)
    failed = pl.when(unlucky).then(pl.lit("failed")).otherwise("status")
    outcome.__dict__["fits"] = outcome.fits.with_columns(status=failed)
    outcome.__dict__["scores"] = outcome.scores.filter(~unlucky)
    curves = drawn("learning_curves", outcome, "d").numbers["curves"]
    own = outcome.scores.filter(dataset="d", protocol="cv", metric="accuracy", method="m")
    whole = own["value"].mean()
    assert [point["rows"] for point in curves["m"]] == [10, 20, 90]
    assert [point["rows"] for point in curves["other"]] == [20, 90]
    means = [point["mean"] for point in curves["m"]]
    assert means == pytest.approx([whole - 0.1, whole - 0.05, whole])


def test_tuned_values_are_counted(outcome):
    outcome.methods["m"] = {"classifier": "linclass.m", "tune": {"strength": [0.01, 0.1, 1.0]}}
    params = pl.Series([json.dumps({"strength": 1.0 if fold else 0.1}) for fold in range(FOLDS)])
    own = outcome.fits.filter(dataset="d", method="m", protocol="cv").sort("fold")
    outcome.__dict__["fits"] = own.with_columns(params=params)
    keep(outcome, "tuning", "d", "m", tuning)
    (row,) = models.tuned(outcome, "d").frame().to_dicts()
    assert row | {
        "method": "m", "parameter": "strength", "chosen": "1 in 3, 0.1 in 1", "at_the_end": 0.75,
    } == row  # fmt: skip
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
    seconds = pl.when(method="m").then(1e-3).when(dataset="d").then(0.1).otherwise(10.0)
    known = pl.when(pl.col("fit_seconds").is_not_null()).then(seconds)
    outcome.__dict__["times"] = outcome.times.with_columns(fit_seconds=known)
    exhibit = cost.cost_and_score(outcome)
    numbers = exhibit.numbers
    assert "line" not in exhibit.caption  # of one method none is drawn
    assert "Hollow" in exhibit.caption
    assert numbers["behind"]["m"] == 0
    assert numbers["front"] == numbers["everywhere"] == ["other"]
    assert numbers["seconds"] == pytest.approx({"m": 1e-3, "other": 1.0})  # √(0.1 · 10)


def test_features_and_methods_may_have_the_names_of_columns(make):
    names = ("fold", "repeat", "dataset", "method", "value")
    data = {name: Data() for name in names}
    outcome = make(data, {name: Method(2.0 - i / 4) for i, name in enumerate(names)}, folds=FOLDS)
    ranked = ranking(outcome, "fold")["method"].to_list()
    assert comparison_within(outcome, "fold").methods == ranked
    assert "fold" in finish(outcome)
    features = ("strength", "value", "class")
    keep(outcome, "tuning", "method", "fold", tuning)
    keep(outcome, "paths", "method", "fold", lambda fold: path(fold, features))
    assert {*drawn("paths", outcome, "method").numbers["fold"]["path"]} == {*features}
