"""The examples of docs/models.md give what they show, and no public name is missing there."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import linclass

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "models.md"


def test_the_examples_of_models_give_what_they_show(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(os.fspath(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 20
    assert not result.failed


def test_models_names_all_that_is_public() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert not [name for name in linclass.__all__ if name not in page]
