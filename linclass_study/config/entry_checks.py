"""Check the selected entries before any work: data sets have sources, methods can be constructed.

The checks of a method are cached for the next process, as importing scikit-learn takes a second. They are made again
when the entry, the code of linclass, Python or the installed libraries change; classes in modules of the study itself
are always checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linclass_study.config import code, estimator_check, method_check
from linclass_study.config.catalogues import at_their_origin
from linclass_study.config.column_check import column_problems
from linclass_study.config.module_files import files_of
from linclass_study.config.yaml_file import Problem, SourceLines, read_yaml
from linclass_study.data.entry_check import entry_problems
from linclass_study.data.search_folders import SearchFolders
from linclass_study.files.disk_cache import computed_once, state_of_project
from linclass_study.project import OURS


def problems_of_method(entry: Mapping[str, Any]) -> list[tuple[list[Any], str]]:
    """method_check.method_problems"""
    return [(keys, text) for keys, text in _checked(entry)["problems"]]


def idle_of_method(entry: Mapping[str, Any]) -> list[str]:
    """estimator_check.without_effect"""
    return list(_checked(entry)["idle"])


def facts_of_method(entry: Mapping[str, Any]) -> dict[str, Any]:
    """parameter_facts.parameter_facts; {} of an entry that is wrong."""
    return dict(_checked(entry)["facts"])


def _checked(entry: Mapping[str, Any]) -> dict[str, Any]:
    def check() -> dict[str, Any]:
        problems = [*method_check.method_problems(entry)]
        found: dict[str, Any] = {"problems": problems, "idle": [], "facts": {}}
        if not problems:
            found["idle"] = estimator_check.without_effect(entry)
            with suppress(Exception):  # of get_params of any library
                found["facts"] = estimator_check.parameter_facts(entry)
        return found

    try:
        state = [*_state(entry)]
        text = json.dumps(entry, sort_keys=False)
    except (ValueError, TypeError, OSError, ImportError):  # a wrong entry
        return check()
    if not state:
        return check()
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return dict(computed_once(f"check {sys.prefix} {digest}", state, check))


def _state(entry: Mapping[str, Any]) -> Iterator[Any]:
    """What the outcome depends on besides the entry; nothing if it must not be kept."""
    modules = {
        module for module in code.modules_named(entry) if module.partition(".")[0] not in OURS
    }
    places = {}
    for name in sorted({module.partition(".")[0] for module in modules}):
        spec = find_spec(name)
        if spec is None or not spec.has_location or files_of(name):
            return
        places[str(spec.origin)] = Path(str(spec.origin)).parent.parent  # site-packages
    for origin, folder in places.items():
        yield origin
        yield from (os.stat(path).st_mtime_ns for path in (origin, folder))
    yield state_of_project()


Entry = Mapping[str, Any]


def check_entries(
    kind: str,
    selected: Mapping[str, Entry],
    own: Mapping[str, str],
    mirrors: Iterable[str],
    root: Path,
    written: SourceLines,
) -> None:
    """Refuse what is wrong with them, by its key in the study's files or, of an entry that is not `own`, in the
    catalogue.
    """
    problems = problems_of_method if kind == "methods" else _of_datasets(mirrors, root)
    found: dict[bool, list[Problem]] = {True: [], False: []}  # of own entries, of the catalogue's
    for name, entry in selected.items():
        found[name in own] += [([name, *keys], text) for keys, text in problems(entry)]
    path = root / "config" / f"{kind}.yaml"
    content = read_yaml(path)
    SourceLines(content, {path: content}).refuse(found[False])
    written.refuse(at_their_origin(found[True], own), ("define", kind))


def _of_datasets(mirrors: Iterable[str], root: Path) -> Callable[[Entry], Iterable[Problem]]:
    places = [Path(folder) for folder in mirrors]
    folders = SearchFolders(places, root=root)

    def problems(entry: Entry) -> Iterable[Problem]:
        found = list(entry_problems(entry, places, root))
        if any(path != ["costs"] for path, _ in found):
            return found
        in_file = list(
            column_problems(entry, folders)
        )  # it has the classes, which costs may misname
        return in_file if any(path == ["costs"] for path, _ in in_file) else [*found, *in_file]

    return problems
