"""`tune: {strength: path}` in a study: the rows that determine the values, extension of the path, and the records."""

import json

import numpy as np

from linclass import LogisticRegression
from linclass.base.tables import Table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import chosen_values
from linclass_study.config.method_check import method_problems
from linclass_study.files.tables import frame, write_table
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms
from linclass_study.pipeline.tuned_parameters import grid_of

TASK = Task(n_classes=2, positive=1)
STEPS = ["standardize"]


def rows(n=120, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] + 0.5 * X[:, 1] + noise * rng.normal(size=n) > 0).astype(int)
    return Table(X * [1, 10, 0.1, 1, 1, 1], tuple("abcdef")), y


def method(classifier, tune, **more):
    return Method.from_entry({"classifier": classifier, "tune": tune, "transforms": STEPS, **more})


def strengths(fitted, name="strength"):
    return [candidate.params[name] for candidate in fitted.candidates]


def test_strengths_come_from_the_training_rows_after_the_transforms():
    table, y = rows()
    fitted = fit_method(
        method("linclass.LogisticRegression", {"strength": "path"}), table, y, TASK, 1
    )
    _, ready = fit_transforms([("standardize", {})], table, y)
    expected = LogisticRegression().strength_path(ready.X, y)
    np.testing.assert_allclose(strengths(fitted)[:31], expected, rtol=1e-12)
    assert len(expected) >= 30
    assert expected[0] / expected[-1] >= 1e5


def test_an_extended_path_is_recorded_with_all_its_candidates():
    """The weakest penalty is best by the log loss where a wide gap separates the classes."""
    table, y = rows(300, noise=0.0)
    table.X[:, 0] += 10 * y
    task = Task(n_classes=2, positive=1, tune_metric="log_loss")
    fitted = fit_method(
        method("linclass.LogisticRegression", {"strength": "path"}), table, y, task, 1
    )
    tried = np.array(strengths(fitted))
    assert len(tried) > 31
    ratios = np.diff(np.log(tried))
    np.testing.assert_allclose(ratios, ratios[0])
    assert tried.min() >= tried[30] / 1001
    given = fit_method(
        method("linclass.LogisticRegression", {"strength": tried[:31].tolist()}), table, y, task, 1
    )
    assert len(given.candidates) == 31


def test_each_option_of_a_transform_and_each_width_has_its_own_path():
    table, y = rows()
    steps = ["standardize", {"nystroem": {"columns": 20}}]
    nystroem = Method.from_entry(
        {
            "classifier": "linclass.LogisticRegression",
            "tune": {"strength": "path", "nystroem__gamma": "path"},
            "transforms": steps,
        }
    )
    kernel = method("linclass.KernelSVM", {"strength": "path", "gamma": "path"})
    for tuned, width in ((nystroem, "nystroem__gamma"), (kernel, "gamma")):
        options = grid_of(tuned, table, y, 1).options
        first = {}
        for option in options:
            first.setdefault(option[width], option["strength"])
        assert len(first) == len({*first.values()}) >= 4
        assert len(options) == 31 * len(first)


def test_the_path_of_c_of_scikit_learn_is_that_of_the_strength():
    """Along it both choose alike; a C holds for all sizes of a training set, a strength is per row."""
    table, y = rows(80)
    task = Task(n_classes=2, positive=1, tune_metric="log_loss")
    ours = method("linclass.LogisticRegression", {"strength": "path"}, params={"tol": 1e-8})
    params = {"tol": 1e-5, "max_iter": 3000}
    theirs = method("sklearn.linear_model.LogisticRegression", {"C": "path"}, params=params)
    one, other = (fit_method(m, table, y, task, 1) for m in (ours, theirs))
    np.testing.assert_allclose(
        1 / (80 * np.array(strengths(other, "C"))), strengths(one), rtol=1e-9
    )
    assert abs(np.log(other.chosen["C"] * 80 * one.chosen["strength"])) < 1.2


def test_methods_without_a_path_are_refused_before_anything_runs():
    knn = {"classifier": "sklearn.neighbors.KNeighborsClassifier", "tune": {"n_neighbors": "path"}}
    ((place, sentence),) = method_problems(knn)
    assert place == ["tune", "n_neighbors"]
    assert "has no path of 'n_neighbors'" in sentence
    assert sentence.endswith("list its values")
    entry = {
        "classifier": "linclass.LogisticRegression",
        "tune": {"principal_components__components": "path"},
        "transforms": ["principal_components"],
    }
    ((place, sentence),) = method_problems(entry)
    assert sentence == "principal_components has no path of 'components'; list its values"


def test_the_ends_of_a_path_are_those_of_all_its_candidates(tmp_path):
    """At an end that was extended as far as it may, but not on a plateau, where nothing changes any more."""
    inside = [(0.1, 0.7, 0.1), (0.01, 0.9, 0.1), (0.001, 0.8, 0.1)]
    weak_end = [(0.1, 0.7, 0.1), (0.01, 0.8, 0.1), (0.001, 0.9, 0.1)]
    plateau = [(0.1, 0.9, 0.1), (0.05, 0.9, 0.1), (0.001, 0.8, 0.1)]
    chosen = [0.01, 0.001, 0.1]
    run = {"dataset": "d", "method": "m", "protocol": "cv", "repeat": 0}
    tuning = [
        run | {"fold": fold, "params": json.dumps({"strength": value}), "mean": mean, "error": error}
        | {"n": 3, "chosen": value == chosen[fold]}
        for fold, candidates in enumerate([inside, weak_end, plateau])
        for value, mean, error in candidates
    ]  # fmt: skip
    fits = [
        run | {"fold": fold, "status": "converged", "params": json.dumps({"strength": value})}
        for fold, value in enumerate(chosen)
    ]
    write_table(frame("tuning", tuning), "tuning", tmp_path / "runs" / "d" / "m" / "tuning.parquet")
    write_table(frame("fits", fits), "fits", tmp_path / "fits.parquet")
    entry = {"classifier": "linclass.LogisticRegression", "tune": {"strength": "path"}}
    outcome = Outcome(tmp_path, {"d": {}}, {"m": entry}, {"protocols": ["cv"]})
    found = chosen_values(outcome).sort("fold")
    assert found["edge"].to_list() == [None, "lowest", None]
    assert [json.loads(value) for value in found["value"]] == chosen
