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


@pytest.mark.slow
@pytest.mark.early
def test_every_kind_of_foreign_estimator_runs_in_a_real_study(project, monkeypatch):
    tests = Path(__file__).parents[1] / "study"
    monkeypatch.syspath_prepend(str(tests))
    from test_foreign_estimators import KINDS

    names = {f"kind{i}": lines for i, lines in enumerate(KINDS.values())}
    entries = "".join(
        f"    {name}:\n      " + lines.replace("\n", "\n      ") + "\n"
        for name, lines in names.items()
    )
    project.write(
        "study.yaml",
        f"datasets: [iris]\nmethods: [{', '.join(names)}]\nevaluation: {{folds: 2, inner_folds: 2}}\n"
        f"define:\n  methods:\n{entries}",
    )
    output = project.snakemake(PYTHONPATH=f"{project.folder}:{tests}")
    assert output.code == 0, output.text
    fits = project.fits()
    assert fits.height == 2 * len(KINDS)
    assert set(fits["status"]) <= {"converged", "max_iter"}, fits.filter(status="failed")["reason"]
