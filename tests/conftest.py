"""One BLAS thread for each test process, of which there are as many as cores; the longest tests start first.

Tests that are not about processes run the fits of a study in their own.
"""

import os
import sys
from pathlib import Path

import pytest

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy is imported
# Without bytecode each process that a test starts would compile all of linclass, and each worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("early") is None)


@pytest.fixture
def in_process(monkeypatch):
    """Each fit of a study runs in the process of the test, which saves the start of a child."""
    from run_alone import call_here

    from linclass_study.processes.guard import Guard

    monkeypatch.setattr(Guard, "call", call_here)


@pytest.fixture(scope="module")
def open_page():
    """Opens pages in Chromium, one at a time. Not for a session: other tests' asyncio loops need the thread."""
    from browsing import open_chromium

    with open_chromium() as opener:
        yield opener


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which checks accessibility."""
    script = Path(os.environ.get("AXE") or "no axe")
    if not script.is_file():
        pytest.skip("AXE is not the path of axe.min.js (npm pack axe-core)")
    return script.read_text(encoding="utf-8")
