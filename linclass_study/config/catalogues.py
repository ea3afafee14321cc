"""The catalogues of data sets and methods, with the entries that a study defines itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from linclass_study.config import grid, schema, suites
from linclass_study.config.schema import schema_problems
from linclass_study.config.source_lines import Problem, SourceLines
from linclass_study.config.suites import suite_names
from linclass_study.config.yaml_file import parse_numbers, read_yaml
from linclass_study.errors import suggest_name
from linclass_study.files.disk_cache import computed_once, state_of_project

Catalogue = dict[str, dict[str, Any]]


def read_catalogue(
    kind: str, define: Mapping[str, Any], root: Path, written: SourceLines
) -> tuple[Catalogue, dict[str, str], list[Problem]]:
    """(entries, origin, problems) of `datasets` or `methods`.

    origin: name of an own entry → the name it is written under; problems: what is wrong with the form of own entries.
    """
    path, where = root / "config" / f"{kind}.yaml", ("define", kind)
    content = read_yaml(path) or {}
    catalogue = computed_once(
        f"catalogue {path}",
        [
            state_of_project(),
            hashlib.blake2b(json.dumps(content, default=str).encode()).hexdigest(),
        ],
        lambda: conforming(kind, content, SourceLines(content, {path: content})),
    )
    catalogue = deepcopy(catalogue)
    defined, origin, wrong = grid.expand(parse_numbers(define.get(kind) or {}))
    written.refuse(wrong, where)
    own = schema.fitted(kind, defined)
    problems = list(schema_problems(kind, own))
    twice = [name for name in own if name in catalogue]
    written.refuse(
        [([name], f"the name is already in {path.name}; choose another") for name in twice], where
    )
    catalogue |= own
    if kind == "datasets":
        names = {path[0] for path, _ in problems if path}
        sound = {name: entry for name, entry in own.items() if name not in names}
        written.refuse(_unknown_relatives(sound, catalogue, root), where)
    return catalogue, origin, problems


def conforming(kind: str, value: Any, written: SourceLines) -> Any:
    """The value with the types of its schema; refused if it does not conform to it."""
    fitted = schema.fitted(kind, value)
    written.refuse(schema_problems(kind, fitted))
    return fitted


def at_their_origin(
    problems: Iterable[tuple[list[Any], str]], origin: Mapping[str, str]
) -> Iterable[tuple[list[Any], str]]:
    """Assign problems of an entry to the grid that defined it; the message names the entry."""
    for (name, *path), sentence in ((path or [""], sentence) for path, sentence in problems):
        source = origin.get(name, name)
        message = sentence if source == name else f"{sentence} (of '{name}')"
        yield ([source, *path] if source else []), message


def _unknown_relatives(
    entries: Mapping[str, dict[str, Any]], catalogue: dict[str, Any], root: Path
) -> Iterable[tuple[list[Any], str]]:
    """Names under `shares_rows_with` that are neither in the catalogue nor in any suite."""
    references = [
        ([name, "shares_rows_with", i], other)
        for name, entry in entries.items()
        for i, other in enumerate(entry.get("shares_rows_with", []))
        if other not in catalogue
    ]
    known = catalogue | suites.entries(suite_names(root), root) if references else catalogue
    for path, other in references:
        if other not in known:
            yield path, f"there is no data set '{other}'; {suggest_name(other, known)}"
