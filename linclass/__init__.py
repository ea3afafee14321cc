"""Every linear classifier of the textbooks, from the equations, in NumPy.

Public names are imported on first use. A class is in the file with its name in snake case:
``linclass.LogisticRegression`` is ``linclass/classifiers/logistic_regression.py``. A new classifier is public as
soon as its file exists.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

_FUNCTIONS = {
    "decide": "linclass.risk",
    "largest_margin": "linclass.separability",
    "separability": "linclass.separability",
}
_CLASSIFIERS = Path(__file__).parent / "classifiers"


def module_of(name: str) -> str:
    """LinearDiscriminantAnalysis → linclass.classifiers.linear_discriminant_analysis, GaussianNB → …gaussian_nb."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return f"linclass.classifiers.{words.lower()}"


def _classes() -> list[str]:
    found = []
    for file in sorted(_CLASSIFIERS.glob("[!_]*.py")):
        names = re.findall(
            r"^class ([A-Z]\w*)", file.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        found += [name for name in names if module_of(name).endswith(f".{file.stem}")]
    return found


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name[:1].isupper() and (_CLASSIFIERS / f"{module_of(name).rpartition('.')[2]}.py").is_file():
        value = getattr(import_module(module_of(name)), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'linclass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_classes(), *_FUNCTIONS])
