"""The same study gives the same predictions: again from nothing, on fewer cores, in other jobs, in another order."""

from __future__ import annotations

import shutil

import pytest

# the study of the fixture with its keys, data sets and methods in another order, two methods more, and other jobs
REORDERED = """
jobs: {work: 0.01, shards: 2}
evaluation: {inner_folds: 2, folds: 3}
methods: [majority, logistic_newton, copy, lda, nearest_mean]
datasets: [gaussians, iris]
define: {methods: {copy: {transforms: [impute, one_hot, standardize], classifier: linclass.Perceptron}}}
"""


@pytest.mark.slow
def test_order_neighbours_cores_and_jobs_change_no_file(computed):
    results = computed.folder / "results"
    before = {
        path.relative_to(results): path.read_bytes()
        for pattern in (
            "runs/*/*/predictions.parquet",
            "folds/*.parquet",
            "runs/*/*/boundary.npz",
            "runs/*/*/coefficients.parquet",
        )
        for path in results.glob(pattern)
    }
    # each run has a boundary, on a plane at least, and coefficients
    assert len(before) == 6 + 2 + 6 + 6
    shutil.rmtree(results)
    computed.write("study.yaml", REORDERED)
    output = computed.snakemake("--cores", "1")
    assert output.code == 0, output.text
    after = {name: (results / name).read_bytes() for name in before}
    assert [name for name in before if before[name] != after[name]] == []
