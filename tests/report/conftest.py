from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import studies

from linclass_study.analysis.outcome import Outcome


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Outcome]:
    """make(data, methods, folds=5, name='results'): a study of made-up runs, scored and summarized."""

    def build(data, methods, folds=5, name="results"):  # type: ignore[no-untyped-def]
        return studies.build(tmp_path / name, data, methods, folds)

    return build
