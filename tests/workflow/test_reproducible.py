"""The same study gives the same predictions: again from nothing, and with one core or two."""

from __future__ import annotations

import shutil

import pytest


@pytest.mark.slow
def test_deleting_the_results_and_running_with_one_core_gives_identical_files(computed):
    results = computed.folder / "results"
    before = {
        path.relative_to(results): path.read_bytes()
        for pattern in (
            "runs/*/*/predictions.parquet",
            "scores.csv",
            "folds/*.parquet",
            "runs/*/*/boundary.npz",
            "runs/*/*/coefficients.parquet",
        )
        for path in results.glob(pattern)
    }
    # each run has a boundary, on a plane at least, and coefficients
    assert len(before) == 6 + 1 + 2 + 6 + 6
    shutil.rmtree(results)
    output = computed.snakemake("--cores", "1")
    assert output.code == 0, output.text
    after = {name: (results / name).read_bytes() for name in before}
    assert [name for name in before if before[name] != after[name]] == []
