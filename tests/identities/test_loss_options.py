"""Losses with options: a name, {name: options} or the loss itself; their limits are other losses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_array_equal
from sklearn.base import clone

from linclass import LinearClassifier, LogisticRegression, TunedClassifier
from linclass.linear.losses.regression import Huber

Y = np.arange(60) % 2
X = np.random.default_rng(0).standard_normal((60, 3)) + Y[:, None]
HALF: Any = {"huber": {"delta": 0.5}}


@each("K", [2, 3])
def test_the_loss_itself_is_its_name_with_options(K):
    y = np.arange(60) % K
    by_name, itself = LinearClassifier(loss=HALF), LinearClassifier(loss=Huber(0.5))
    assert_array_equal(by_name.fit(X, y).coef_, itself.fit(X, y).coef_)
    assert_array_equal(by_name.coef_, clone(itself).fit(X, y).coef_)
    assert not np.allclose(by_name.coef_, LinearClassifier(loss="huber").fit(X, y).coef_)
    assert repr(itself) == "LinearClassifier(loss=Huber(delta=0.5))"
    assert by_name.parts() == itself.parts()
    likely = LinearClassifier(loss={"logistic": {}}).fit(X, y)
    assert_array_equal(likely.predict_proba(X), LogisticRegression().fit(X, y).predict_proba(X))


def test_options_of_losses_are_tuned_and_fitted_together():
    losses = [{"huber": {"delta": delta}} for delta in (1.2, 3.0)]
    grid = {"loss": losses}
    model = TunedClassifier(LinearClassifier(), strengths=[0.1, 1.0], param_grid=grid, cv=2).fit(
        X, Y
    )
    assert model.best_params_["loss"] in losses
    held_out = [np.arange(20), np.arange(20, 40)]
    options = [{"loss": loss, "strength": s} for loss in (*losses, Huber(2.0)) for s in (0.01, 0.1)]
    for fold, rows in zip(
        LinearClassifier().fit_many(X, Y, held_out, options), held_out, strict=True
    ):
        kept = np.setdiff1d(np.arange(60), rows)
        for fit, option in zip(fold, options, strict=True):
            alone = LinearClassifier(**option).fit(X[kept], Y[kept])
            assert fit.objective_ == pytest.approx(alone.objective_, rel=1e-5)


@each(
    ("loss", "message"),
    [
        ({"huber": {"delta": 0}}, "delta is 0; it must be a finite number above 0"),
        (Huber(-1.0), "delta is -1.0; it must be"),
        (
            {"epsilon_insensitive": {"epsilon": -1}},
            "epsilon is -1; it must be a number, at least 0",
        ),
        ({"huber": {"gamma": 1}}, "huber has no 'gamma'; it has delta"),
        ({"crammer_singer": {"n_classes": 7}}, "a loss of K scores is given by its name alone"),
        ({"softmax": {"reference": True}}, "a loss of K scores is given by its name alone"),
        ({"hinge": {"delta": 1}}, "hinge has no 'delta'; it has no options"),
        ({"huber": 1}, "none of the losses; give a name, or {name: {option: value}}"),
        ({"hubar": {}}, "there is no loss 'hubar'; did you mean 'huber'"),
        (3, "3 is none of the losses"),
    ],
)
def test_wrong_options_are_one_line(loss, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        LinearClassifier(loss=loss).fit(X, Y)
    assert "\n" not in str(caught.value)
