"""A Slurm for the tests of this folder: started once, always ended; without Slurm, the reason for the skip."""

import fcntl
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from one_machine import CANNOT, Slurm


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    if not find_spec("snakemake_executor_plugin_slurm"):
        pytest.skip("no executor for Slurm here: pip install -e '.[slurm]'")
    only_one = (Path(tempfile.gettempdir()) / "linclass-tests-slurm.lock").open("w")
    fcntl.flock(
        only_one, fcntl.LOCK_EX
    )  # a machine has one Slurm, whichever process of the tests started it
    slurm = Slurm(tmp_path_factory.mktemp("slurm") / "state")
    try:
        started = slurm.script("start")
        if started.returncode == CANNOT:
            pytest.skip(started.stdout.strip().splitlines()[-1])
        assert started.returncode == 0, started.stdout
        yield slurm
    finally:
        slurm.script("stop")
        only_one.close()
