"""Code that does not fit models loads no heavy library, because thousands of jobs run it."""

import ast
import subprocess
import sys

HEAVY = ("sklearn", "pandas", "polars", "matplotlib", "snakemake", "joblib", "requests")


def loaded_by(code):
    """The heavy libraries in memory after `code` has run in a Python of its own."""
    code += f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(ast.literal_eval(run.stdout.strip().splitlines()[-1]))


def test_light_parts_load_no_heavy_library():
    assert not loaded_by("import linclass")
    assert not loaded_by(
        "import linclass_study.pipeline, linclass.preprocessing.transforms.categories\n"
        "import linclass.preprocessing.features.expansions\n"
        "from linclass.evaluation import metrics; metrics.names()"
    )
    code = (
        "import linclass\n"
        "linclass.datasets.generate, linclass.evaluation, linclass.linear\n"
        "try: linclass.LogisticRegresion\n"
        "except AttributeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "did you mean 'LogisticRegression'?" in done.stdout


def test_data_are_checked_and_read_without_heavy_libraries():
    code = (
        "from pathlib import Path; import yaml\n"
        "from linclass_study.data import entry_check, produced_rows, source_reader\n"
        "from linclass_study.project import ROOT\n"
        "iris = yaml.safe_load((ROOT / 'config/datasets.yaml').read_text())['iris']\n"
        "for entry in (iris, {'source': {'openml': 31}}):\n"
        "    assert not list(entry_check.entry_problems(entry))\n"
        "source_reader.obtain_dataset(iris, source_reader.SearchFolders())"
    )
    assert not loaded_by(code) & {"sklearn", "pandas", "requests"}


def test_planning_scoring_and_reporting_a_study_loads_no_heavy_library_of_fits():
    modules = (
        "config.study", "config.code", "execution.fit_store", "analysis.answer", "analysis.tuned_values",
        "report.page", "command.clean", "workflow.handlers", "execution.fit_jobs", "checks.check_dataset",
        "analysis.datasets_table", "analysis.aggregate", "data.produced_rows", "execution.features",
        "command.derived_files",
    )  # fmt: skip
    code = "; ".join(f"import linclass_study.{module}" for module in modules)
    assert not loaded_by(code) & {"sklearn", "pandas", "joblib"}
