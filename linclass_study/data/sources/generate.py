"""Rows drawn by a generator of linclass.synthetic, from the entry's `seed:` and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from linclass import synthetic
from linclass_study.data.content import Columns
from linclass_study.data.places import Places
from linclass_study.data.unavailable import Unavailable

TARGET = "class"


def offers(
    source: Mapping[str, Any], places: Places, last: bool
) -> Iterator[tuple[str, Callable[[], Columns]]]:
    yield f"generate {source['generate']}", lambda: _drawn(source)


def _drawn(source: Mapping[str, Any]) -> Columns:
    parameters = {k: v for k, v in source.items() if k not in ("generate", "seed", "part")}
    # The part (train or test) enters the seed, or a generated test set would repeat the training set.
    seed = [source.get("seed", 0), source.get("part", 0)]
    try:
        X, y = synthetic.generate(source["generate"], seed, **parameters)
    except (ValueError, TypeError) as error:
        raise Unavailable(str(error)) from None
    columns = {f"x{j + 1}": X[:, j] for j in range(X.shape[1])}
    frame = pl.DataFrame({**columns, TARGET: y.astype(float)})
    return Columns(frame, target=TARGET, bayes_error=_bayes_error(source["generate"], parameters))


def _bayes_error(generator: str, given: Mapping[str, Any]) -> tuple[float, float] | None:
    """(what no classifier can be below, the standard error of this number), where it can be known."""
    if generator != "gaussians":
        return None
    from linclass.bayes_error import estimate  # slow to import

    try:
        return estimate(given["means"], given.get("covariances", "identity"), given["rows"])
    except ValueError:  # a singular covariance, a class without rows
        return None
