"""Losses of straight and curved pieces without a penalty: whether the optimum is unique does not depend on rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import LinearClassifier

CONTAINERS = each("container", [np.asarray, sparse.csr_array])


@CONTAINERS
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_row_between_two_pieces_counts_as_straight(container: Any) -> None:
    """The rows x = 1 determine w + b = 2/3, that at x = 0 has the margin b = 1, where its parabola ends, or more:
    rounding once decided whether it was curved, and with it the status.
    """
    X, y = np.array([[1.0], [0], [1], [1], [1], [1]]), np.array([0, 1, 1, 1, 1, 0])
    weights = np.array([1, 5, 1e-8, 1e-8, 5, 1e-8])
    model = LinearClassifier(loss="modified_huber", penalty=None)
    model.fit(container(X), y, sample_weight=weights)
    assert model.status_ == "rank_deficient"
    assert model.coef_[0, 0] + model.intercept_[0] == pytest.approx(2 / 3, abs=1e-6)


@CONTAINERS
@each("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_flat_minimum_is_not_laid_to_the_features(loss: str, container: Any) -> None:
    """Every w ≥ 1/4 is optimal with b = 0, and one feature depends on no other."""
    X, y = np.array([[-3.0], [-2], [-1], [1], [2], [3]]), np.array([0, 0, 0, 1, 1, 1])
    model = LinearClassifier(loss=loss, penalty=None).fit(container(4 * X), y)
    assert model.objective_ == pytest.approx(0, abs=1e-12)
    assert model.status_ == "rank_deficient"
    assert "the optimum need not be unique; add a penalty" in model.reason_
    assert "linearly dependent" not in model.reason_
    assert "minimum norm" not in model.reason_
