"""Published lists of OpenML data sets, one per file in config/suites/.

A data set of a suite is called {name}.{number at openml.org} in every suite that contains it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from linclass_study.config.yaml_file import read_yaml


def suite_names(root: Path) -> list[str]:
    return sorted(file.stem for file in _folder(root).glob("*.yaml"))


def entries(chosen: Iterable[str], root: Path) -> dict[str, dict[str, Any]]:
    """Entries of all data sets of these suites, in the form of config/datasets.yaml."""
    return {name: entry for suite in chosen for name, entry in _of_suite(suite, root).items()}


@cache
def _of_suite(suite: str, root: Path) -> dict[str, dict[str, Any]]:
    tasks = read_yaml(_folder(root) / f"{suite}.yaml")["tasks"]
    return {f"{task['name']}.{task['data']}": _entry(task) for task in tasks}


def _entry(task: dict[str, Any]) -> dict[str, Any]:
    size = {"rows": task["rows"], "features": task["features"]}
    target = {"target": task["target"]} if "target" in task else {}
    return {"source": {"openml": task["data"]}, **target, "size": size}


def _folder(root: Path) -> Path:
    return root / "config" / "suites"
