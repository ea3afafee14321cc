"""Check an estimator of a study before any work, and describe its parameters.

The class must exist and accept the parameters. Results must not import classes, so the facts about parameters that they
need are resolved with the study:

by_default   parameters that are tuned along their path because the entry has neither `tune:` nor a value for them: the
             strengths of linclass's models and of models inside them
fixed        parameters that could be tuned and are not, with their values: those with a path, and those that make the
             model simpler
limits       parameter → values at which its range ends, as the class states them
by_fit       parameter → how a model of linclass chooses it itself
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from linclass.base.parameters import idle_in_all, name_here, sentences_on_idle
from linclass.base.parts import import_object
from linclass.base.validation import class_weights
from linclass.tuning import paths, selection
from linclass_study.entries import Entry, Problems
from linclass_study.errors import suggest_name
from linclass_study.pipeline.method import Method, parameters
from linclass_study.project import look_beside_the_study

Facts = dict[str, Any]
BY_FORMULA = {"evidence": "by the evidence", "ledoit_wolf": "by the formula of Ledoit and Wolf"}


def parameter_facts(entry: Entry) -> Facts:
    method = Method.from_entry(entry)
    estimator = method.estimator(**selection.candidates(method.tune)[0])
    parts = [*_tunable_parts(estimator)]
    tunable = {
        f"{prefix}{name}": value
        for prefix, part in parts
        for name, value in part.get_params(deep=False).items()
        if name in _simplifying(part) or paths.complaint(part, name) is None
    }
    acting = {
        name: value
        for name, value in tunable.items()
        if name not in method.tune and not idle_in_all([name], [estimator])
    }
    by_default = [
        name
        for name in acting
        if not method.tune
        and name.rpartition("__")[2] == "strength"
        and _is_ours(estimator)
        and paths.complaint(estimator, name) is None
        and not is_fixed(name, method.params)
    ]
    limits = {
        f"{prefix}{name}": [*values]
        for prefix, part in parts
        for name, values in (getattr(part, "limits", None) or {}).items()
    }
    fixed = {
        name: value
        for name, value in acting.items()
        if name not in by_default and isinstance(value, str | int | float | None)
    }
    facts = {"by_default": by_default, "fixed": fixed, "limits": limits}
    return facts | {"by_fit": _chosen_by_fit(entry, estimator)}


def _chosen_by_fit(entry: Entry, estimator: Any) -> dict[str, str]:
    if not entry["classifier"].startswith("linclass."):
        return {}
    params = estimator.get_params(deep=False)
    if "strengths" in params:
        how = {"aic": "AIC", "bic": "BIC"}.get(params["rule"], "inner folds of its own")
        strengths = params["strengths"]
        which = f"path of {strengths}" if isinstance(strengths, int) else "its list"
        return {"strength": f"{which}, by {how}"} if strengths is not None else {}
    return {name: BY_FORMULA[value] for name, value in params.items() if value in [*BY_FORMULA]}


def with_default_paths(entry: Entry, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The entry with `path` for the parameters that are tuned by default."""
    along = dict.fromkeys(facts.get("by_default", ()), selection.PATH)
    return {**entry, "tune": along} if along else dict(entry)


def is_fixed(name: str, params: Mapping[str, Any]) -> bool:
    """Whether a nested parameter (estimator__strength) is set in the params of the inner entry."""
    first, _, rest = name.partition("__")
    if name in params or not rest or not isinstance(params.get(first), Mapping):
        return name in params
    return is_fixed(rest, params[first].get("params") or {})


def _tunable_parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """(prefix of its parameters, estimator) of it and those inside, but for those that others tune in their fits."""
    inside = estimator.get_params() if hasattr(estimator, "get_params") else {}
    from linclass.tuning.tuned import Tuned  # loads scikit-learn, as the estimator has done already

    parts = {"": estimator} if hasattr(estimator, "get_params") else {}
    parts |= {
        f"{name}__": part
        for name, part in inside.items()
        if hasattr(part, "get_params") and not isinstance(part, type)
    }
    closed = tuple(
        prefix
        for prefix, part in parts.items()
        if isinstance(part, Tuned) or type(part).__name__.endswith("CV")
    )
    yield from ((prefix, part) for prefix, part in parts.items() if not prefix.startswith(closed))


def _simplifying(part: Any) -> Any:
    """Names of the parameters that make an estimator simpler."""
    stated = getattr(part, "simpler", None)
    return stated if isinstance(stated, Mapping) else selection.BY_NAME


def _is_ours(estimator: Any) -> bool:
    return any(cls.__module__.startswith("linclass.") for cls in type(estimator).__mro__)


PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+\Z")
INNER = ("base_estimator", "classifier", "estimator", "final_estimator", "regressor")  # parameters
LISTS = ("estimators", "steps", "transformer_list", "transformers")  # of (name, estimator)
NEEDED = ("fit", "predict")  # methods of a classifier
PROBABILITIES = ("predict_proba", "predict_log_proba")
# kinds of scikit-learn's estimators that are not classifiers, and what they predict
PREDICTIONS = {"regressor": "numbers", "clusterer": "clusters", "outlier_detector": "outliers"}


def estimator_problems(
    entry: Entry, needed: tuple[str, ...] = NEEDED, classifies: bool = True
) -> Problems:
    """`classifies`: not under the parameter `regressor`, as of FlexibleDiscriminantAnalysis."""
    cls, problem = found_class(entry["classifier"], needed)
    if problem:
        yield ["classifier"], problem
        return
    params, tune = entry.get("params") or {}, entry.get("tune") or {}
    steps = names_of_steps(params)
    problems = []
    for key, named in (("params", params), ("tune", tune)):
        problems += [
            ([key, name], text)
            for name in named
            if name.partition("__")[0] not in steps
            for text in unknown_parameters(cls, [name.partition("__")[0]], cls.__name__)
        ]
    problems += [
        (["tune", name], "is also set under params; remove one of the two")
        for name in tune
        if is_fixed(name, params)
    ]
    for place, inner in inner_entries(params):
        classes = classifies and "regressor" not in place
        problems_inside = estimator_problems(inner, needed=(), classifies=classes)
        problems += [(["params", *place, *path], text) for path, text in problems_inside]
    problems += [(["params", *path], text) for path, text in texts_as_estimators(params)]
    if lacking := lacking_arguments(cls, {*params, *tune}):
        of_step = f"list it as `{entry['classifier']}: {{{lacking[0]}: …}}`"
        remedy = of_step if "transform" in needed else "give it under `params:`"
        problems += [(["params"], f"{cls.__name__} needs {', '.join(lacking)}; {remedy}")]
    yield from problems
    if not problems:
        yield from _construction_problems(Method.from_entry(entry), tune, classifies)


def without_effect(entry: Entry) -> list[str]:
    """A sentence on each parameter of a method that was set and has no effect, whatever is chosen of `tune:`."""
    method = Method.from_entry(entry)
    first, *others = selection.candidates(method.tune)
    sentences = sentences_on_idle([method.estimator(**first)])
    for option in others if sentences else ():
        also = sentences_on_idle([method.estimator(**option)])
        sentences = [sentence for sentence in sentences if sentence in also]
    return sentences


def names_of_steps(params: Mapping[str, Any]) -> set[str]:
    """Names of steps: scale and model in [[scale, {classifier: …}], [model, {classifier: …}]]."""
    lists = (value for value in params.values() if isinstance(value, list))
    pairs = (item for items in lists for item in items if isinstance(item, list) and len(item) > 1)
    return {pair[0] for pair in pairs if isinstance(pair[0], str)}


def texts_as_estimators(params: Mapping[str, Any]) -> Problems:
    """(path of keys, sentence) for each import path that stands where an estimator belongs, as a step of a pipeline."""
    for name, value in params.items():
        if name in INNER and isinstance(value, str) and PATH.match(value):
            yield [name], f"'{value}' is a text; write {{classifier: {value}}}"
        if name not in LISTS or not isinstance(value, list):
            continue
        for i, item in enumerate(value):
            last = item[1] if isinstance(item, list) and len(item) > 1 else item
            if isinstance(last, str) and PATH.match(last):
                named = item[0] if item is not last else last.rpartition(".")[2].lower()
                yield [name, i], f"'{last}' is a text; write [{named}, {{classifier: {last}}}]"
            elif isinstance(item, Mapping) and "classifier" in item:
                yield [name, i], "the step has no name; write [name, {classifier: …}]"


def inner_entries(value: Any) -> Iterator[tuple[list[Any], Mapping[str, Any]]]:
    """(path of keys, entry) of each estimator among the parameters, also inside lists."""
    if isinstance(value, Mapping) and "classifier" in value:
        yield [], value
    elif isinstance(value, Mapping | list):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, inside in items:
            yield from (([key, *path], entry) for path, entry in inner_entries(inside))


def _construction_problems(method: Method, tune: Mapping[str, Any], classifies: bool) -> Problems:
    """Construct the estimator with each candidate, as fits will, and report its errors."""
    along = [name for name, spec in tune.items() if selection.is_path(spec)]
    without = {}
    with suppress(Exception):  # of the constructor; that is reported with its reason
        estimator = method.estimator() if along else None
        without = {name: why for name in along if (why := paths.complaint(estimator, name))}
    if without:
        yield from ((["tune", name], why) for name, why in without.items())
        return
    tries: list[tuple[list[Any], dict[str, Any]]] = [(["params"], {})] if not tune else []
    first = {name: selection.candidates({name: spec})[0][name] for name, spec in tune.items()}
    for name, spec in tune.items():
        tries += [(["tune", name], first | option) for option in selection.candidates({name: spec})]
    for path, chosen in tries:
        try:
            estimator = method.estimator(**chosen)
            for part in _with_inner(estimator):
                _check_parameters(part)
            if classifies and (predicts := _predicts_instead(estimator)):
                name = method.classifier.__name__
                yield ["classifier"], f"{name} predicts {predicts}, not classes; give a classifier"
                return
            probabilistic = any(hasattr(estimator, name) for name in PROBABILITIES)
        except BaseException as error:
            text, cls = one_sentence(error), method.classifier
            is_known_library = cls.__module__.partition(".")[0] in ("linclass", "sklearn")
            if not is_known_library and isinstance(error, Exception):
                text = f"{cls.__name__} raises {type(error).__name__}: {text}"
            yield path, text
            return
    made = (method.estimator(**option) for option in selection.candidates(tune))
    yield from ((["tune", name], text) for name, text in idle_in_all(tune, made).items())
    if method.by_costs and not probabilistic:
        name = method.classifier.__name__
        yield ["decide"], f"'costs' needs probabilities, which {name} does not have; leave it out"


def _check_parameters(estimator: Any) -> None:
    """Call the parameter checks of linclass's and scikit-learn's classes and their subclasses.

    In other classes, methods of the same names may do anything and are not called.
    """
    ours = _is_ours(estimator)
    if ours and (weight := getattr(estimator, "class_weight", None)) is not None:
        classes = [*weight] if isinstance(weight, Mapping) else [0, 1]  # the data have others
        class_weights(weight, np.array(classes, dtype=object), np.ones(len(classes)))
    if ours and callable(getattr(estimator, "check", None)):
        estimator.check()
    if isinstance(getattr(type(estimator), "_parameter_constraints", None), Mapping):
        estimator._validate_params()


def _with_inner(estimator: Any) -> Iterator[Any]:
    """The estimator and those among its parameters, also inside lists of (name, estimator)."""
    waiting = [estimator]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list | tuple):
            waiting += part
        elif hasattr(part, "fit") and not isinstance(part, type):
            yield part
            waiting += part.get_params(deep=False).values() if hasattr(part, "get_params") else ()


def _predicts_instead(estimator: Any) -> str | None:
    """What an estimator that is not a classifier predicts, by scikit-learn's tags (if scikit-learn is loaded)."""
    if "sklearn.base" in sys.modules:
        with suppress(Exception):  # without tags it may be a classifier
            return PREDICTIONS.get(estimator.__sklearn_tags__().estimator_type)
    return None


def unknown_parameters(callable_: Any, given: Any, owner: str) -> Iterator[str]:
    """A sentence for each name that is not a parameter."""
    try:
        params = inspect.signature(callable_).parameters
    except ValueError:  # a compiled class without a signature
        return
    if any(p.kind is p.VAR_KEYWORD for p in params.values()):
        return
    names = [n for n, p in params.items() if p.kind is not p.VAR_POSITIONAL]
    for name in given:
        if name not in names:
            plain = f"{owner} has no parameter '{name}'; {suggest_name(name, names)}"
            ours = isinstance(callable_, type) and callable_.__module__.startswith("linclass.")
            yield (name_here(callable_, name) if ours else "") or plain


# The class at an import path must exist, and its methods must accept what a study passes.

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
PIPELINE = (
    "a pipeline is `classifier: sklearn.pipeline.Pipeline` with `params: {steps: [[name, {classifier: …}], …]}` "
    "(docs/estimators.md)"
)


def found_class(path: str, needed: tuple[str, ...]) -> tuple[Any, str]:
    """(the class, '') if it has the `needed` methods, else (None, a sentence)."""
    cls, problem = imported(path)
    if problem:
        return None, problem
    if not isinstance(cls, type):
        functions = "list a map of single rows under `features:`"
        remedy = functions if "transform" in needed else f"give that of an estimator; {PIPELINE}"
        return None, f"'{path}' is not a class; {remedy}"
    lacking = [name for name in needed if not callable(getattr(cls, name, None))]
    if lacking:
        return None, f"'{path}' has no {lacking[0]}(); give a class with {' and '.join(needed)}"
    unfit = (
        _signature_problem(cls, "fit_transform" if "transform" in needed else "fit")
        if needed
        else ""
    )
    return (None, unfit) if unfit else (cls, "")


def imported(path: str, find: Callable[[str], Any] = import_object) -> tuple[Any, str]:
    """(what `find` gives for an import path, ''), or (None, why it gives nothing)."""
    look_beside_the_study()
    try:
        return find(path), ""
    except ValueError as error:
        return None, one_sentence(error)
    except BaseException as error:  # the import itself fails; it may even call sys.exit
        return None, f"'{path}' cannot be imported: {one_sentence(error)}"


def lacking_arguments(function: Any, given: Iterable[str], first: int = 0) -> list[str]:
    """Parameters, from the `first` one, that have no default and are not `given`."""
    return [
        p.name
        for p in [*parameters(function).values()][first:]
        if p.default is p.empty and p.kind not in VARIADIC and p.name not in given
    ]


def one_sentence(error: BaseException) -> str:
    message = str(error) if isinstance(error, Exception) else f"it raises {error!r}"
    return " ".join(message.split()) or type(error).__name__


def _signature_problem(cls: Any, method: str) -> str:
    """Why the method cannot be called with rows and classes, and with groups if it takes them."""
    function = getattr(cls, method, None)
    module = str(getattr(function, "__module__", ""))
    if not callable(function) or module.startswith("sklearn."):  # which calls fit
        method, function = "fit", cls.fit
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return ""
    groups = {"groups": None} if "groups" in signature.parameters else {}
    params = [p for p in signature.parameters.values() if p.kind not in VARIADIC]
    try:
        signature.bind(None, "X", "y", **groups)
    except TypeError:
        called = f"{cls.__name__}.{method}"
        others = lacking_arguments(function, groups, first=3)
        if others:
            return f"{called} needs {', '.join(others)}, which a study does not pass; give it a default"
        takes = f"{called} takes ({', '.join(p.name for p in params[1:])})"
        return f"{takes}; it must take rows and classes, as in {method}(self, X, y)"
    return ""
