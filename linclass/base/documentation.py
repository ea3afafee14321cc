"""Texts that several docstrings share are written once; `help()` shows them everywhere.

Leave out of a docstring what is documented elsewhere. `documented` completes it:

- A parameter that a docstring does not describe has the text of the base classes (for a method: of the method that it
  overrides), and otherwise that of `SharedParameters` below. Parameters are in the order of the signature.
- `default=` is added from the signature. A docstring states it itself only where its `repr` would be hard to read.
- Attributes of the base classes follow those of the class. A bare name without ` : type` in `Attributes` takes the
  inherited or shared text; with it a docstring can choose the order.
- A method without a summary or `Returns` takes them from the method that it overrides, so that most methods that
  override another need no docstring.

Estimators are documented when their class is created. Other classes and functions use the decorator:

    @documented
    @dataclass(frozen=True)
    class Huber(Loss): ...

The shared texts are docstrings, too, because a study does not refit when only docstrings change.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

Documented = TypeVar("Documented")
STARS: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


class SharedParameters:
    """Parameters that models share without inheriting them.

    Parameters
    ----------
    class_weight : 'balanced', dict or None
        Factor of the weights of the rows of each class. 'balanced' gives every class the same total weight; a dict
        maps classes to factors (1 for those it leaves out); None is 1 for all.
    fit_intercept : bool
        Whether to fit the intercept b. False sets b = 0.
    groups : array of shape (n,) or None
        Group of each row; rows of a group are held out together. None is no groups.
    max_iter : int or None
        Limit on the number of iterations (for stochastic solvers: passes over the rows). None is the solver's own
        limit.
    offset : array of shape (n,), or (n, K) for more than two classes, or None
        Known part of the scores of generalized linear models, in their form. None is 0.
    pair : (int, int) or None
        Indices (l, k) in `classes_` of the two classes, required for more than two; the normal of their boundary points
        to class k.
    priors : 'uniform', list of K floats or None
        Prior probabilities of the classes, in the order of `classes_`. None estimates them by the class frequencies.
    random_state : int, numpy.random.Generator or None
        Seed of the random order of rows. None draws a new one for each fit.
    sample_weight : array of shape (n,) or None
        Weight of each row, at least 0; None weighs all rows equally.
    strength : float
        Factor of the penalty in the objective above, at least 0. The objective is a mean over rows, so scikit-learn's
        C is 1/(Σw · strength).
    y : array of shape (n,)
        Class, or target, of each row.
    tol : float
        Tolerance: the fit has converged when `certificate_` is at most `tol`.
    trace : bool or callable
        Whether to record the progress of the solver in `trace_`. A function is called with the model after each step,
        and its value is recorded as `watched`.
    warm_start : bool
        Whether `fit` starts from the coefficients of the previous fit.
    X : array, sparse matrix or data frame of shape (n, d)
        Rows; finite numbers.

    Attributes
    ----------
    coef_ : array of shape (1, d) for two classes, (K, d) for more
        Weights W.
    intercept_ : array of shape (1,) for two classes, (K,) for more
        Intercepts b.
    means_ : array of shape (K, d)
        Class means m_k.
    n_features_in_ : int
        Number of features d of the training rows.
    n_mistakes_ : int
        Number of corrections, in all passes of `fit` or in the last `partial_fit`.
    priors_ : array of shape (K,)
        Prior probabilities π_k.
    solver_ : str
        The solver that was used.
    trace_ : list of dict, only with trace=True
        Passes over the rows, seconds, objective and gradient norm after each iteration.
    """


class Entry(NamedTuple):
    """The description of a name; of an attribute it may be empty, for the inherited or shared text."""

    type: str
    text: str  # the indented lines below

    def rendered(self, names: str, default: object = inspect.Parameter.empty) -> str:
        kind = self.type
        if default is not inspect.Parameter.empty and "default=" not in kind:
            kind = f"{kind}, default={_shown(default)}"
        return f"{names}{f' : {kind}' if kind else ''}\n{self.text}".rstrip()


class Docstring(NamedTuple):
    """A docstring in numpydoc's form: its summary, and the text of each section by its title."""

    summary: str
    sections: dict[str, str]

    def entries(self, title: str) -> dict[str, Entry]:
        """The names that a section describes, such as `a, b : int`."""
        found: dict[str, Entry] = {}
        for block in re.split(r"\n(?=\S)", self.sections.get(title, "")):
            head, _, text = block.partition("\n")
            names, _, kind = head.partition(" : ")
            found |= dict.fromkeys(re.findall(r"\w+", names), Entry(kind, text))
        return found


@cache
def parsed(text: str | None) -> Docstring:
    pieces = re.split(r"^([A-Z][\w ]+)\n-{3,}\n", inspect.cleandoc(text or ""), flags=re.M)
    titles, texts = pieces[1::2], [piece.strip("\n") for piece in pieces[2::2]]
    return Docstring(pieces[0].strip(), dict(zip(titles, texts, strict=True)))


def documented(found: Documented, *above: str) -> Documented:
    """Complete the docstring of a function (also from the docstrings `above`), or of a class and its methods."""
    if not isinstance(found, type):
        found.__doc__ = _completed(parsed(found.__doc__), map(parsed, above), _arguments(found))
        return found
    document_methods(found)
    written = parsed(found.__doc__)
    if not written.summary:
        written = written._replace(summary=sys.modules[found.__module__].__doc__ or "")
    bases = [vars(base).get("__doc__") for base in found.__mro__[1:]]
    arguments = [] if found.__init__ is object.__init__ else _arguments(found.__init__)  # type: ignore[misc]
    found.__doc__ = _completed(written, map(parsed, bases), arguments)
    return found


def document_methods(kind: type) -> None:
    """Complete the docstrings of the methods that a class defines."""
    for name, method in vars(kind).items():
        # unwrap methods that exist under a condition, and class methods
        method = getattr(method, "fn", getattr(method, "__func__", method))
        if inspect.isfunction(method) and not name.startswith("_"):
            bases = [
                base for base in kind.__mro__[1:] if not base.__module__.startswith("sklearn.")
            ]
            above = [vars(base)[name].__doc__ for base in bases if name in vars(base)]
            method.__doc__ = _completed(
                parsed(method.__doc__), map(parsed, above), _arguments(method)
            )


def _completed(
    written: Docstring, above: Iterable[Docstring], arguments: Iterable[inspect.Parameter]
) -> str:
    """The whole docstring of what has these base classes, or overrides these methods, the nearest first."""
    above = [*above]
    summary = written.summary or next((base.summary for base in above if base.summary), "")
    returns = next((b.sections["Returns"] for b in above if "Returns" in b.sections), "")
    docstrings = [written, *above, parsed(SharedParameters.__doc__)]
    sections = {"Parameters": _parameters(docstrings, arguments)}
    sections |= {title: text for title, text in written.sections.items() if title != "Parameters"}
    sections["Attributes"] = _attributes(docstrings)
    sections.setdefault("Returns", returns)
    blocks = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text]
    return "\n\n".join(filter(None, [summary, *blocks]))


def _parameters(known: list[Docstring], arguments: Iterable[inspect.Parameter]) -> str:
    entries = _nearest(known, "Parameters")
    described = [argument for argument in arguments if argument.name in entries]
    blocks = []
    for entry, group in groupby(described, lambda argument: entries[argument.name]):
        together = [*group]
        names = ", ".join(STARS.get(a.kind, "") + a.name for a in together)
        blocks.append(entry.rendered(names, together[0].default))
    return "\n".join(blocks)


def _attributes(known: list[Docstring]) -> str:
    """Attributes of the class, then of its bases; shared ones only where they are named."""
    entries = _nearest(known, "Attributes")
    names = dict.fromkeys(
        name for docstring in known[:-1] for name in docstring.entries("Attributes")
    )
    groups = groupby(names, lambda name: entries[name])
    return "\n".join(entry.rendered(", ".join(group)) for entry, group in groups)


def _nearest(known: list[Docstring], title: str) -> dict[str, Entry]:
    """The description of each name that is nearest to the class."""
    entries: dict[str, Entry] = {}
    for docstring in reversed(known):
        entries |= {name: entry for name, entry in docstring.entries(title).items() if any(entry)}
    return entries


def _arguments(function: Any) -> list[inspect.Parameter]:
    """Parameters of a function without `self`."""
    parameters = inspect.signature(function).parameters.values()
    return [argument for argument in parameters if argument.name not in ("self", "cls")]


def _shown(default: object) -> str:
    """A default as docstrings write it: 1e-6, and the name of a function."""
    if isinstance(default, float):
        return re.sub(r"e([+-])0", r"e\1", repr(default)).replace("e+", "e")
    return getattr(default, "__name__", None) or repr(default)
