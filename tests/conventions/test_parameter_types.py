"""Laws over all models: a parameter that is not of its annotated type is refused in one sentence, by check and fit."""

import inspect
import re

import numpy as np
import pytest
from cases import each

import linclass
from linclass.base.estimator import Estimator

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)
MODELS = [
    name
    for name in linclass.__all__
    if isinstance(kind := getattr(linclass, name), type) and issubclass(kind, Estimator)
]
PARAMETERS = [
    (name, parameter)
    for name in MODELS
    for parameter in inspect.signature(getattr(linclass, name)).parameters.values()
]


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
        return (
            [None, "a", True, array]
            if parameter.name in ("tol", "strength")
            else ["a", True, array]
        )
    count = isinstance(default, int) and parameter.annotation != "Any"
    return [True, array] if count or parameter.name == "max_iter" else []


@each(
    ("model", "parameter"),
    [pytest.param(m, p, id=f"{m}-{p.name}") for m, p in PARAMETERS if wrong_values(p)],
)
def test_invalid_parameter_types_are_refused(model, parameter):
    for wrong in wrong_values(parameter):
        estimator = getattr(linclass, model)(**{parameter.name: wrong})
        for refuse in (estimator.check, lambda estimator=estimator: estimator.fit(X, Y)):
            with pytest.raises(ValueError, match=rf"^{parameter.name} .*{re.escape(repr(wrong))}"):
                refuse()


@each(("model", "default"), [(m, p.default) for m, p in PARAMETERS if p.name == "max_iter"])
def test_a_limit_of_iterations_is_refused_in_the_same_words(model, default):
    """Solvers did not name None, and other models did not ask for a whole number."""
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match=r"^max_iter") as refused:
            getattr(linclass, model)(max_iter=wrong).check()
        words = f"max_iter is {wrong}; it must be a whole number, at least 1"
        assert str(refused.value) in {f"{words}.", f"{words}, or None."}
        if default is None:
            assert str(refused.value) == f"{words}, or None."


@each("wrong", [["x"], {"a": 1, "b": 2}, []])
@each(
    ("model", "parameter"),
    [pytest.param(m, p, id=f"{m}-{p.name}") for m, p in PARAMETERS if isinstance(p.default, str)],
)
def test_a_string_is_refused_where_a_list_is_needed(model, parameter, wrong):
    estimator = getattr(linclass, model)(**{parameter.name: wrong})
    with pytest.raises(ValueError, match=re.escape(repr(wrong))):
        estimator.fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("model", MODELS)
def test_a_converged_fit_has_an_empty_reason_except_for_notes_of_bayesian_models(model):
    rows = np.abs(X)
    fitted = getattr(linclass, model)().fit(rows, (rows[:, 0] + rows[:, 1] > 1.4).astype(int))
    assert bool(fitted.reason_) == (fitted.status_ != "converged")
    if model == "BayesianLinearRegression":  # with its note
        assert fitted.fit(X, np.ones(30)).status_ == "converged"
        assert fitted.reason_ == "y is constant, which leaves no noise to estimate."


def test_numbers_of_numpy_and_flags_of_numpy_are_numbers_and_flags():
    linclass.LogisticRegression(
        strength=np.float32(0.5),
        tol=np.int64(1),
        fit_intercept=np.bool_(True),
        random_state=np.int8(3),
    ).check()
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
