"""First steps of a user: a file with missing values, an estimator on PYTHONPATH, and an edit."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "estimators.md"

ROWS = [
    "34,1.2,red,well", "51,,blue,ill", "47,1.9,red,well", ",0.4,,ill", "29,1.1,blue,well", "58,0.9,red,ill",
]  # fmt: skip
PATIENTS = "age,dose,colour,outcome\n" + "\n".join(
    row.replace("9", str(i)) for i in range(5) for row in ROWS
)
FOUR_LINES = """
  datasets:
    patients:
      source: {file: patients.csv}
      target: outcome
"""


@pytest.fixture
def newcomer(project, tmp_path):
    """The file of the page lies in another folder, on PYTHONPATH."""
    page = PAGE.read_text(encoding="utf-8")
    examples = dict(re.findall(r"<!-- test: (\S+) -->\n```\w+\n(.*?)```", page, re.DOTALL))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "means.py").write_text(examples["means.py"])
    study = examples["means.yaml"].replace("results: results/means\n", "")
    project.write("patients.csv", PATIENTS)
    project.write("study.yaml", study.replace("gaussians", "patients").rstrip() + FOUR_LINES)
    return project


@pytest.mark.slow
def test_editing_an_estimator_on_pythonpath_refits_a_study_with_missing_values(newcomer, tmp_path):
    path = f"{newcomer.folder}:{tmp_path / 'elsewhere'}"
    output = newcomer.snakemake("--", "results/fits.parquet", PYTHONPATH=path)
    assert output.code == 0, output.text
    assert set(newcomer.fits("patients", "lda")["status"]) == {"converged"}
    assert set(newcomer.fits("iris", "means")["status"]) == {"converged"}
    reason = newcomer.fits("patients", "means")["reason"][0]
    assert "add impute and one_hot to the method's transforms" in reason

    file = tmp_path / "elsewhere" / "means.py"
    file.write_text(file.read_text().replace("** 2", "** 4"))
    output = newcomer.plan(PYTHONPATH=path)
    assert not {"fetch", "featurize"} & set(output.jobs)
    assert output.runs == {("iris", "means"), ("patients", "means")}


IN_PROCESSES = (  # what may differ in the process of a run, with its own output, imports and limits
    "Talks", "WarningsAreErrors", "OverflowIsAnError", "SpoilsRows", "OwnAttributes", "TwoProcesses",
    "a lazily imported class", "a pipeline, tuned inside", "bagging",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.early
def test_foreign_estimators_run_in_a_real_study(project, monkeypatch):
    """Others run in the process of tests/study/test_foreign_estimators.py."""
    tests = Path(__file__).parents[1] / "study"
    monkeypatch.syspath_prepend(str(tests))
    from test_foreign_estimators import KINDS

    entries = "".join(
        f"    kind{i}:\n      " + KINDS[name].replace("\n", "\n      ") + "\n"
        for i, name in enumerate(IN_PROCESSES)
    )
    methods = ", ".join(f"kind{i}" for i in range(len(IN_PROCESSES)))
    project.write(
        "study.yaml",
        f"datasets: [iris]\nmethods: [{methods}]\nevaluation: {{folds: 2, inner_folds: 2}}\n"
        f"define:\n  methods:\n{entries}",
    )
    path = f"{project.folder}:{tests}"
    output = project.snakemake("--", "results/fits.parquet", PYTHONPATH=path)
    assert output.code == 0, output.text
    fits = project.fits()
    assert fits.height == 2 * len(IN_PROCESSES)
    assert set(fits["status"]) == {"converged"}, fits.filter(status="failed")["reason"]
