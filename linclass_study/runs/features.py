"""The row-by-row maps that a method asks for, applied to a data set and to the plane it lies in."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from linclass.applicability import NotApplicable
from linclass.pipeline.method import named_steps
from linclass.table import Table
from linclass_study.data.dataset import Dataset
from linclass_study.data.unavailable import first_line, one_line
from linclass_study.runs.feature_file import CUT, NOWHERE, Axes, FeatureFile, grid

LARGEST = 5_000_000  # numbers in the features of a grid


def compute(data: Dataset, steps: Sequence[Any]) -> FeatureFile:
    """Features of every row, or the reason why they cannot be computed for this data set."""
    if data.in_file and steps:
        return FeatureFile.empty(
            "its rows stay in their file (parquet_blocks), without `features:`"
        )
    try:
        table = _applied(data.table, steps)
        axes, points = _grid(data, table.shape[1], steps)
    except NotApplicable as error:
        return FeatureFile.empty(one_line(error))
    except Exception as error:  # also of a feature that a user wrote: the study goes on
        return FeatureFile.empty(f"its features cannot be computed ({first_line(error)})")
    return FeatureFile(table, data.y, axes, points, in_file=data.in_file, groups=data.groups)


def _grid(data: Dataset, width: int, steps: Sequence[Any]) -> tuple[Axes, Table]:
    """Of the training rows; none where its features would be too many to be predicted by each fit."""
    if data.in_file or width * CUT**2 > LARGEST:
        return NOWHERE
    train = data.split == 0
    axes, points = grid(data.table.rows(train), data.y[train])
    return axes, _applied(points, steps) if len(axes[0]) else points


def _applied(table: Table, entries: Sequence[Any]) -> Table:
    for name, options in named_steps(entries):
        table = import_module(f"linclass.features.{name}").apply(table, **options)
    return table
