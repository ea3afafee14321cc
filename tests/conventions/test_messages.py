"""Names and notations of other libraries are refused in one line with the form used here."""

from __future__ import annotations

import copy
import re
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import each
from models import ESTIMATORS
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import linclass as L
from linclass.base import suggestions
from linclass.base.messages import names_and_others
from linclass.base.parts import find
from linclass.tuning.folds import stratified_folds
from linclass_study import protocols
from linclass_study.pipeline.preprocessor import Preprocessor

Y = np.arange(40) % 2
X = np.random.default_rng(0).normal(size=(40, 2)) + Y[:, None]


BY_SUM = r"1/\(n·C\).*strength_of_C\(C, n\)"


@each(("kind", "name", "strength"), [
    (L.LogisticRegression, "C", BY_SUM),
    (L.LinearSVM, "C", BY_SUM),
    (L.LinearClassifier, "C", BY_SUM),
    (L.Lasso, "alpha", "alpha[.,]"),
    (L.ElasticNet, "alpha", "alpha[.,]"),
    (L.Ridge, "alpha", "alpha/n[.,]"),
    (L.LeastSquaresClassifier, "alpha", "alpha/n[.,]"),
])  # fmt: skip
def test_C_and_alpha_are_strengths(kind, name, strength):
    """Conversions as `tests/references/test_conversions.py` finds them by fits of both libraries."""
    words = rf"has no parameter '{name}'; give strength={strength}"
    with pytest.raises(TypeError, match=words):
        kind(**{name: 1})
    with pytest.raises(ValueError, match=words):
        kind().set_params(**{name: 1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        kind(depth=1)
    with pytest.raises(ValueError, match="Invalid parameter 'depth' for estimator"):
        kind().set_params(depth=1)
    assert copy.deepcopy(clone(kind(strength=2.0))).strength == 2.0


@each(("kind", "wrong", "meant"), [
    (L.LogisticRegression, "strenght", "strength"),
    (L.RelevanceVectorMachine, "kernal", "kernel"),
    (L.Ridge, "fit_intercpt", "fit_intercept"),
    (L.LogisticRegression, "lam", "strength"),  # names of other libraries
    (L.MultinomialNB, "alpha", "smoothing"),
    (L.Adaline, "eta0", "learning_rate"),
    (L.QuadraticDiscriminantAnalysis, "reg_param", "shrinkage"),
    (L.NearestShrunkenCentroids, "shrink_threshold", "threshold"),
])  # fmt: skip
def test_a_misspelled_or_foreign_parameter_gets_a_suggestion(kind, wrong, meant):
    words = re.escape(f"{kind.__name__} has no parameter '{wrong}'; did you mean '{meant}'?")
    with pytest.raises(TypeError, match=words):
        kind(**{wrong: 1})
    with pytest.raises(ValueError, match=words):
        kind().set_params(**{wrong: 1})
    with pytest.raises(ValueError, match=words):
        L.TunedClassifier(kind()).set_params(**{f"estimator__{wrong}": 1})
    assert meant in kind().get_params()


def test_only_similar_names_are_suggested():
    known = [
        "spam.csv", "SGDClassifier", "auc", "log_loss", "principal_components", "drop", "f1_macro", "Länge",
        "***", "lda",
    ]  # fmt: skip
    for name, meant in (
        ("MLPClassifier", []),
        ("pima.csv", []),
        ("spma.csv", ["spam.csv"]),
        ("SDGClassifier", ["SGDClassifier"]),
        ("roc_auc", ["auc"]),
        ("neg_log_loss", ["log_loss"]),
        ("components", ["principal_components"]),
        ("PrincipalComponents", ["principal_components"]),
        ("dorp", ["drop"]),
        ("lad", ["lda"]),
        ("f1_micro", ["f1_macro"]),
        ("länge", ["Länge"]),
        ("", []),
        ("*", []),
        ("margin", []),
    ):
        assert suggestions.near_names(name, known) == meant, name
    with pytest.raises(ValueError, match=r"no metric 'foo'; choose from accuracy, "):
        L.TunedClassifier(scoring="foo").check()


def test_a_single_column_as_x_gives_a_message_with_the_remedy():
    words = "got 1D array instead: X is the single column 'age'; give a data frame with it, X.to_frame()."
    for column in (pd.Series(X[:, 0], name="age"), pl.Series("age", X[:, 0])):
        for use in (
            L.LogisticRegression().fit,
            L.Ridge().fit,
            L.TunedClassifier().fit,
            Preprocessor(transforms=["standardize"]).fit,
            lambda column, _: L.LogisticRegression().fit(X, Y).predict(column),
        ):
            with pytest.raises(ValueError, match=re.escape(words)):
                use(column, Y)


def test_names_in_other_libraries_get_a_suggestion():
    for other, ours in suggestions.CLASSES.items():
        assert ours in L.__all__
        assert other not in L.__all__
        words = f"has no attribute '{other}'; did you mean '{ours}'?"
        with pytest.raises(AttributeError, match=words):
            getattr(L, other)
    for package, known in suggestions.PARTS.items():
        for other, ours in known.items():
            find(package, ours)
            words = f"there is no [a-z]+ '{other}'; did you mean '{ours}'?"
            with pytest.raises(ValueError, match=words):
                find(package, other)


def test_a_subclass_may_have_a_parameter_of_that_name():
    class Own(L.Ridge):
        def __init__(self, alpha: float = 1.0, strength: float = 1.0) -> None:
            super().__init__(strength=strength)
            self.alpha = alpha

    assert Own(alpha=2.0).alpha == 2.0


def test_the_reason_says_that_only_some_of_several_classes_are_separable():
    y = np.repeat([0, 1, 2], [20, 10, 10])
    rows = np.random.default_rng(0).normal(size=(40, 2)) + 9.0 * (y == 0)[:, None]
    with pytest.warns(ConvergenceWarning):
        of_two = L.LogisticRegression(penalty=None).fit(rows, y == 0)
    with pytest.warns(ConvergenceWarning):
        of_three = L.LogisticRegression(penalty=None).fit(rows, y)
    assert of_two.status_ == of_three.status_ == "separable"
    assert of_two.reason_.startswith("the classes can be separated")
    assert of_three.reason_.startswith("some classes can be separated")


def test_groups_of_several_types_are_one_line():
    groups = np.array([i if i % 3 else "c" for i in range(40)], dtype=object)
    tuned = L.TunedClassifier(strengths=[0.1])
    for fit in (
        lambda: stratified_folds(Y, 4, 0, groups),
        lambda: tuned.fit(X, Y, groups=groups),
        lambda: L.Calibrated().fit(X, Y, groups=groups),
    ):
        with pytest.raises(ValueError, match="groups mixes int and str; give groups of one type"):
            fit()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("kind", [k for k in ESTIMATORS if {"max_iter", "strength"} & {*signature(k).parameters}])
def test_a_count_of_one_is_singular_in_the_reason_of_a_fit(kind):
    """In the reason of a fit that stopped after one iteration, step or pass."""
    params = {"max_iter": 1, "tol": 1e-15, "solver": "quasi_newton"}
    known = {*signature(kind).parameters}
    model = kind(**{name: value for name, value in params.items() if name in known})
    rows = np.abs(np.random.default_rng(1).normal(size=(40, 3)))
    try:
        model.fit(rows, Y)
    except ValueError:  # of the solver
        model = kind(max_iter=1).fit(rows, Y)
    assert not re.search(r"\b1 ([A-Z]\w+ )?(iterations|steps|passes|fits|entries)\b", model.reason_)


def test_an_unknown_part_is_reported_in_the_singular_with_the_choices():
    for package, one in (("solvers", "solver"), ("losses", "loss"), ("families", "family")):
        with pytest.raises(ValueError, match=f"^there is no {one} 'qqq'; choose from [a-z_]+, "):
            find(package, "qqq")


def test_sizes_of_a_learning_curve_that_look_alike_are_kept():
    sizes = [0.1, 0.25, 0.2500001, 1 / 3]
    study = {"protocols": [{"learning_curve": {"sizes": sizes}}], "folds": 5}
    found = protocols.selected_protocols(study)
    assert [own["size"] for own in found.values()] == sizes
    assert list(found)[:3] == [f"learning_curve@{text}" for text in ("0.1", "0.25", "0.2500001")]


def test_names_in_a_sentence():
    found = [names_and_others(list("abcde")[:n], 2) for n in range(1, 6)]
    assert found == ["a", "a and b", "a, b and c", "a, b and 2 others", "a, b and 3 others"]
    assert names_and_others(["a", "b"], 2, "or") == "a or b"
