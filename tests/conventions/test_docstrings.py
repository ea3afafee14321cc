"""Docstrings in numpydoc's form agree with the signatures, for everything public; the objects are found, not listed.

A parameter is documented as in scikit-learn:  name : type, default=value  and, indented below, its meaning.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cases import each
from models import ESTIMATORS
from page_examples import shown_modules

import linclass
from linclass import datasets as synthetic
from linclass.base import parts
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass.base.many_fits import RegularizationPath
from linclass.base.tables import Table
from linclass.evaluation import bayes_error, comparisons, metrics
from linclass.evaluation.metrics.predictions import Predictions
from linclass_study.pipeline import transforming

FOUND_BY_NAME = ("families", "features", "kernels", "losses", "penalties", "solvers", "transforms")


ELSEWHERE = (RegularizationPath, Predictions, Table, bayes_error.bayes_error)  # returned or taken


def public() -> Iterator[tuple[str, Any]]:
    """Name and object: what users call, by import or by name in a study."""
    for name in linclass.__all__:
        found = getattr(linclass, name)  # a module and the function in it may have one name
        yield name, getattr(found, name) if inspect.ismodule(found) else found
    for module in (comparisons, metrics, synthetic):
        for name in dir(module):
            found = getattr(module, name)
            if getattr(found, "__module__", "").startswith(module.__name__) and name[0] != "_":
                yield f"{module.__name__}.{name}", found
    for name in synthetic.names():
        yield f"synthetic.{name}", synthetic.generator(name)
    for package in FOUND_BY_NAME:
        for name in parts.names(package):
            yield f"{package}.{name}", part(package, name)
    shown = shown_modules("docs/features.md", "linclass/preprocessing/features")
    for name, module in shown.items():
        yield f"docs/features.md: {name}", getattr(module, name)
    for found in ELSEWHERE:
        yield found.__name__, found


def part(package: str, name: str) -> Any:
    if package == "transforms":
        return transforming.transform_class(name)
    return parts.find(package, name)


def is_record(found: Any) -> bool:
    return inspect.isclass(found) and hasattr(found, "_fields")


def with_signature() -> Iterator[tuple[str, Any]]:
    """Name and object of callables: functions, classes, and methods of estimators and transforms."""
    for name, found in public():
        if is_record(found):
            continue
        yield name, found
        if inspect.isclass(found) and (issubclass(found, Estimator) or "transforms." in name):
            for method, function in inspect.getmembers(found, inspect.isroutine):
                ours = str(getattr(function, "__module__", "")).startswith("linclass.")
                if ours and not method.startswith("_"):
                    yield f"{name}.{method}", function


def documentation(found: Any) -> str:
    own = found.__doc__ if inspect.isclass(found) else inspect.getdoc(found)
    if inspect.isclass(found) and (own or "").startswith(f"{found.__name__}("):
        own = None  # a dataclass writes its signature where it has no docstring
    return inspect.cleandoc(own or "")


def section(text: str, title: str) -> dict[str, tuple[str, str]]:
    """Name → (type, description), of a section of a docstring."""
    lines, found = text.splitlines(), {}
    if title not in lines:
        return {}
    names: list[str] = []
    for line, below in pairwise([*lines[lines.index(title) + 2 :], ""]):
        if re.fullmatch(r"-{3,}", below):
            break
        if entry := re.fullmatch(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.*))?", line):
            names = [name.strip("*") for name in entry[1].split(", ")]
            found |= dict.fromkeys(names, (entry[2] or "", ""))
        elif line.startswith("    "):
            for name in names:
                kind, meaning = found[name]
                found[name] = kind, f"{meaning} {line.strip()}".strip()
    return found


def arguments(function: Any) -> dict[str, Any]:
    """Name → default, of a field of a dataclass what its factory makes."""
    made = {
        field.name: field.default_factory()
        for field in (dataclasses.fields(function) if dataclasses.is_dataclass(function) else ())
        if field.init and field.default_factory is not dataclasses.MISSING
    }
    parameters = inspect.signature(function).parameters
    given = {name: p.default for name, p in parameters.items() if name not in ("self", "cls")}
    return given | made


@each("found", [pytest.param(found, id=name) for name, found in with_signature()])
def test_docstrings_describe_the_object_and_match_its_signature(found):
    text = documentation(found) or inspect.getmodule(found).__doc__
    assert re.match(r"[^\n]{10,}", text)
    assert not text.startswith("Parameters")
    documented, given = section(documentation(found), "Parameters"), arguments(found)
    assert list(documented) == list(given)
    for name, default in given.items():
        kind, meaning = documented[name]
        assert meaning.endswith("."), name
        stated = re.search(r"default=(.+)$", kind)
        assert (stated is None) == (default is inspect.Parameter.empty), name
        if stated and stated[1] != repr(default) and not callable(default):
            value = ast.literal_eval(stated[1])
            assert (value, type(value)) == (default, type(default)), name


@each("found", [pytest.param(f, id=name) for name, f in public() if is_record(f)])
def test_fields_of_a_result_are_documented(found):
    assert list(section(documentation(found), "Attributes")) == list(found._fields)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_attributes_of_a_fit_are_documented(kind):
    """Each learned attribute is documented, and each documented attribute exists unless marked `only`."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    learned: set[str] = set()
    several = kind().__sklearn_tags__().classifier_tags
    for n_classes in (2, 3) if several is None or several.multi_class else (2,):
        y = rng.integers(0, n_classes, 60) if issubclass(kind, Classifier) else rng.normal(size=60)
        model = kind().fit(X, y)
        learned |= {name for name in dir(model) if re.fullmatch(r"[a-zA-Z]\w*[a-z]_|[A-Z]_", name)}
    documented = section(documentation(kind), "Attributes")
    assert learned <= set(documented)
    assert {name for name, (about, _) in documented.items() if ", only " not in about} <= learned


@each("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_properties_and_statuses_of_an_estimator_are_documented(kind):
    for name, found in inspect.getmembers(kind, lambda member: isinstance(member, property)):
        assert name.startswith("_") or inspect.getdoc(found), name
    about = section(documentation(kind), "Attributes")
    words = " ".join(about[name][1] for name in ("status_", "certificate_kind_"))
    for only in ("separable", "training_mistakes", "gap_to_bound"):
        assert (only in words) == issubclass(kind, Classifier)


def test_a_docstring_that_differs_from_its_signature_is_noticed():
    text = "What it is.\n\nParameters\n----------\na, b : int, default=1\n    Meaning.\n\nReturns\n-------\nint"
    assert section(text, "Parameters") == dict.fromkeys("ab", ("int, default=1", "Meaning."))
    assert not section(text, "Attributes")
