"""Apply the feature maps of a method to a data set and to the grid on its plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.entries import named_steps
from linclass_study.errors import first_line, one_line
from linclass_study.execution.feature_file import CUT, NOWHERE, Axes, FeatureFile, grid
from linclass_study.pipeline.transforming import feature_map

MAX_GRID_VALUES = 5_000_000  # values in the features of a grid


def compute_features(data: Dataset, steps: Sequence[Any]) -> FeatureFile:
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
    except Exception as error:  # a user's feature map may fail; the study continues
        return FeatureFile.empty(f"its features cannot be computed ({first_line(error)})")
    return FeatureFile(table, data.y, axes, points, in_file=data.in_file, groups=data.groups)


def _grid(data: Dataset, width: int, steps: Sequence[Any]) -> tuple[Axes, Table]:
    """Grid on the plane of the training rows; empty if its features would be too many."""
    if data.in_file or width * CUT**2 > MAX_GRID_VALUES:
        return NOWHERE
    train = data.split == 0 if data.split.any() else slice(None)
    axes, points = grid(data.table.rows(train), data.y[train])
    return axes, _applied(points, steps) if len(axes[0]) else points


def _applied(table: Table, entries: Sequence[Any]) -> Table:
    for name, options in named_steps(entries):
        table = feature_map(name)(table, **options)
    return table
