"""The keys of a generator as JSON Schema, read from its signature and docstring.

Each parameter is annotated with one of the types below: a Python type with its JSON Schema. Names, defaults
and required keys follow from the signature, and the description of a key from the section Parameters of the
docstring.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from operator import ge, gt, le, lt
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np

from linclass.base.documentation import documented, parsed
from linclass.base.messages import counted

Schema = dict[str, Any]
Drawing = TypeVar("Drawing", bound=Callable[..., Any])
NUMBER: Schema = {"type": "number"}
KINDS: dict[str, tuple[type, str]] = {
    "integer": (Integral, "whole number"),
    "number": (Real, "number"),
}
BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("minimum", "at least", ge),
    ("exclusiveMinimum", "above", gt),
    ("maximum", "at most", le),
    ("exclusiveMaximum", "below", lt),
)
ABOVE_0: Schema = {"type": "number", "exclusiveMinimum": 0}


def rows_of(least: int, most: int | None = None) -> Schema:
    """Schema of a list of `least` to `most` positive numbers of rows."""
    size = {"minItems": least} | ({"maxItems": most} if most else {})
    return {"type": "array", **size, "items": {"type": "integer", "minimum": 1}}


Rows = Annotated[Sequence[int], rows_of(1)]
RowsOfTwo = Annotated[Sequence[int], rows_of(2, 2)]
RowsOfSeveral = Annotated[Sequence[int], rows_of(2)]
Means = Annotated[
    Sequence[Sequence[float]],
    {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1, "items": NUMBER}},
]
Covariances = Annotated[Any, {"oneOf": [{"const": "identity"}, {"type": "array", "minItems": 1}]}]
Count = Annotated[int, {"type": "integer", "minimum": 1, "maximum": 1_000_000}]
Distance = Annotated[float, {"type": "number", "minimum": 0}]
Positive = Annotated[float, ABOVE_0]
PositiveList = Annotated[Sequence[float], {"type": "array", "minItems": 2, "items": ABOVE_0}]
Degrees = Annotated[float, {"type": "number", "minimum": 0.5}]
Share = Annotated[float, {"type": "number", "minimum": 0, "exclusiveMaximum": 1}]
Probability = Annotated[float, {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}]


def keys_schema(generator: Callable[..., Any]) -> Schema:
    """JSON Schema of the parameters that have one of these types, so not of the random generator."""
    kinds = get_type_hints(generator, include_extras=True)
    parameters = inspect.signature(generator).parameters
    described = descriptions(generator)
    keys = [key for key in parameters if hasattr(kinds[key], "__metadata__")]
    properties = {
        key: {"description": described[key], **kinds[key].__metadata__[0]} for key in keys
    }
    needed = [key for key in keys if parameters[key].default is inspect.Parameter.empty]
    return {"type": "object", "properties": properties, "required": needed}


def check_keys(generator: Callable[..., Any], keys: Mapping[str, Any]) -> None:
    """Raise ValueError, with one sentence, for a number or a list of numbers that the schema excludes.

    Tables of numbers are checked by the generator, which knows their shapes.
    """
    for key, schema in keys_schema(generator)["properties"].items():
        if key in keys and (complaint := _complaint(keys[key], schema)):
            raise ValueError(f"{key}: {complaint}")


def _complaint(value: object, schema: Schema) -> str | None:
    """What is wrong with a value, and what it must be; None if nothing is, or only the generator can check it."""
    if schema.get("type") == "array":
        items = schema["items"] if schema["items"].get("type") != "array" else {}
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            return f"{value!r} is no list; give a list with an entry per class." if items else None
        found, least, most = list(value), schema.get("minItems", 0), schema.get("maxItems", np.inf)
        if items and not least <= len(found) <= most:
            many = f"{least}" if least == most else f"at least {least}"
            return f"{found} has {counted(len(found), 'entry')}; give {many}."
        return next(filter(None, (_complaint(v, items) for v in found)), None)
    if schema.get("type") not in KINDS:
        return None
    kind, word = KINDS[schema["type"]]
    number = isinstance(value, kind) and not isinstance(value, bool)
    ranges = [(words, within, schema[bound]) for bound, words, within in BOUNDS if bound in schema]
    if number and all(within(value, end) for _, within, end in ranges):
        return None
    must = " and ".join(f"{words} {end:g}" for words, _, end in ranges)
    return f"{value!r} must be a {word}{', ' if must else ''}{must}."


def with_defaults(generator: Callable[..., Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """All keys of a generator, in the order of its signature."""
    given = inspect.signature(generator).bind(None, **keys)
    given.apply_defaults()
    _, *names = given.arguments  # without the random generator
    return {name: given.arguments[name] for name in names}


def descriptions(generator: Callable[..., Any]) -> dict[str, str]:
    """Key → its description in the section Parameters of the docstring."""
    entries = parsed(generator.__doc__).entries("Parameters")
    return {key: " ".join(entry.text.split()).rstrip(".") for key, entry in entries.items()}


# What several generators share: sections of docstrings, class codes, and means on a line.

SHARED = """Shared by all generators.

Parameters
----------
rng : numpy.random.Generator
    Source of the random numbers.
rows : sequence of int
    The number of rows of each class.
features : int
    d, the number of features.

Returns
-------
X : array, or csr_array, of shape (n, d)
    Rows, class after class.
y : array of shape (n,)
    Class codes 0, ..., K − 1.
"""


def documented_generator(function: Drawing) -> Drawing:
    """Complete the docstring of a generator with the sections that all of them share."""
    return documented(function, SHARED)


def class_codes(rows: Sequence[int]) -> np.ndarray:
    """0 … 0 1 … 1 …, class after class."""
    return np.repeat(np.arange(len(rows), dtype=np.int32), rows)


def on_a_line(n_classes: int, distance: float, features: int) -> np.ndarray:
    """(K, d) means at equal distances along the diagonal (1, …, 1)/√d."""
    steps = distance * np.arange(n_classes) / features**0.5
    return np.repeat(steps[:, None], features, axis=1)
