"""The package behind the workflow: configuration, data files, child processes, tables and report of a study.

`linclass_study.load_results("results")` gives the results of a study as data frames.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "load_results":  # imported on first use, so that processes of a study do not load it
        from importlib import import_module

        return import_module(f"{__name__}.analysis.data_frames").load_results
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["load_results"]
