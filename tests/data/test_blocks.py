"""Rows from Parquet, block by block: the fit of all of them, with only one block in memory."""

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass import ExponentialFamilyNB, GaussianNB, LinearDiscriminantAnalysis
from linclass.base.messages import NotApplicable
from linclass_study.data.blocks import read_blocks


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1000)
    frame = pl.DataFrame(
        {
            "length": rng.normal(y, 2),
            "kind": np.array(["a", "b", "c"])[y],
            "count": rng.poisson(1 + y),
            "flag": rng.random(1000) < 0.3,
        }
    )
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=130)
    return tmp_path / "rows.parquet", frame


@each(
    "model",
    [
        LinearDiscriminantAnalysis(),
        GaussianNB(),
        ExponentialFamilyNB(families={"count": "poisson", "flag": "bernoulli"}),
    ],
)
def test_blocks_give_the_fit_of_all_rows(model, table):
    path, frame = table
    X, y = frame.drop("kind").cast(pl.Float64), frame["kind"].to_numpy()
    of_blocks = type(model)(**model.get_params()).fit_blocks(read_blocks(path, "kind", rows=170))
    expected = model.fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(of_blocks.predict_log_proba(X), expected, atol=1e-9)
    assert list(of_blocks.feature_names_in_) == ["length", "count", "flag"]


def test_non_numeric_columns_are_refused_by_name(table):
    path, _ = table
    with pytest.raises(NotApplicable, match=r"column 'kind' of .* is String"):
        next(read_blocks(path, "count"))
    with pytest.raises(ValueError, match="no column 'species'; it has length"):
        next(read_blocks(path, "species"))
