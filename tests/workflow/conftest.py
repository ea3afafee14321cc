"""Real studies by real Snakemake, each in a copy of the project, so that a test may edit any file of it."""

import fcntl
import os
import shutil

import pytest
from projects import Project, copy

STUDY = """
datasets: [iris, gaussians]
methods: [nearest_mean, lda, logistic_newton]
evaluation: {folds: 3, inner_folds: 2}
"""


@pytest.fixture
def project(tmp_path):
    """A fresh copy of the project, nothing computed."""
    return copy(tmp_path / "project")


@pytest.fixture(scope="session")
def _computed(tmp_path_factory):
    """Computed once for all processes of pytest-xdist, which share the folder above their own."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "computed"
    with (folder.with_suffix(".lock")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            project = copy(folder.with_suffix(".partial"))
            project.write("study.yaml", STUDY)
            output = project.snakemake()
            assert output.code == 0, output.text
            project.folder.rename(folder)
    return folder


@pytest.fixture
def computed(_computed, tmp_path):
    """The project with a small study done: 2 data sets × 3 methods."""
    shutil.copytree(_computed, tmp_path / "project", copy_function=shutil.copy2)
    return Project(tmp_path / "project")
