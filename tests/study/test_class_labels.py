"""Messages of a classifier name classes by the labels in the data file, not by their codes."""

import numpy as np
import pytest
from cases import each
from run_alone import run_alone

from linclass.base.tables import Table
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.execution.folds import Plan, Planned
from linclass_study.pipeline.method import with_labels

pytestmark = pytest.mark.usefixtures("in_process")

CLASSES = ["ill", "rare", "well"]
LIMITS = {"fit_seconds": 60, "fit_memory_mb": 1000}
CALIBRATED = {"classifier": "linclass.Calibrated"}
QDA = {"classifier": "linclass.QuadraticDiscriminantAnalysis"}


@pytest.mark.parametrize(("entry", "rare", "protocol", "status"), [
    (CALIBRATED, 1, "cv", "not_applicable"),
    (CALIBRATED | {"tune": {"cv": [2, 3]}}, 2, "cv", "not_applicable"),
    (QDA, 2, "cv", "rank_deficient"),
    (QDA, 2, "leave_one_out", "rank_deficient"),
])  # fmt: skip
def test_the_reason_of_a_fit_names_the_class_by_its_label(tmp_path, entry, rare, protocol, status):
    rng = np.random.default_rng(0)
    y = np.array([0, 2] * 10 + [1] * rare, dtype=np.int32)
    table = Table(rng.normal(size=(len(y), 2)), ("a", "b"))
    path = tmp_path / "as_is.npz"
    FeatureFile(table, y, (np.empty(0), np.empty(0)), Table(np.empty((0, 0)), ())).save(path)
    each = np.arange(len(y))
    units = each if protocol == "leave_one_out" else np.minimum(each // 4, 1)
    task = {"n_classes": 3, "positive": 2, "inner_folds": 2, "classes": CLASSES}
    plan = Plan((Planned(protocol, 0, 0, units),))
    (fit,) = run_alone(LIMITS, "d", "m", entry, str(path), plan, task, 1).fits
    assert fit["status"] == status, fit["reason"]
    assert "class 'rare' has" in fit["reason"]
    assert "class 1" not in fit["reason"]


@each(("said", "message"), [
    ("class 1 has 1 row; class 2 has 3.", "class 'rare' has 1 row; class 'well' has 3."),
    ("class 7 is none of them, and 2 classes are few", None),
    ("some subclass 1 of class 1.5", None),
])  # fmt: skip
def test_numbers_other_than_class_codes_are_kept(said, message):
    assert with_labels(said, CLASSES) == (message or said)
    assert with_labels(said, ()) == said
