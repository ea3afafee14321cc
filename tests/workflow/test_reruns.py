"""An edit reruns the jobs that use the edited file, and no others; order, cores and jobs change no file."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from linclass_study.files.tables import FIT

# An edit reruns the jobs that use the edited file, and no others

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
def test_a_plan_fits_an_added_method_a_changed_entry_and_edited_code_and_nothing_else(computed):
    study = computed.text("study.yaml").replace("logistic_newton]", "logistic_newton, perceptron]")
    computed.write("study.yaml", study)
    methods, entry = computed.text("config/methods.yaml"), "solver: newton, strength: 0."
    computed.write("config/methods.yaml", methods.replace(entry + "001", entry + "5"))
    computed.append("linclass/discriminant/nearest_mean.py", "\nEDITED = True\n")
    output = computed.plan()
    fitted = {"nearest_mean", "logistic_newton", "perceptron"}
    assert output.runs == {(d, m) for d in ("iris", "gaussians") for m in fitted}
    assert not {"fetch", "featurize"} & set(output.jobs)
    again = "fitted again, as their entry changed: logistic_newton on gaussians and iris (6 fits)"
    assert again in output.text
    assert "as their code changed: nearest_mean on gaussians and iris (6 fits)" in output.text


@pytest.mark.full
def test_results_without_snakemakes_records_state_their_settings(computed):
    """As after a move of the folder, or a loss of .snakemake, which knows files by their paths."""
    shutil.rmtree(computed.folder / ".snakemake")
    assert not computed.plan().runs
    text, entry = computed.text("config/methods.yaml"), "solver: newton, strength: 0."
    computed.write("config/methods.yaml", text.replace(entry + "001", entry + "5"))
    assert computed.plan().runs == {("iris", "logistic_newton"), ("gaussians", "logistic_newton")}


@pytest.mark.slow
def test_an_extended_study_makes_only_new_fits_and_a_restored_one_none(computed):
    """A fit that is taken over has the seconds that were measured when it was made."""
    study, first = computed.text("study.yaml"), computed.fits().sort(FIT)
    extended = study.replace("folds: 3", "folds: 3, repeats: 2, protocols: [cv, hold_out]")
    computed.write("study.yaml", extended)
    output = computed.plan()
    assert output.runs == ALL_RUNS
    assert output.text.count(" (13 fits)") == 6, "3 of the second repeat and 10 hold-outs"
    assert output.text.rstrip().endswith("on gaussians and iris (78 fits)")
    output = computed.snakemake("--", "results/fits.parquet")
    assert output.code == 0, output.text
    longer = computed.fits().sort(FIT)
    assert longer.height == 18 + 78
    assert longer.join(first, on=FIT, how="semi").equals(first)
    computed.write("study.yaml", study + "limits: {fit_seconds: 301}\n")
    assert computed.plan().runs == set()
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


@pytest.mark.full
def test_adding_a_metric_refits_no_method_without_tuning(computed):
    computed.append(
        "linclass/evaluation/metrics/confusion.py",
        '\nMETRICS["share_of_first"] = Metric(lambda p: float(np.mean(p.y_pred == 0)))\n',
    )
    output = computed.snakemake("--", "results/scores.csv")
    assert output.code == 0, output.text
    assert not NO_LEARNING & set(output.jobs)
    assert "share_of_first" in computed.text("results/scores.csv")


@pytest.mark.full
def test_no_fit_is_made_for_edits_that_concern_no_fit(computed):
    """A focus, a citation, a check, a script, a docstring, a comment; and a rule of tuning, as no method is tuned."""
    study = computed.text("study.yaml")
    computed.write("study.yaml", study.replace("folds: 3", "folds: 3, focus: [lda]"))
    datasets = computed.text("config/datasets.yaml")
    cited = datasets.replace('citation: "Fisher, R. A.', 'citation: "R. A. Fisher')
    computed.write("config/datasets.yaml", cited)
    for file in ("linclass_study/checks/geometry.py", "workflow/scripts/score.py"):
        computed.append(file, "\nEDITED = True\n")
    file = "linclass/linear/solvers/newton.py"
    text = computed.text(file).removeprefix('"""')
    computed.write(file, '"""In other words.' + text + "\n# a comment\n")
    output = computed.plan()
    assert output.jobs["check_data"] == output.jobs["score"] == 2
    assert {"compare_data", "aggregate", "report"} <= {*output.jobs}
    assert not {*output.jobs} & NO_LEARNING
    tuning = "folds: 3, tune_metric: log_loss, tune_rule: one_standard_error"
    computed.write("study.yaml", study.replace("folds: 3", tuning))
    assert not computed.plan().runs


@pytest.mark.full
def test_a_deleted_result_is_computed_again(computed):
    deleted = {
        ("gaussians", "lda"): "predictions.parquet", ("iris", "lda"): "fits.parquet",
        ("iris", "nearest_mean"): "boundary.npz",
    }  # fmt: skip
    for (dataset, method), file in deleted.items():
        (computed.folder / "results/runs" / dataset / method / file).unlink()
    output = computed.plan()
    assert output.runs == deleted.keys()
    assert output.bundles == ["gaussians", "iris"]


@pytest.mark.slow
def test_no_file_of_a_study_may_be_missing(computed):
    """Each was deleted alone with "Nothing to be done" but for runs, tables as CSV and figures of data sets."""
    results = computed.folder / "results"
    for file in (
        "tables/ranks.md", "tables/across.json", "comparison.npz", "tables/cost.md", "checks/iris.npz",
        "exhibits/iris.json", "scores/iris.parquet",
    ):  # fmt: skip
        kept = (results / file).rename(results / "kept")
        assert not computed.plan().nothing_to_do, file
        kept.rename(results / file)
    assert computed.plan().nothing_to_do


def times_of(project, file):
    """dataset/method → when this file of the run was written."""
    files = (project.folder / "results/runs").glob(f"*/*/{file}")
    return {f"{f.parts[-3]}/{f.parts[-2]}": f.stat().st_mtime_ns for f in files}


@pytest.mark.slow
def test_only_runs_of_a_job_affected_by_an_edit_are_fitted_and_scored_again(computed):
    fitted, scored = times_of(computed, "fits.parquet"), times_of(computed, "scores.parquet")
    scores = computed.text("results/scores.csv")
    computed.append("linclass/discriminant/nearest_mean.py", "\nEDITED = True\n")
    (computed.folder / "results/runs/gaussians/lda/predictions.parquet").unlink()
    output = computed.snakemake("--", "results/scores.csv")
    assert output.code == 0, output.text
    now = times_of(computed, "fits.parquet")
    assert {run for run in now if now[run] != fitted[run]} == {
        "iris/nearest_mean", "gaussians/nearest_mean", "gaussians/lda"
    }  # fmt: skip
    assert len(scored) == 6
    assert times_of(computed, "scores.parquet") == scored, "the same predictions, scored again"
    assert computed.text("results/scores.csv") == scores
    assert computed.snakemake("-n", "--", "results/scores.csv").nothing_to_do


@pytest.mark.slow
def test_how_runs_are_distributed_to_jobs_changes_no_result_and_fits_nothing_again(computed):
    fitted, scores = times_of(computed, "fits.parquet"), computed.text("results/scores.csv")
    computed.append("study.yaml", "jobs: {work: 1000, across: true}\n")
    output = computed.plan()
    assert output.bundles == ["~1-of-1"]
    assert output.runs == set()
    assert computed.snakemake("--", "results/scores.csv").code == 0
    assert times_of(computed, "fits.parquet") == fitted
    assert computed.text("results/scores.csv") == scores


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
def test_a_figure_that_is_gone_is_drawn_again(computed):
    results = computed.folder / "results"
    for name, job in (("methods-iris", "score"), ("cost", "report")):
        figure = results / "exhibits" / name / "figure.svg"
        drawn = figure.read_bytes()
        figure.unlink()
        output = computed.snakemake()
        assert output.jobs[job] == 1
        assert not {*output.jobs} & NO_LEARNING
        assert figure.read_bytes() == drawn


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
def test_pictures_are_made_on_request_and_a_new_style_draws_all_figures_without_a_fit(computed):
    exhibits = computed.folder / "results" / "exhibits"
    assert not [*exhibits.glob("*/*.p*")]
    assert computed.snakemake("--", "figures").code == 0
    drawn = {path.parent for path in exhibits.glob("*/figure.svg")}
    for form in ("png", "pdf"):
        assert {path.parent for path in exhibits.glob(f"*/figure.{form}")} == drawn
    assert computed.snakemake().nothing_to_do
    computed.append("study.yaml", "\nfigure_style: {width: 3.3in}\n")
    output = computed.snakemake()
    assert not NO_LEARNING & {*output.jobs}
    assert 'width="237.6pt"' in (exhibits / "methods-iris" / "figure.svg").read_text()
    assert not [*exhibits.glob("*/*.p*")], "of the old style"


# The same study gives the same predictions: again from nothing, on fewer cores, in other jobs, in another order

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
