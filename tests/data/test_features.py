"""A feature that cannot be computed is recorded with its reason, and the job succeeds."""

import numpy as np
import pytest

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.execution import features

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
DATA = Dataset(Table(X, ("u", "v")), np.array([0, 1, 1], np.int32), np.zeros(3, np.int8), ["a"])


@pytest.mark.parametrize(
    ("error", "reason", "is_traced"),
    [
        (NotApplicable("needs numbers"), "needs numbers", False),
        (
            ZeroDivisionError("unforeseen\nin two lines"),
            "its features cannot be computed (ZeroDivisionError: unforeseen)",
            True,
        ),
    ],
)
def test_an_error_of_a_feature_is_the_reason_of_its_file(
    error, reason, is_traced, monkeypatch, capsys
):
    def fail(table):
        raise error

    monkeypatch.setattr(features, "feature_map", lambda name: fail)
    found = features.compute_features(DATA, ["quadratic"])
    assert found.reason == reason
    assert found.table.shape == (0, 0)
    assert ("Traceback" in capsys.readouterr().err) == is_traced
