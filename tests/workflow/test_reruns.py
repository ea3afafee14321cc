"""An edit reruns the jobs that use the edited file, and no others; order, cores and jobs change no file."""

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

from linclass_study.files.tables import FIT

ALL_RUNS = {
    (d, m) for d in ("iris", "gaussians") for m in ("nearest_mean", "lda", "logistic_newton")
}
NO_LEARNING = {"fetch", "featurize", "cross_validate"}


@pytest.mark.slow
@pytest.mark.early
def test_running_again_in_a_fresh_checkout_does_nothing(computed):
    later = time.time() + 10
    parts = "linclass linclass_study workflow config resources Snakefile study.yaml"
    for part in parts.split():
        path = computed.folder / part
        for file in [path] if path.is_file() else path.rglob("*"):
            os.utime(file, (later, later))
    output = computed.snakemake()
    assert output.nothing_to_do
    answer = computed.text("results/answer.txt").rstrip()
    assert "report: results/report.html" in answer
    assert output.text.rstrip().endswith(answer)  # as after the run that made it
    assert answer not in computed.plan().text


@pytest.mark.slow
def test_a_plan_fits_what_was_added_edited_or_deleted_and_nothing_else(computed):
    """The last plan is made without .snakemake, which is lost if a folder is moved."""
    datasets = computed.text("config/datasets.yaml")
    cited = datasets.replace('citation: "Fisher, R. A.', 'citation: "R. A. Fisher')
    computed.write("config/datasets.yaml", cited)
    for file in (
        "linclass_study/checks/design_matrix.py",
        "linclass/evaluation/metrics/confusion.py",
    ):
        computed.append(file, "\nEDITED = True\n")
    file = "linclass/linear/solvers/newton.py"
    text = computed.text(file).removeprefix('"""')
    computed.write(file, '"""In other words.' + text + "\n# a comment\n")
    output = computed.plan()
    assert output.jobs["check_data"] == output.jobs["score"] == 2
    assert {"compare_data", "aggregate", "report"} <= {*output.jobs}
    assert not {*output.jobs} & NO_LEARNING, "these edits concern no fit"

    study = computed.text("study.yaml").replace("folds: 3", "folds: 3, focus: [lda]")
    computed.write("study.yaml", study.replace("logistic_newton]", "logistic_newton, perceptron]"))
    methods, entry = computed.text("config/methods.yaml"), "solver: newton, strength: 0."
    computed.write("config/methods.yaml", methods.replace(entry + "001", entry + "5"))
    computed.append("linclass/discriminant/nearest_mean.py", "\nEDITED = True\n")
    (computed.folder / "results/runs/iris/lda/boundary.npz").unlink()
    output = computed.plan()
    fitted = {"nearest_mean", "logistic_newton", "perceptron"}
    expected = {(d, m) for d in ("iris", "gaussians") for m in fitted} | {("iris", "lda")}
    assert output.runs == expected
    assert not {"fetch", "featurize"} & set(output.jobs)
    again = "fitted again, as their entry changed: logistic_newton on gaussians and iris (6 fits)"
    assert again in output.text
    assert "as their code changed: nearest_mean on gaussians and iris (6 fits)" in output.text
    shutil.rmtree(computed.folder / ".snakemake")
    assert computed.plan().runs == expected


@pytest.mark.slow
def test_an_extended_study_makes_only_new_fits_and_a_restored_one_none(computed):
    """A fit that is taken over has the seconds that were measured when it was made."""
    study, first = computed.text("study.yaml"), computed.fits().sort(FIT)
    extended = study.replace("folds: 3", "folds: 3, repeats: 2, protocols: [cv, hold_out]")
    computed.write("study.yaml", extended)
    output = computed.snakemake("--", "results/fits.parquet")
    assert output.code == 0, output.text
    longer = computed.fits().sort(FIT)
    assert longer.height == 18 + 6 * (3 + 10), "3 of the second repeat and 10 hold-outs"
    assert longer.join(first, on=FIT, how="semi").equals(first)
    jobs = "limits: {fit_seconds: 301}\njobs: {work: 1000, across: true}\n"
    computed.write("study.yaml", study + jobs)
    output = computed.plan()
    assert (output.bundles, output.runs) == (["~1-of-1"], set())
    assert computed.snakemake("--", "results/fits.parquet").code == 0
    assert computed.fits().sort(FIT).equals(first)


def files_in(folder):
    """Every file → when it was written; logs are not results."""
    files = (file for file in folder.rglob("*") if file.is_file() and "logs" not in file.parts)
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in files}


@pytest.mark.slow
def test_an_edited_study_removes_no_results_but_the_study_json_when_it_is_fitted(computed):
    """Neither do a plan of it and another target; one of its files is gone."""
    results = computed.folder / "results"
    (results / "runs/gaussians/lda/boundary.npz").unlink()
    before = files_in(results)
    computed.write("study.yaml", computed.text("study.yaml").replace("folds: 3", "folds: 4"))
    output = computed.plan()
    assert output.runs == ALL_RUNS
    assert "aggregate" in output.jobs
    assert files_in(results) == before
    assert computed.snakemake("--", "results/textbook/perceptron/numbers.json").code == 0
    now = files_in(results)
    assert "textbook/perceptron/numbers.json" in now
    assert {file: now.get(file) for file in before} == before
    assert computed.snakemake("--", "results/bundles/iris.json").code == 0
    assert not (results / "study.json").exists(), "its fits are gone"
    assert (results / "report.html").exists()


@pytest.mark.slow
def test_no_file_of_a_study_may_be_missing(computed):
    """tests/study/test_plans.py has those that Snakemake does not know."""
    results = computed.folder / "results"
    for file in ("comparison.npz", "checks/iris.npz", "scores/iris.parquet"):
        kept = (results / file).rename(results / "kept")
        assert not computed.plan().nothing_to_do, file
        kept.rename(results / file)
    assert computed.plan().nothing_to_do


def times_of(project, file):
    """dataset/method → when this file of the run was written."""
    files = (project.folder / "results/runs").glob(f"*/*/{file}")
    return {f"{f.parts[-3]}/{f.parts[-2]}": f.stat().st_mtime_ns for f in files}


@pytest.mark.slow
def test_only_runs_affected_by_an_edit_are_made_again_however_they_are_distributed(computed):
    """The edited study has one job for all runs, which skips those that are up to date."""
    fitted, scored = times_of(computed, "fits.parquet"), times_of(computed, "scores.parquet")
    scores = computed.text("results/scores.csv")
    computed.append("study.yaml", "jobs: {work: 1000, across: true}\n")
    computed.append("linclass/discriminant/nearest_mean.py", "\nEDITED = True\n")
    (computed.folder / "results/runs/gaussians/lda/predictions.parquet").unlink()
    output = computed.snakemake("--", "results/scores.csv")
    assert output.code == 0, output.text
    assert output.jobs["cross_validate"] == 1
    now = times_of(computed, "fits.parquet")
    assert {run for run in now if now[run] != fitted[run]} == {
        "iris/nearest_mean", "gaussians/nearest_mean", "gaussians/lda"
    }  # fmt: skip
    assert len(scored) == 6
    assert times_of(computed, "scores.parquet") == scored, "the same predictions, scored again"
    assert computed.text("results/scores.csv") == scores
    assert computed.snakemake("-n", "--", "results/scores.csv").nothing_to_do


@pytest.mark.full
def test_the_page_has_three_inputs_a_data_set(project):
    """And two outputs: Snakemake records all inputs and parameters of a job with each of its outputs."""

    def inputs(datasets):
        project.write("study.yaml", f"datasets: {datasets}\nmethods: [lda]\n")
        job = project.snakemake("-n", "--quiet", "host").text.split("rule report:")[1]
        files, outputs = (
            job.split(f"    {part}: ")[1].split("\n")[0] for part in ("input", "output")
        )
        assert outputs == "results/report.html, results/exhibits.json"
        return files.count(", ") + 1

    assert inputs("[iris, wine, digits]") - inputs("[iris, wine]") == 3


@pytest.mark.slow
def test_planning_and_everything_after_the_fits_needs_no_scikit_learn(computed):
    """It takes longer to import than most of these jobs take."""
    (computed.folder / "derived.py").write_text(
        "from pathlib import Path\n"
        "from linclass_study.analysis.study_file import read_study\n"
        "from linclass_study.command.derived_files import write_derived\n"
        "write_derived(read_study(Path('results')), Path('results'))\n"
    )
    assert computed.plan().nothing_to_do  # the checks of the methods are cached
    for module, *arguments in (["snakemake", *computed.command("-n")[3:]], ["derived"]):
        code = (
            f"import runpy, sys; sys.modules['sklearn'] = None; sys.argv[1:] = {arguments!r}\n"
            f"runpy.run_module({module!r}, run_name='__main__')"
        )
        given = {"cwd": computed.folder, "env": computed.environment(), "capture_output": True}
        done = subprocess.run([sys.executable, "-c", code], text=True, **given)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_lost_and_requested_figures_and_those_of_a_new_style_are_drawn_without_a_fit(computed):
    exhibits = computed.folder / "results" / "exhibits"
    assert not [*exhibits.glob("*/*.p*")]
    lost = [exhibits / name / "figure.svg" for name in ("methods-iris", "cost")]
    before = [figure.read_bytes() for figure in lost]
    for figure in lost:
        figure.unlink()
    output = computed.snakemake("--", "figures")
    assert output.jobs["score"] == output.jobs["report"] == 1
    assert [figure.read_bytes() for figure in lost] == before
    drawn = {path.parent for path in exhibits.glob("*/figure.svg")}
    for form in ("png", "pdf"):
        assert {path.parent for path in exhibits.glob(f"*/figure.{form}")} == drawn
    assert computed.snakemake().nothing_to_do
    computed.append("study.yaml", "\nfigure_style: {width: 3.3in}\n")
    styled = computed.snakemake()
    assert not NO_LEARNING & {*output.jobs, *styled.jobs}
    assert 'width="237.6pt"' in lost[0].read_text()
    assert not [*exhibits.glob("*/*.p*")], "of the old style"


@pytest.mark.slow
def test_the_page_is_in_snakemakes_report_with_its_caption(computed):
    made = computed.folder / "gathered.zip"
    output = computed.snakemake("--report", str(made))
    assert output.code == 0, output.text
    with zipfile.ZipFile(made) as archive:
        names = [name.rpartition("/")[2] for name in archive.namelist()]
        page = archive.read("gathered/report.html").decode()
    assert names.count("report.html") == 2  # Snakemake's and ours
    assert re.search(r'"caption": "[^"]', page)
    assert "one self-contained page" in page


# two methods of the fixture's study with its keys and data sets in another order, a method more, and other jobs
REORDERED = """
jobs: {work: 0.01, shards: 2}
evaluation: {inner_folds: 2, folds: 3}
methods: [majority, logistic_newton, lda]
datasets: [gaussians, iris]
"""


@pytest.mark.slow
def test_order_neighbours_cores_and_jobs_change_no_file(computed):
    results = computed.folder / "results"
    kept = ("predictions.parquet", "boundary.npz", "coefficients.parquet")
    files = [path for name in kept for path in results.glob(f"runs/*/l*/{name}")]
    files += results.glob("folds/*.parquet")
    before = {path.relative_to(results): path.read_bytes() for path in files}
    assert len(before) == 3 * 4 + 2, "a run has a boundary, on a plane at least, and coefficients"
    shutil.rmtree(results)
    computed.write("study.yaml", REORDERED)
    output = computed.snakemake("--cores", "1", "--", "results/fits.parquet")
    assert output.code == 0, output.text
    after = {name: (results / name).read_bytes() for name in before}
    assert [name for name in before if before[name] != after[name]] == []
