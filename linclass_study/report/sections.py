"""The sections of the page, in order; each figure and table names its own (`SECTION`)."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

SECTIONS = {
    "focus": "The focus of this study",
    "answer": "The answer",
    "across": "Across data sets",
    "dataset": "Each data set",
    "cost": "What it cost",
    "trust": "Why to trust it",
}


def modules_with(package: ModuleType, function: str) -> dict[str, ModuleType]:
    """Name → module, for the modules of a package that define this function, sorted by PLACE."""
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    loaded = {name: import_module(f"{package.__name__}.{name}") for name in names}
    found = {name: module for name, module in loaded.items() if hasattr(module, function)}
    return dict(sorted(found.items(), key=lambda item: (item[1].PLACE, item[0])))


def section_name(module: ModuleType) -> str:
    return getattr(module, "SECTION", "dataset" if module.PER_DATASET else "across")
