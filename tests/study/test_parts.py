"""A study in parts: each data set is in one part, always the same, and the merged parts are the whole study."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from linclass_study.command.__main__ import main
from linclass_study.command.run import checked_study
from linclass_study.config.parts import divide
from linclass_study.errors import StudyError
from linclass_study.execution.job_plan import run_seconds

STUDY = """\
results: r
datasets: [iris, iris_binary, heart, wine]
methods: [majority, lda, logistic]
evaluation: {folds: 3, inner_folds: 2, focus: [logistic]}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The study, or a part of it, with other keys."""
    monkeypatch.chdir(tmp_path)

    def checked(part=(), **keys):
        Path("s.yaml").write_text(yaml.safe_dump(yaml.safe_load(STUDY) | keys))
        return checked_study([Path("s.yaml")], dict(part))

    return checked


def test_each_data_set_is_in_one_part_and_keeps_the_order_of_the_study(study):
    names = list(study().datasets)
    parts = [study({"part": f"{place}/3"}) for place in (1, 2, 3)]
    own = [list(part.datasets) for part in parts]
    assert sorted(name for some in own for name in some) == sorted(names)
    assert all(some == [name for name in names if name in some] for some in own)
    assert [part.results for part in parts] == [f"r-part-{place}-of-3" for place in (1, 2, 3)]
    assert all(part.whole == tuple(names) for part in parts)
    assert study().whole == ()


def test_a_part_has_the_same_data_sets_with_other_methods_evaluation_and_order(study):
    part = {"part": "1/3"}
    expected = {*study(part).datasets}
    assert {*study(part, methods=["logistic"]).datasets} == expected
    assert {*study(part, evaluation={"folds": 10}).datasets} == expected
    assert {*study(part, datasets=["wine", "heart", "iris_binary", "iris"]).datasets} == expected


def test_the_parts_of_the_reference_study_take_about_equally_long():
    reference = checked_study([Path(__file__).parents[2] / "config" / "reference.yaml"])
    seconds = run_seconds(reference)
    of_set = {d: sum(seconds[d, m] for m in reference.methods) for d in reference.datasets}
    parts = [sum(of_set[d] for d in names) for names in divide(reference.datasets, 8)]
    assert max(parts) < 1.1 * min(parts)


def test_some_data_sets_are_a_part_too_and_can_be_divided(study):
    assert list(study({"only": ["wine", "iris"]}).datasets) == ["iris", "wine"]
    assert study({"only": ["wine", "iris"]}).results == "r-only-iris+wine"
    halves = [study({"only": ["wine", "iris"], "part": f"{place}/2"}) for place in (1, 2)]
    assert {name for half in halves for name in half.datasets} == {"iris", "wine"}
    assert halves[1].results == "r-only-iris+wine-part-2-of-2"


def test_a_part_that_does_not_exist_is_one_line_with_the_remedy(study):
    def refusal(**part):
        with pytest.raises(StudyError) as refused:
            study(part)
        return str(refused.value)

    assert refusal(part="4/3") == "--part: there is no part 4/3; the last one is 3/3"
    assert refusal(part="1/9") == "--part: 1/9 divides 4 data sets; give at most 4 parts"
    few = "1/2 divides 1 data set; give at most 1 part"
    assert refusal(only=["iris"], part="1/2").endswith(few)
    for wrong in ("0/3", "3", "1/3/4", "a/b", "1/3\n"):
        assert refusal(part=wrong).startswith(f"--part: {wrong!r} does not fit (")
    unknown = "--only: the study has no data set 'irsi'; did you mean 'iris'?"
    assert refusal(only=["irsi"]) == unknown


def test_check_and_status_know_parts(study, capsys):
    study()
    assert main(["check", "s.yaml", "--part", "2/2", "--only", "iris,wine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "in parts" not in "\n".join(lines)  # a minute needs none
    assert lines[-2].split()[1] == "r-only-iris+wine-part-2-of-2"
    assert lines[-1].endswith("linclass run s.yaml --only iris,wine --part 2/2")
    assert main(["status", "s.yaml", "--part", "1/2"]) == 1
    assert capsys.readouterr().out.startswith("runs     0 of 6 done")
    assert main(["status", "r", "--part", "1/2"]) == 2
    assert "leave out --only and --part" in capsys.readouterr().err


def test_check_divides_a_study_of_many_hours(capsys):
    assert main(["check", "config/reference.yaml"]) == 0
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("in parts")]
    number = int(line.split()[3].partition("/")[2].rstrip(","))
    assert number > 1
    assert line.startswith(f"in parts    --part 1/{number} to --part {number}/{number}, ")


@pytest.mark.slow
def test_merged_parts_are_the_whole_study_but_for_times(study, tmp_path, capsys):
    """The figures of one data set, too, where a mark explains that a method chose an end of its grid."""
    narrow = {"classifier": "linclass.LogisticRegression", "tune": {"strength": [10.0, 100.0]}}
    study(
        datasets=["iris", "iris_binary", "wine"],
        methods=["majority", "narrow", "logistic"],
        define={"methods": {"narrow": narrow}},
    )

    def run(*options):
        command = [sys.executable, "-m", "linclass_study.command", "run", "s.yaml", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("--", "--cores", "1")
    run("--part", "2/2", "--", "--cores", "1")
    run("--part", "1/2", "--", "--cores", "1", "--config", "jobs={work: 30}")
    assert main(["merge", "r-part-2-of-2", "r-part-1-of-2", "--into", "merged"]) == 0
    assert main(["verify", "r", "merged"]) == 0
    whole, merged = tmp_path / "r", tmp_path / "merged"
    timed = ("times", "cost", "control", "focus")  # have seconds
    tables = [p.name for p in (whole / "tables").glob("*.csv") if not p.name.startswith(timed)]
    assert len(tables) > 20
    same = [f"tables/{name}" for name in tables]
    same += [f"exhibits/methods-{name}/numbers.json" for name in ("iris", "iris_binary", "wine")]
    assert "narrow chose the lowest strength of its grid on wine" in (whole / same[-1]).read_text()
    for name in ["study.json", "comparison.npz", "scores.csv", *same]:
        assert (whole / name).read_bytes() == (merged / name).read_bytes(), name
