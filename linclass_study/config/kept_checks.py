"""The checks of a method's entry, kept for the next process: to import scikit-learn takes a second.

They are made again when the entry, the code of linclass, Python or the installed libraries change. Classes in modules
of the study itself are always checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linclass_study.config import code, estimator_check, method_check, parameter_facts
from linclass_study.config.module_files import OURS, files_of
from linclass_study.files.disk_cache import computed_once, state_of_project


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
                found["facts"] = parameter_facts.parameter_facts(entry)
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
