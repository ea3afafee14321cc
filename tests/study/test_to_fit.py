"""The runs that a dry run lists: at least these, as rows are known only when they have been read."""

from __future__ import annotations

from pathlib import Path

import pytest

from linclass_study.jobs import to_fit
from linclass_study.jobs.bundles import Bundle
from linclass_study.jobs.to_fit import ToFit


@pytest.mark.parametrize(
    ("fitted", "line"),
    [
        ("", "iris, 3 of 3 runs to fit: iris × a, iris × b, iris × c"),
        ("ab", "iris, at least 1 of 3 runs to fit, more if rows have changed: iris × c"),
        ("abc", "iris, none of 3 runs to fit unless their rows have changed"),
    ],
)
def test_a_plan_promises_no_more_than_it_knows(
    fitted: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {tmp_path / "runs" / "iris" / method: {"asked": method} for method in fitted}
    monkeypatch.setattr(to_fit, "recorded_run", known.get)
    bundle = Bundle("iris", tuple(("iris", method) for method in "abc"), 1.0)
    assert f"{ToFit(tmp_path, {'iris': bundle}, str):iris.}" == line
