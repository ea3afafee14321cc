"""Fits are shared only between parameters of equal content, whatever their repr."""

from __future__ import annotations

import copy
from functools import partial
from itertools import product
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each, with_peak_memory
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.base.parameters import key_of
from linclass.linear.penalties.base import EDGE, KinkedPenalty
from linclass.linear.penalties.entrywise import L1
from linclass.tuning.paths import Grid

Array = np.ndarray
LIGHT = np.where(np.arange(200) == 100, 0.01, 1.0)  # prints like ones where a text is abbreviated


class Length(KinkedPenalty):
    """scale · ‖W‖, with the plain __init__ that docs/new_parts.md documents; every instance prints `Length()`."""

    def __init__(self, scale: float, note: Any = None):
        self.scale, self.note = scale, note

    def value(self, W):
        return float(self.scale * np.linalg.norm(W))

    def steepest(self, W, G, t):
        return G + self.scale * t * W / np.linalg.norm(W) if W.any() else self.prox(G, t)

    def dual_norm(self, G):
        return float(np.linalg.norm(G) / self.scale)

    def prox(self, W, t):
        return W * max(0.0, 1 - self.scale * t / (np.linalg.norm(W) or np.inf))

    def conjugate(self, U):
        return 0.0 if self.dual_norm(U) <= EDGE else np.inf

    def into_domain(self, U):
        return 1 / max(1.0, self.dual_norm(U))

    def on(self, features):
        return self


class Holder:
    """An object of a user's, with what it was given."""

    def __init__(self, held: Any):
        self.held = held


def rows(d=200, n=60):
    X = np.random.default_rng(0).standard_normal((n, d))
    return X, np.where(X[:, d // 2] > 0, "b", "a")


FORMS = {
    "array": lambda f: {"l1": {"factors": f}},
    "pandas": lambda f: {"l1": {"factors": pd.Series(f)}},
    "polars": lambda f: {"l1": {"factors": pl.Series(f)}},
    "a penalty of pandas": lambda f: L1(factors=pd.Series(f)),
    "plain __init__": lambda f: Length(1 + 4 * f[100]),
    "not picklable": lambda f: Length(1 + 4 * f[100], note=lambda: f),
}


@each("form", FORMS)
def test_penalties_that_print_alike_have_fits_and_scores_of_their_own(form):
    X, y = rows()
    penalties = [FORMS[form](factors) for factors in (np.ones(200), LIGHT)]
    params = [{"penalty": p, "strength": s} for p in penalties for s in (0.03, 0.02)]
    alone = [L.LogisticRegression(tol=1e-12, **own).fit(X[9:], y[9:]).coef_ for own in params]
    assert np.abs(alone[0] - alone[2]).max() > 0.01
    try:
        (fits,) = L.LogisticRegression(tol=1e-12).fit_many(X, y, [np.arange(9)], params)
    except NotApplicable:  # no two copies share work, where content cannot be compared
        assert form == "not picklable"
    else:
        assert_allclose([fit.coef_ for fit in fits], alone, atol=1e-4)
    penalties = [FORMS[form](factors) for factors in (np.ones(200), LIGHT)]
    models = {"": L.LogisticRegression(), "estimator__": L.OneVsRest(L.LogisticRegression())}
    for prefix, model in models.items():
        options = {"strengths": None, "scoring": "log_loss", "cv": 3}
        grid = {f"{prefix}penalty": penalties, f"{prefix}strength": [0.03, 0.02]}
        both = L.TunedClassifier(model, param_grid=grid, **options).fit(X, y).mean_scores_
        for penalty, scores in zip(penalties, (both[:2], both[2:]), strict=True):
            own = grid | {f"{prefix}penalty": [penalty]}
            alone = L.TunedClassifier(model, param_grid=own, **options).fit(X, y).mean_scores_
            assert_allclose(scores, alone, rtol=1e-4)
        assert abs(both[0] / both[2] - 1) > 0.01


@each("form", [np.asarray, pd.Series, pl.Series])
def test_the_better_of_two_lists_of_factors_is_chosen_in_regression(form):
    X, _ = rows()
    factors = [form(np.ones(200)), form(LIGHT)]
    for strengths, rule in product(([0.03, 0.02], 3), ("best", "aic")):
        options = {"strengths": strengths, "rule": rule, "noise_variance": 1.0}
        tuned = L.TunedRegressor(L.Lasso(), param_grid={"factors": factors}, **options)
        assert tuned.fit(X, X[:, 100]).best_params_["factors"] is factors[1]


class Weights(dict[str, float]):
    """A mapping of a user's, all instances of which print `Weights()`."""

    def __repr__(self):
        return "Weights()"


def test_class_weights_that_print_alike_have_sums_of_their_own():
    X, y = rows(d=3)
    one, other = Weights(a=1.0, b=1.0), Weights(a=1.0, b=9.0)
    params = [{"class_weight": one}, {"class_weight": other}]
    (fits,) = L.GaussianNB().fit_many(X, y, [np.arange(9)], params)
    alone = [L.GaussianNB(**own).fit(X[9:], y[9:]).decision_function(X) for own in params]
    for fit, scores in zip(fits, alone, strict=True):
        assert_allclose(fit.decision_function(X), scores, rtol=1e-9)
    L.GaussianNB(class_weight=one).fit(X, y).merge(
        L.GaussianNB(class_weight=Weights(one)).fit(X, y)
    )
    with pytest.raises(ValueError, match="merge needs the same features and parameters"):
        L.GaussianNB(class_weight=one).fit(X, y).merge(L.GaussianNB(class_weight=other).fit(X, y))


def test_cache_keys_are_equal_if_and_only_if_the_content_is():
    numbers, frame = np.arange(200.0), {"x": [1.5, 2.5], "city": ["Bern", "Rome"]}
    makers = {  # a value, from the one number that may differ
        "number": lambda v: v,
        "a NumPy number": np.float64,
        "array": lambda v: np.append(numbers, v),
        "array of objects": lambda v: np.array(["a", None, v], dtype=object),
        "masked array": lambda v: np.ma.array(numbers, mask=numbers == v),
        "array of pandas": lambda v: pd.Series(np.append(numbers, v)),
        "index of pandas": lambda v: pd.Series(numbers, index=np.append(numbers[1:], v)),
        "texts of pandas": lambda v: pd.Series(["a", str(v)]),
        "frame of pandas": lambda v: pd.DataFrame(frame | {"v": v}),
        "array of polars": lambda v: pl.Series(np.append(numbers, v)),
        "frame of polars": lambda v: pl.DataFrame(frame | {"v": [v, v]}),
        "sparse": lambda v: sparse.csr_array(np.diag(np.append(numbers, v))),
        "dict": lambda v: {"a": [1, (2, {v})]},
        "penalty": Length,
        "estimator": lambda v: L.OneVsRest(L.LogisticRegression(strength=v)),
        "another library's": lambda v: linear_model.Ridge(alpha=v),
        "partial": lambda v: partial(np.add, v),
        "generator": lambda v: np.random.default_rng(int(v)),
        "an object in an object": lambda v: Holder([Holder(v)]),
    }
    for name, make in makers.items():
        assert key_of(make(7.0)) == key_of(make(7.0)), name
        assert hash(key_of(make(7.0))) == hash(key_of(make(7.0))), name
        assert key_of(make(7.0)) == key_of(copy.deepcopy(make(7.0))), name
        assert key_of(make(7.0)) != key_of(make(8.0)), name
    assert key_of(numbers) == key_of(np.repeat(numbers, 2)[::2])
    unlike = [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ([1], (1,)),
        ("1", 1),
        (numbers, numbers.astype(int)),
    ]
    assert not [pair for pair in unlike if key_of(pair[0]) == key_of(pair[1])]


def test_a_value_whose_content_cannot_be_read_equals_only_itself():
    def circle():
        found = []
        found.append(found)
        return found

    for make in (lambda: lambda: 0, Lock, lambda: Holder(Lock()), circle):
        one, other = make(), make()
        assert key_of(one) == key_of(one)
        assert key_of(one) != key_of(other)
    assert key_of(Holder(Holder)) == key_of(Holder(Holder))


def test_the_key_of_a_long_array_takes_the_memory_of_a_few_copies():
    """A text of its numbers would take ten times as much."""
    values = np.random.default_rng(0).standard_normal(10**6)
    _, peak = with_peak_memory(lambda: key_of({"factors": values}))
    assert peak < 3 * values.nbytes


def test_a_path_is_extended_in_a_grid_with_series():
    factors = [pd.Series(np.ones(3)), pd.Series(np.arange(3.0))]
    grid = Grid({"factors": factors, "strength": "path"}, lambda name, fixed: [1.0, 0.1])
    assert [option["strength"] for option in grid.beyond(grid.options, 3)] == pytest.approx([0.01])
    assert all(option["factors"] is factors[1] for option in grid.beyond(grid.options, 3))
