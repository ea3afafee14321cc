"""Figures of the textbooks: run the scripts, compare their numbers with published ones, and show them on a page.

Scripts use `data` (rows of the catalogue), `file` (a file that the reader provides), `figure` (axes in the project's
style) and `save` (the figure and its numbers).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["CLASSES", "INK", "METHODS", "Rows", "data", "figure", "file", "save"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.script"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
