"""The package behind the workflow: configuration, data files, child processes, tables and report of a study.

`linclass_study.load_results("results")` gives the results of a study as data frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linclass_study.analysis.data_frames import load_results

__all__ = ["load_results"]


def __getattr__(name: str) -> Any:
    if (
        name == "load_results"
    ):  # imported on first use, so that processes of a study do not load Polars
        from importlib import import_module

        return import_module("linclass_study.analysis.data_frames").load_results
    raise AttributeError(f"module 'linclass_study' has no attribute {name!r}")
