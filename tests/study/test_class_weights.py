"""Labels of classes: weights by them, `class_weight: {ill: 2}`, and messages with labels instead of codes."""

import json

import numpy as np
import pytest
from cases import each
from run_alone import rows_file, run_alone

from linclass import LogisticRegression, OrdinalRegression
from linclass.base.tables import Table
from linclass_study.config.method_check import method_problems
from linclass_study.execution.folds import Plan, Planned
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method, with_labels

CLASSES = ("ill", "unsure", "well")
OURS = "linclass.LogisticRegression"
THEIRS = "sklearn.linear_model.LogisticRegression"


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = (np.arange(60) % 3).astype(np.int32)
    return Table(rng.normal(size=(60, 2)) + 0.5 * y[:, None], ("a", "b")), y


def fitted(rows, entry, classes=CLASSES):
    """As a run fits it, whose entry was JSON."""
    method = Method.from_entry(json.loads(json.dumps(entry)), classes)
    return fit_method(method, *rows, Task(3, 2, inner_folds=2, classes=classes), 0)


@each(("classes", "weights"), [
    (CLASSES, {"ill": 5, "unsure": 1, "well": 2}),
    (CLASSES, {0: 5, 1: 1, 2: 2}),
    (CLASSES, {"ill": 5, 1: 1, "well": 2}),
    (("1", "2", "3"), {1: 5, 2: 1, 3: 2}),
])  # fmt: skip
def test_a_class_has_the_weight_of_its_label(rows, classes, weights):
    table, y = rows
    entry = {"classifier": OURS, "params": {"strength": 0.1, "class_weight": weights}}
    found = fitted(rows, entry, classes)
    known = LogisticRegression(strength=0.1, class_weight={0: 5, 1: 1, 2: 2}).fit(table.X, y)
    assert np.array_equal(found.estimator.coef_, known.coef_)
    assert found.method.params["class_weight"] == json.loads(json.dumps(weights))


def test_an_order_of_labels_is_one_of_codes(rows):
    """In the entry of the method, also inside another one, or by `classes:` of the data set, the order of the codes."""
    table, y = rows
    order = ["unsure", "ill", "well"]
    alone = {"classifier": "linclass.OrdinalRegression", "params": {"order": order}}
    inside = {
        "classifier": "linclass.TunedClassifier",
        "params": {"estimator": alone, "strengths": [1e-3]},
    }
    by_codes = OrdinalRegression(order=[1, 0, 2]).fit(table.X, y)
    for entry in (alone, inside):
        assert np.array_equal(fitted(rows, entry).estimator.coef_, by_codes.coef_)
    code = np.array([1, 0, 2], np.int32)[y]  # as `classes: [unsure, ill, well]` makes them
    given = fitted((table, code), {"classifier": "linclass.OrdinalRegression"}, tuple(order))
    assert np.array_equal(given.estimator.coef_, by_codes.coef_)
    with pytest.raises(ValueError, match="lacks the class"):
        fitted(
            rows, {"classifier": "linclass.OrdinalRegression", "params": {"order": ["ill", "well"]}}
        )


def test_class_weights_by_label_reach_foreign_and_wrapped_estimators_once(rows):
    """{1: 5, 2: 3} of the classes 1, 2 and 3 weights the codes 0 and 1, and no code twice."""
    from sklearn.linear_model import LogisticRegression as Theirs

    table, y = rows
    weights = {"class_weight": {"ill": 5, "well": 2}}
    found = fitted(rows, {"classifier": THEIRS, "params": weights})
    known = Theirs(class_weight={0: 5, 2: 2}).fit(table.X, y)
    assert np.array_equal(found.estimator.coef_, known.coef_)
    inner = {"estimator": {"classifier": THEIRS, "params": weights}}
    voting = {"classifier": "sklearn.ensemble.BaggingClassifier", "params": inner}
    assert fitted(rows, voting).estimator.estimator.class_weight == {0: 5, 2: 2}
    step = {"sklearn.feature_selection.SelectFromModel": inner}
    (transform,) = fitted(rows, {"classifier": OURS, "transforms": [step]}).transforms
    assert transform.transformer.estimator.class_weight == {0: 5, 2: 2}
    method = Method.from_entry(
        {"classifier": OURS, "params": {"class_weight": {1: 5, 2: 3}}}, ("1", "2", "3")
    )
    assert method.estimator().class_weight == {0: 5, 1: 3}


def test_weights_can_be_tuned(rows):
    options = ["balanced", {"ill": 5, "unsure": 1, "well": 2}]
    for classifier in (OURS, THEIRS):
        found = fitted(rows, {"classifier": classifier, "tune": {"class_weight": options}})
        assert [one.params["class_weight"] for one in found.candidates] == options
        assert all(one.mean is not None for one in found.candidates)


def test_an_unknown_label_is_named_with_the_classes(rows):
    for label in ("sick", 3):
        entry = {"classifier": OURS, "params": {"class_weight": {label: 2}}}
        words = f"'{label}' is not a class; the classes are ill, unsure, well"
        with pytest.raises(ValueError, match=words):
            fitted(rows, entry)


@each("weights", ["balance", 3, True, [1, 2], {"ill": "much"}, {"ill": -1}, {"ill": [1]}])
def test_invalid_class_weights_are_refused_before_anything_runs(weights):
    ((_, text),) = method_problems({"classifier": OURS, "params": {"class_weight": weights}})
    assert text.startswith("class_weight ")


# Messages name classes by the labels in the data file

LABELS = ["ill", "rare", "well"]
CALIBRATED = {"classifier": "linclass.Calibrated"}
QDA = {"classifier": "linclass.QuadraticDiscriminantAnalysis"}


@pytest.mark.usefixtures("in_process")
@each(("entry", "rare", "protocol", "status"), [
    (CALIBRATED, 1, "cv", "not_applicable"),
    (CALIBRATED | {"tune": {"cv": [2, 3]}}, 2, "cv", "not_applicable"),
    (QDA, 2, "cv", "rank_deficient"),
    (QDA, 2, "leave_one_out", "rank_deficient"),
])  # fmt: skip
def test_the_reason_of_a_fit_names_the_class_by_its_label(tmp_path, entry, rare, protocol, status):
    y = np.array([0, 2] * 10 + [1] * rare, dtype=np.int32)
    table = Table(np.random.default_rng(0).normal(size=(len(y), 2)), ("a", "b"))
    row = np.arange(len(y))
    units = row if protocol == "leave_one_out" else np.minimum(row // 4, 1)
    task = {"n_classes": 3, "positive": 2, "inner_folds": 2, "classes": LABELS}
    plan = Plan((Planned(protocol, 0, 0, units),))
    (fit,) = run_alone(entry, rows_file(tmp_path, table, y), plan, task).fits
    assert fit["status"] == status, fit["reason"]
    assert "class 'rare' has" in fit["reason"]
    assert "class 1" not in fit["reason"]


@each(("said", "message"), [
    ("class 1 has 1 row; class 2 has 3.", "class 'rare' has 1 row; class 'well' has 3."),
    ("class 7 is none of them, and 2 classes are few", None),
    ("some subclass 1 of class 1.5", None),
])  # fmt: skip
def test_numbers_other_than_class_codes_are_kept(said, message):
    assert with_labels(said, LABELS) == (message or said)
    assert with_labels(said, ()) == said
