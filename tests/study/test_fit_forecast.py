"""The fits that a dry run lists: at least these, as rows are known only when they have been read."""

from collections import Counter

import pytest

from linclass_study.execution import fit_forecast
from linclass_study.execution.fit_forecast import ToFit
from linclass_study.execution.job_plan import Bundle
from linclass_study.execution.run_files import RunSpec

EVALUATION = {
    "protocols": ["cv"], "folds": 3, "repeats": 1, "seed": 1,
    "inner_folds": 2, "tune_metric": "accuracy", "tune_rule": "best",
}  # fmt: skip
ENTRY = {"classifier": "a"}
TUNED = ENTRY | {"tune": {"b": [1, 2]}}
SPEC = RunSpec(TUNED, "code", EVALUATION)


@pytest.fixture
def changes(tmp_path, monkeypatch):
    """changes(specs, records): a ToFit on iris and wine, given what the runs on both record."""

    def make(specs, records):
        known = {
            tmp_path / "runs" / dataset / method: record
            for dataset in ("iris", "wine")
            for method, record in records.items()
        }
        monkeypatch.setattr(fit_forecast, "recorded_run", known.get)
        (tmp_path / "data").mkdir(exist_ok=True)
        for dataset in ("iris", "wine"):
            (tmp_path / "data" / f"{dataset}.json").write_text("{}")
        runs = {d: tuple((d, method) for method in specs) for d in ("iris", "wine")}
        bundles = {d: Bundle(d, own, 1.0) for d, own in runs.items()}
        return ToFit(tmp_path, bundles, specs.__getitem__)

    return make


@pytest.mark.parametrize(("fitted", "line"), [
    ("", "iris: 3 of 3 runs to fit: a, b and c"),
    ("ab", "iris: at least 1 of 3 runs to fit, more if rows have changed: c"),
    ("abc", "iris: none of 3 runs to fit unless their rows have changed"),
])  # fmt: skip
def test_a_plan_states_only_known_numbers_of_fits(changes, fitted, line):
    found = changes(dict.fromkeys("abc", SPEC), {m: {"asked": SPEC.asked} for m in fitted})
    assert [*found.lines(["iris"])] == [line]


def test_a_plan_states_the_number_of_refits_and_the_reason(changes):
    before = {"asked": "before", "recipe": SPEC.recipe + "?", "parts": SPEC.parts}
    specs = {
        "a": RunSpec(TUNED, "edited", EVALUATION),
        "b": RunSpec(TUNED | {"params": {"c": 1}}, "code", EVALUATION | {"inner_folds": 9}),
        "c": SPEC,
    }
    found = changes(specs, {"a": before, "b": before})
    assert [*found.again(["iris", "wine"])] == [
        "fitted again, as their code changed: a on iris and wine (6 fits)",
        "fitted again, as their entry and `evaluation:` changed: b on iris and wine (6 fits)",
    ]
    (line,) = found.lines(["iris"])
    assert line == "iris: 3 of 3 runs to fit: a (3 fits), b (3 fits) and c"
    assert found.changes("iris", "c") == Counter({fit_forecast.NEW: 1})


def test_settings_unused_by_a_method_change_neither_its_task_nor_its_recipe():
    def differing(entry, **changes):
        one, other = (RunSpec(entry, "code", EVALUATION | new) for new in ({}, changes))
        return {name for name in ("asked", "recipe") if getattr(one, name) != getattr(other, name)}

    assert differing(ENTRY, inner_folds=3, tune_metric="log_loss") == set()
    assert differing(TUNED, inner_folds=3) == {"asked", "recipe"}
    for changes in ({"repeats": 2}, {"protocols": ["cv", "hold_out"]}, {"seed": 2}, {"folds": 4}):
        assert differing(TUNED, **changes) == {"asked"}
    assert differing(ENTRY, traces=True) == {"asked"}


def test_repeats_and_other_protocols_do_not_change_how_a_protocol_divides_rows():
    def protocols(**changes):
        return RunSpec(ENTRY, "code", EVALUATION | changes).protocols

    cv = protocols()["cv"]
    curve = {"learning_curve": {"sizes": [0.5, 0.7]}}
    assert protocols(repeats=2, protocols=["hold_out", "cv", curve])["cv"] == cv
    for changes in ({"folds": 4}, {"seed": 2}, {"cv_rows": "all"}):
        assert protocols(**changes)["cv"] != cv
