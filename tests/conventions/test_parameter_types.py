"""Laws over all models: a parameter that is not of its annotated type is refused in one sentence, by check and fit."""

import inspect
import re

import numpy as np
import pytest
from cases import each
from models import ESTIMATORS

import linclass
from linclass.base.estimator import Estimator

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)
PARAMETERS = [(kind, p) for kind in ESTIMATORS for p in inspect.signature(kind).parameters.values()]


def wrong_values(parameter):
    """By name and default, not by the annotation that the program reads."""
    default, array = parameter.default, np.ones(2)
    if parameter.name in ("cv", "strengths"):
        return [True]  # an array is one of the things they may be
    if parameter.name == "random_state":
        return ["a", -1, True, 0.5]
    if isinstance(default, bool):
        return [None, "a", 1, 0.0, array]
    if isinstance(default, float):
        return ["a", True, array] + [None] * (parameter.name in ("tol", "strength"))
    count = isinstance(default, int) and parameter.annotation != "Any"
    return [True, array] if count or parameter.name == "max_iter" else []


@each(("kind", "parameter"), PARAMETERS)
def test_invalid_parameter_types_are_refused(kind, parameter):
    for wrong in wrong_values(parameter):
        estimator = kind(**{parameter.name: wrong})
        for refuse in (estimator.check, lambda estimator=estimator: estimator.fit(X, Y)):
            with pytest.raises(ValueError, match=rf"^{parameter.name} .*{re.escape(repr(wrong))}"):
                refuse()


@each(("kind", "default"), [(kind, p.default) for kind, p in PARAMETERS if p.name == "max_iter"])
def test_a_limit_of_iterations_is_refused_in_the_same_words(kind, default):
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match=r"^max_iter") as refused:
            kind(max_iter=wrong).check()
        words = f"max_iter is {wrong}; it must be a whole number, at least 1"
        assert str(refused.value) in {f"{words}.", f"{words}, or None."}
        if default is None:
            assert str(refused.value) == f"{words}, or None."


@each("wrong", [["x"], {"a": 1, "b": 2}, []])
@each(("kind", "name"), [(kind, p.name) for kind, p in PARAMETERS if isinstance(p.default, str)])
def test_a_list_is_refused_where_a_string_is_needed(kind, name, wrong):
    with pytest.raises(ValueError, match=re.escape(repr(wrong))):
        kind(**{name: wrong}).fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("kind", ESTIMATORS)
def test_a_converged_fit_has_an_empty_reason_except_for_notes_of_bayesian_models(kind):
    rows = np.abs(X)
    fitted = kind().fit(rows, (rows[:, 0] + rows[:, 1] > 1.4).astype(int))
    assert bool(fitted.reason_) == (fitted.status_ != "converged")
    if kind is linclass.BayesianLinearRegression:  # with its note
        assert fitted.fit(X, np.ones(30)).status_ == "converged"
        assert fitted.reason_ == "y is constant, which leaves no noise to estimate."


@each(("kind", "name", "wrong"), [
    (linclass.GaussianNB, "var_smoothing", -1), (linclass.GaussianNB, "priors", "flat"),
    (linclass.LinearDiscriminantAnalysis, "ddof", 2),
])  # fmt: skip
def test_a_check_refuses_wrong_values_without_rows(kind, name, wrong):
    with pytest.raises(ValueError, match=f"^{name} is {wrong!r}; it must be"):
        kind(**{name: wrong}).check()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_numbers_of_numpy_and_flags_of_numpy_are_numbers_and_flags():
    linclass.LogisticRegression(
        strength=np.float32(0.5),
        tol=np.int64(1),
        fit_intercept=np.bool_(True),
        random_state=np.int8(3),
    ).check()
    linclass.LogisticRegression(solver={"quasi_newton": {"memory": np.int64(4)}}).fit(X, Y)
    rate = {"learning_rate": np.float32(0.5)}
    linclass.LogisticRegression(solver={"stochastic_gradient": rate}, random_state=0).fit(X, Y)
    for seed in (np.random.default_rng(0), np.random.SeedSequence(1), [1, 2], None):
        linclass.Perceptron(random_state=seed).check()


def test_a_function_may_follow_the_steps_of_every_linear_classifier():
    model = linclass.Perceptron(trace=lambda model: float(model.score(X, Y))).fit(X, Y)
    assert [row["watched"] for row in model.trace_][-1] == model.score(X, Y)
    with pytest.raises(ValueError, match="trace is 'a'; it must be True, False or a function"):
        linclass.LogisticRegression(trace="a").fit(X, Y)


def test_type_arguments_do_not_add_types_of_the_parameter():
    class Model(Estimator):
        def __init__(self, counts: "list[int | bool]", step: "dict[str, float] | float | None"):
            self.counts, self.step = counts, step

    Model([1], {"a": 0.1}).check()
    Model([1], None).check()
    with pytest.raises(ValueError, match="step is True; it must be a number, not True or False"):
        Model([1], True).check()


def test_parameters_are_shown_if_changed_also_those_of_an_inner_estimator():
    model = linclass.OneVsRest(linclass.GaussianNB())
    assert repr(model) == "OneVsRest(estimator=GaussianNB())"
    model.set_params(estimator__var_smoothing=0.25)
    assert repr(model) == "OneVsRest(estimator=GaussianNB(var_smoothing=0.25))"
    assert not [name for name in model.get_params(deep=False) if "__" in name]
