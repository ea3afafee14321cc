"""JSON Schema errors as sentences: the key, its value, the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from linclass_study.project import ROOT
from linclass_study.refusal import nearest

FOLDER = ROOT / "workflow" / "schemas"
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
def load(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / f"{name}.schema.yaml").read_text(encoding="utf-8"))


def problems(name: str, value: Any) -> Iterator[tuple[list[Any], str]]:
    """(path of keys, sentence) for each way in which `value` does not fit the schema `name`."""
    validator = Draft202012Validator(load(name))
    for error in sorted(validator.iter_errors(value), key=lambda e: list(map(str, e.path))):
        yield from _sentences(error)


def _sentences(error: ValidationError) -> Iterator[tuple[list[Any], str]]:
    path, value, rule = list(error.absolute_path), error.instance, error.validator_value
    shown = f"{value!r}" if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
    schema = error.schema if isinstance(error.schema, dict) else {}
    match error.validator:
        case "additionalProperties" if rule is False:
            known = schema.get("properties", {})
            for key in value:
                if key not in known:
                    yield [*path, key], f"unknown key; {nearest(key, known)}"
        case "required":
            for key in rule:
                if key not in value:
                    yield path, f"the key '{key}' is missing"
        case "type":
            kinds = [rule] if isinstance(rule, str) else rule
            listed = f"; write [{value}]" if "array" in kinds and isinstance(value, str) else ""
            yield (
                path,
                f"{shown} is not {' or '.join(KINDS[k] for k in kinds)}{_meant(schema)}{listed}",
            )
        case "minimum" | "exclusiveMinimum":
            least = f"at least {rule}" if error.validator == "minimum" else f"more than {rule}"
            yield path, f"{shown} is too small; give {least}{_meant(schema)}"
        case "maximum" | "exclusiveMaximum":
            most = f"at most {rule}" if error.validator == "maximum" else f"less than {rule}"
            yield path, f"{shown} is too large; give {most}{_meant(schema)}"
        case "enum":
            yield path, f"{shown} is not known; {nearest(value, rule)}"
        case "const":
            yield path, f"{shown} is not known; the only choice is '{rule}'"
        case "uniqueItems":
            twice = next(item for i, item in enumerate(value) if item in value[:i])
            yield path, f"{twice!r} is given twice; remove one"
        case "minItems" | "minLength" | "minProperties":
            yield path, f"{shown} is too short; give at least {rule}{_meant(schema)}"
        case "oneOf" | "anyOf" if error.context:
            yield from _nearest_alternative(error, shown, schema)
        case _:
            if error.parent is not None and error.parent.validator == "propertyNames":
                path = list(error.parent.absolute_path)
            yield path, f"{shown} does not fit{_meant(schema) or f' ({error.message})'}"


def _nearest_alternative(
    error: ValidationError, shown: str, schema: dict[str, Any]
) -> Iterator[tuple[list[Any], str]]:
    """Of several alternatives, the error of the one that fits deepest; if none fits at all, what is asked for."""
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
            yield from _sentences(inner)
    else:
        kinds = [
            KINDS[b["type"]] if "type" in b else f"the word {b.get('const')}"
            for b in error.validator_value
            if isinstance(b, dict)
        ]
        wanted = " or ".join(dict.fromkeys(k for k in kinds if k))
        yield (
            list(error.absolute_path),
            f"{shown} is not {wanted or 'of a known form'}{_meant(schema)}",
        )


def _meant(schema: dict[str, Any]) -> str:
    return f" ({schema['description']})" if "description" in schema else ""
