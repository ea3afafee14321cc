"""The examples of docs/models.md give what they show, and no public name is missing there."""

from __future__ import annotations

import doctest
import os
import sys
from pathlib import Path

import pytest

import linclass
from linclass import parts

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "models.md"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_examples_of_models_give_what_they_show(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(os.fspath(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 20
    assert not result.failed


def test_models_names_all_that_is_public() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert not [name for name in linclass.__all__ if name not in page]


def test_models_names_every_part() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for package in ("losses", "penalties", "solvers", "kernels", "families"):
        assert not [name for name in parts.names(package) if f"`{name}`" not in page]


def test_help_of_a_model_begins_with_its_equation() -> None:
    for name in linclass.__all__:
        if name[0].isupper():
            file = sys.modules[getattr(linclass, name).__module__]
            assert getattr(linclass, name).__doc__.startswith(file.__doc__), name
