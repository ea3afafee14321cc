"""Tests of one `xdist_group` run in one process: they share a costly study, a browser or the one Slurm of a machine.

A pytest-xdist that ignores the groups gives no warning: the tests take longer, or disturb each other.
"""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process alone (-n0)")
@pytest.mark.xdist_group("shared")
def test_pytest_xdist_keeps_groups_together(request):
    assert request.node.nodeid.endswith("@shared"), "pytest-xdist ignores xdist_group"
