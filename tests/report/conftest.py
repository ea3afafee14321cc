from dataclasses import replace

import pytest
import studies
from studies import Data, Method

from linclass_study.files.tables import frame, write_table


@pytest.fixture
def make(tmp_path):
    """make(data, methods, folds=5, name='results'): a study of made-up runs, scored and summarized."""

    def build(data, methods, folds=5, name="results"):  # type: ignore[no-untyped-def]
        return studies.build(tmp_path / name, data, methods, folds)

    return build


@pytest.fixture
def scored(make):
    """scored({data set: {method: value of each fold}}, metric, rows of a fold): an outcome with these scores.

    Its folds have as many test rows, so that n_test/n_train = 1/(folds − 1)."""

    def study(values, metric="accuracy", rows=20):  # type: ignore[no-untyped-def]
        names = list(next(iter(values.values())))
        folds = len(next(iter(values.values()))[names[0]])
        data = {name: Data(rows=rows * folds) for name in values}
        outcome = make(data, {name: Method() for name in names}, folds=folds)
        outcome.evaluation["tune_metric"] = metric
        found = [
            (dataset, name, "cv", 0, fold, metric, value)
            for dataset, own in values.items()
            for name, of_folds in own.items()
            for fold, value in enumerate(of_folds)
        ]
        write_table(frame("scores", found), "scores", outcome.results / "scores.parquet")
        return replace(outcome)  # read anew

    return study
