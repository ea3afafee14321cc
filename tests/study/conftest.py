"""Fits in the process of the tests."""

import pytest
from run_alone import call_here

from linclass_study.processes.guard import Guard


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fit runs in this process, which saves the start of a child."""
    monkeypatch.setattr(Guard, "call", call_here)
