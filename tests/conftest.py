"""One BLAS thread for each test process, of which there are as many as cores; the longest tests start first.

Tests that are not about processes run the fits of a study in their own.
"""

import os

import pytest

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy is imported


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("early") is None)


@pytest.fixture
def in_process(monkeypatch):
    """Each fit of a study runs in the process of the test, which saves the start of a child."""
    from run_alone import call_here

    from linclass_study.processes.guard import Guard

    monkeypatch.setattr(Guard, "call", call_here)
