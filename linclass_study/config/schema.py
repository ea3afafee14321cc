"""Validation of studies and entries by JSON Schema, with errors as sentences: key, value, remedy.

The validator is strict: 5.0 is not an integer, nan and inf are not numbers, and $ matches only at the end. A key in the
wrong place gets the right one: `folds:` at the top of a study is a key of `evaluation:`.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from linclass import datasets as synthetic
from linclass.evaluation import metrics
from linclass_study.entries import Problems, as_list
from linclass_study.errors import suggest_name
from linclass_study.files.disk_cache import computed_of_file
from linclass_study.project import ROOT


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    """Python's $ also matches before a final line break."""
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _is_number(_: Any, value: Any) -> bool:
    return _is_integer(_, value) or (isinstance(value, float) and math.isfinite(value))


TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {"integer": _is_integer, "number": _is_number}
)
Validator = extend(Draft202012Validator, {"pattern": _pattern}, type_checker=TYPES)


ALTERNATIVES = ("oneOf", "anyOf", "items", "then", "else", "additionalProperties")
COMMON = ("size",)  # its keys have names, such as rows, that others have, too
NO_WEIGHTS = (
    "a study has no weights of rows: leave the column out with `drop:`; "
    "methods have weights of classes, `params: {class_weight: …}`"
)
# what pandas and others call a key of ours
CALLED = {"delimiter": "separator", "sep": "separator", "skiprows": "skip"}
NOWHERE = {
    **dict.fromkeys(["weight", "weights", "sample_weight"], NO_WEIGHTS),
    **dict.fromkeys(["estimator", "model"], "it is called `classifier`"),
    **{name: f"it is called `{ours}`, under `csv:`" for name, ours in CALLED.items()},
}


def suggest_place(key: str, schema: dict[str, Any], top: str) -> str:
    """'it stands under `evaluation:`', of the shallowest place that has the key; if none has, what to do instead."""
    waiting: deque[tuple[Any, str]] = deque([(schema, "")])
    seen: set[int] = set()
    while waiting:
        node, parent = waiting.popleft()
        if isinstance(node, list):
            waiting.extendleft((part, parent) for part in node)
        if not isinstance(node, dict) or id(node) in seen or parent in COMMON:
            continue
        seen.add(id(node))
        properties = node.get("properties", {})
        if key in properties:
            return f"it stands under `{parent}:`" if parent else f"it stands at the top of {top}"
        if "$ref" in node:
            waiting.appendleft((schema["$defs"][node["$ref"].split("/")[-1]], parent))
        waiting.extendleft((node[word], parent) for word in ALTERNATIVES if word in node)
        waiting.extend((inside, name) for name, inside in properties.items())
    return NOWHERE.get(key, "")


FOLDER = ROOT / "workflow" / "schemas"
BOUNDS = {
    "minimum": "too small; give at least",
    "exclusiveMinimum": "too small; give more than",
    "maximum": "too large; give at most",
    "exclusiveMaximum": "too large; give less than",
    **dict.fromkeys(["minItems", "minLength", "minProperties"], "too short; give at least"),
    **dict.fromkeys(["maxItems", "maxLength"], "too long; give at most"),
}
TOPS = {"config": "the study", "datasets": "the entry", "methods": "the entry"}
KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@cache
def load_schema(name: str) -> dict[str, Any]:
    path = FOLDER / f"{name}.schema.yaml"
    schema = computed_of_file("YAML", path, lambda: yaml.safe_load(path.read_text("utf-8")))
    schema = deepcopy(schema)
    if name == "datasets":  # the keys of every generator follow from its signature
        drawn = schema["$defs"]["drawn"]
        drawn["properties"]["generate"]["enum"] = synthetic.names()
        for generator in synthetic.names():
            keys = synthetic.schema(generator)
            keys["properties"] |= drawn["properties"]
            chosen = {"properties": {"generate": {"const": generator}}}
            closed = {**keys, "additionalProperties": False}
            drawn.setdefault("allOf", []).append({"if": chosen, "then": closed})
    return schema


def schema_for_editors(names: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """One schema of a study file, self-contained, with the entries under `define:` and no required keys.

    `names` are those of the catalogues, which editors suggest; any other name is valid as well.
    """
    study = deepcopy(load_schema("config"))
    for part in (study, *study["properties"].values()):
        part.pop("required", None)
    for kind in ("datasets", "methods"):
        catalogue = deepcopy(load_schema(kind))
        study["$defs"] |= catalogue["$defs"]
        one = {"if": {"required": ["grid"]}, "else": catalogue["additionalProperties"]}
        study["properties"]["define"]["properties"][kind]["additionalProperties"] = one
        offered = {"anyOf": [{"enum": sorted(names[kind])}, {"type": "string"}]}
        choice = {"anyOf": [offered, {"type": "array", "items": offered}]}
        study["properties"][kind] = {"allOf": [study["properties"][kind], choice]}
    return study


def fitted(name: str, value: Any) -> Any:
    """`value` with numbers and booleans where the schema requires them.

    5.0 and 1e1 become integers; '5' and 'true', which come from the command line, become a number and a boolean.
    """
    value = deepcopy(value)
    for error in list(_leaves(Validator(load_schema(name)).iter_errors(value))):
        meant = _number_or_truth(error.instance)
        wanted = {*as_list(error.validator_value)} if error.validator == "type" else set()
        if any(TYPES.is_type(meant, kind) for kind in wanted & {"integer", "number", "boolean"}):
            *way, last = error.absolute_path
            holder = value
            for key in way:
                holder = holder[key]
            holder[last] = meant
    return value


def schema_problems(name: str, value: Any) -> Problems:
    """Yield (path of keys, message) for each violation of the schema `name`, in the order of `value`."""
    errors = Validator(load_schema(name)).iter_errors(value)
    for error in sorted(errors, key=lambda e: list(_positions(value, e.path))):
        yield from _sentences(error, name)


def _positions(value: Any, path: Iterable[Any]) -> Iterator[int]:
    for key in path:
        yield list(value).index(key) if isinstance(value, dict) else key
        value = value[key]


def _leaves(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    for error in errors:
        yield error
        yield from _leaves(error.context or ())


def _number_or_truth(value: Any) -> Any:
    """Convert a text or an integral float to a number or boolean; return other values unchanged."""
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return value.lower() == "true"
        with suppress(ValueError):
            return int(value)
        with suppress(ValueError):
            value = float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sentences(error: ValidationError, name: str) -> Problems:
    path, value, rule = list(error.absolute_path), error.instance, error.validator_value
    shown = f"{value!r}" if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
    schema = error.schema if isinstance(error.schema, dict) else {}
    match error.validator:
        case "additionalProperties" if rule is False:
            properties = schema.get("properties", {})
            for key in value:
                if key not in properties:
                    place = suggest_place(key, load_schema(name), TOPS[name])
                    yield [*path, key], f"unknown key; {place or suggest_name(key, properties)}"
        case "required":
            for key in rule:
                if key not in value:
                    part = _schema_of_key(schema, key, name)
                    example = next(iter(part.get("examples", ())), "…")
                    yield (
                        path,
                        f"the key '{key}' is missing{_description(part)}; add `{key}: {example}`",
                    )
        case "type":
            kinds = as_list(rule)
            wanted = " or ".join(KINDS[kind] for kind in kinds)
            remedy = _type_remedy(path, value, kinds) or _single_key_remedy(schema, value, name)
            yield path, f"{shown} is not {wanted}{_description(schema)}{remedy}"
        case "enum":
            yield path, f"{shown} is not known; {suggest_name(value, rule)}"
        case "const":
            yield path, f"{shown} is not known; the only choice is '{rule}'"
        case "uniqueItems":
            twice = next(item for i, item in enumerate(value) if item in value[:i])
            yield path, f"{twice!r} is given twice; remove one"
        case bound if bound in BOUNDS:
            yield path, f"{shown} is {BOUNDS[bound]} {rule}{_description(schema)}"
        case "pattern" if schema.get("description", "").startswith("a name:"):
            yield path, f"{shown} is an invalid name{_description(schema)}"
        case "oneOf" | "anyOf" if error.context:
            yield from _nearest_alternative(error, name, shown, schema)
        case _:
            yield path, f"{shown} does not fit{_description(schema) or f' ({error.message})'}"


def _schema_of_key(schema: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    """The schema of a key, also if it stands under $defs."""
    part: dict[str, Any] = schema.get("properties", {}).get(key, {})
    return load_schema(name)["$defs"][part["$ref"].split("/")[-1]] if "$ref" in part else part


def _single_key_remedy(schema: dict[str, Any], value: Any, name: str) -> str:
    """The remedy for the text of the only key that is required, in place of a mapping: `ridge: path.of.Ridge`."""
    required = schema.get("required", [])
    if len(required) != 1 or not isinstance(value, str | None):
        return ""
    part = _schema_of_key(schema, required[0], name)
    given = value or next(iter(part.get("examples", ())), "…")
    return f"; write {{{required[0]}: {given}}}" if part.get("type") == "string" else ""


def _nearest_alternative(
    error: ValidationError, name: str, shown: str, schema: dict[str, Any]
) -> Problems:
    """Error of the best match among several alternatives; without a match, the expected types."""
    by_branch: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        by_branch.setdefault(inner.schema_path[0], []).append(inner)
    right_kind = [
        errors
        for errors in by_branch.values()
        if not any(e.validator in ("type", "const") and not e.path for e in errors)
    ]
    if right_kind:
        for inner in min(right_kind, key=len):
            yield from _sentences(inner, name)
    else:
        types = [t for b in error.validator_value for t in as_list(b.get("type", []))]
        words = [f"the word {b['const']}" for b in error.validator_value if "const" in b]
        wanted = " or ".join(dict.fromkeys([*(KINDS[t] for t in types), *words]))
        is_clear = not any("$ref" in branch for branch in error.validator_value)
        path = [*error.absolute_path]
        remedy = _type_remedy(path, error.instance, types) if is_clear else ""
        yield path, f"{shown} is not {wanted or 'of a known form'}{_description(schema)}{remedy}"


def _type_remedy(path: list[Any], value: Any, kinds: list[str]) -> str:
    if path[-3:-2] in (["features"], ["transforms"]) and not isinstance(value, list):
        # the value of an option in place of the options: [impute: median]
        form = f"{{{path[-1]}: {{option: {value}}}}}"
        return f"; write {form} with the option's name (docs/features.md)"
    if "array" in kinds and isinstance(value, str):
        if path[-1:] == ["metrics"] and value in metrics.names():
            return f"; linclass's metrics are always computed: leave it out, or rank by it, `tune_metric: {value}`"
        return f"; write [{value}]"
    if path == ["figure_style", "width"] and TYPES.is_type(value, "number"):
        return f"; write {value}in"
    if "string" in kinds and isinstance(value, bool):
        return "; YAML reads on, off, yes and no as true and false: put it in quotes"
    if "string" in kinds and not isinstance(value, dict | list | None):
        return "; put it in quotes"
    return ""


def _description(schema: dict[str, Any]) -> str:
    return f" ({schema['description']})" if "description" in schema else ""
