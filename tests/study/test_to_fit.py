"""The runs that a dry run lists: at least these, as rows are known only when they have been read."""

from __future__ import annotations

from pathlib import Path

import pytest

from linclass_study.jobs import to_fit
from linclass_study.jobs.bundles import Bundle
from linclass_study.jobs.to_fit import ToFit
from linclass_study.runs.run_files import parts_of


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
    known = {
        tmp_path / "runs" / "iris" / method: {"asked": method, "parts": {}} for method in fitted
    }
    monkeypatch.setattr(to_fit, "recorded_run", known.get)
    bundle = Bundle("iris", tuple(("iris", method) for method in "abc"), 1.0)
    assert f"{ToFit(tmp_path, {'iris': bundle}, str, dict):iris.}" == line


def test_what_changed_is_told_with_the_runs_that_are_fitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = parts_of({"classifier": "a"}, "code", {"folds": 3}, {})
    records = {
        tmp_path / "runs" / dataset / method: {
            "asked": "before",
            "parts": old if method != "c" else {},
        }
        for dataset in ("iris", "wine")
        for method in "abc"
    }
    monkeypatch.setattr(to_fit, "recorded_run", records.get)
    new = {
        "a": parts_of({"classifier": "a"}, "edited", {"folds": 3}, {}),
        "b": parts_of({"classifier": "b"}, "code", {"folds": 4, "inner_folds": 9}, {}),
    }
    bundle = Bundle("all", tuple((d, m) for d in ("iris", "wine") for m in "abcd"), 1.0)
    found = ToFit(
        tmp_path, {"all": bundle}, lambda method: "now", lambda method: new.get(method, {})
    )
    unknown = "their entry, their code, `evaluation:` or `limits:`"
    assert [*found.again(["all"])] == [
        "fitted again, as their code changed: a on iris and wine",
        "fitted again, as their entry and `evaluation:` changed: b on iris and wine",
        f"fitted again, as {unknown} changed: c on iris and wine",
    ]
    assert "8 of 8 runs to fit: iris × a, " in f"{found:all.}"


def test_a_change_that_a_method_does_not_use_changes_none_of_its_parts() -> None:
    entry = {"classifier": "a"}
    before, after = (parts_of(entry, "code", {"inner_folds": n}, {}) for n in (2, 3))
    assert before == after
    tuned = entry | {"tune": {"b": [1]}}
    before, after = (parts_of(tuned, "code", {"inner_folds": n}, {}) for n in (2, 3))
    assert [part for part in before if before[part] != after[part]] == ["evaluation"]
