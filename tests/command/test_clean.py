"""A ranking of mixed environments says so, and its command removes what must be fitted again."""

import json
import re
import shlex
import shutil

import polars as pl
import pytest
from finished_results import change, edit, study_of

from linclass_study.analysis.answer import mixture
from linclass_study.analysis.fit_problems import mixed_environments
from linclass_study.analysis.study_file import read_study
from linclass_study.files.environment import environment, recorded_environments

NEW = {"Machine": "here", "Python": "3.11.7", "Packages": "linclass 0.1, numpy 2.4.6, polars 1"}


def fitted_in(folder, environments):
    """Fits that were made in these environments: name → properties and a pattern of its runs."""
    for file in (folder / "environment").iterdir():
        file.unlink()
    for name, (properties, runs) in environments.items():
        (folder / "environment" / f"{name}.json").write_text(json.dumps(properties))
        for path in folder.glob(f"runs/{runs}/fits.parquet"):
            change(path, environment=pl.lit(name))
    fits = [pl.read_parquet(path) for path in sorted(folder.glob("runs/*/*/fits.parquet"))]
    pl.concat(fits).write_parquet(folder / "fits.parquet")
    return folder


@pytest.fixture
def mixed(a):
    """One run of four fitted with another NumPy."""
    old = NEW | {"Packages": "linclass 0.1, numpy 2.3.0, polars 1"}
    return fitted_in(a, {"here-1": (NEW, "*/*"), "here-0": (old, "three/plain")})


def test_page_and_verify_say_which_runs_differ_and_their_command_removes_these(linclass, mixed, b):
    sentences = mixture(read_study(mixed).outcome)
    assert sentences[0].endswith("different environments (numpy 2.3.0 or 2.4.6)")
    assert sentences[1] == "1 run differs from most: three × plain"
    (line,) = (x for x in linclass("verify", mixed, b).lines if x.startswith("A: The ranking"))
    assert line == f"A: {'. '.join(sentences)}"
    name, *arguments = shlex.split(sentences[2].split("`")[1])
    assert name == "linclass"
    output = linclass(*arguments)
    assert output.lines[0] == "removed: 1 run (three × plain)"
    left = {
        f"{path.parent.parent.name}/{path.parent.name}" for path in mixed.glob("runs/*/*/fits*")
    }
    assert left == {"three/good", "two/good", "two/plain"}


def test_fits_of_the_present_environment_are_kept_even_if_most_are_of_another(mixed):
    """Three of four runs are old. The jobs that fitted may have had other numbers of threads."""
    present = environment()
    threads = re.sub(r"\d+ threads?", "7 threads", present["Linear algebra"])
    for name, properties in (("here-0", present | {"Linear algebra": threads}), ("here-1", NEW)):
        (mixed / "environment" / f"{name}.json").write_text(json.dumps(properties))
    _, runs, remedy = mixture(read_study(mixed).outcome)
    assert runs.startswith(
        "3 runs differ from the present environment: three × good, two × good, two"
    )
    assert shlex.split(remedy.split("`")[1])[-2:] == ["--environment", "here-1"]


@pytest.mark.parametrize(("changes", "says"), [
    ({"Machine": "there", "Memory": "1 GiB", "Cores": "64 cores", "Commit": "abc"}, None),
    ({"Packages": "linclass 0.1, numpy 2.4.6, polars 2, scikit-learn 9"}, None),
    ({"Packages": "linclass 0.2, numpy 2.4.6"}, "linclass 0.1 or 0.2"),
    ({"Linear algebra": "mkl"}, "Linear algebra not recorded or mkl"),
    ({"Processor": "other"}, "Processor not recorded or other"),
])  # fmt: skip
def test_only_what_may_change_numbers_makes_environments_different(a, changes, says):
    fitted_in(a, {"e-1": (NEW, "*/good"), "e-2": (NEW | changes, "*/plain")})
    fits, known = pl.read_parquet(a / "fits.parquet"), recorded_environments(a)
    said = " ".join(mixed_environments(fits, known, "results")[:1])
    assert (f"({says})" in said) if says else not said


@pytest.mark.slow
def test_a_merged_page_names_the_environments_that_differ_and_hashes_own_modules(
    linclass, a, b, tmp_path
):
    for path in [*a.glob("runs/*/plain"), *b.glob("runs/*/good")]:
        shutil.rmtree(path)  # each has one method
    edit(a / "study.json", files=study_of(a)["files"] | {"mine.py": "x = 1\n"})
    fitted_in(a, {"here-1": (NEW, "*/*")})
    fitted_in(b, {"there-0": (NEW | {"Python": "3.12.1"}, "*/*")})
    assert linclass("merge", a, b, "--into", tmp_path / "ab").code == 0
    assert {*recorded_environments(tmp_path / "ab")} == {"here-1", "there-0"}
    page = (tmp_path / "ab" / "report.html").read_text()
    assert "The ranking mixes fits of different environments (Python 3.11.7 or 3.12.1)" in page
    assert "--environment there-0</code>" in page
    digest = "9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4"  # sha256sum mine.py
    assert f'<code title="{digest}">mine.py 9e26bf369911c45c</code>' in page


def test_runs_are_removed_by_name_and_unknown_ones_refused(linclass, a, tmp_path):
    assert linclass("clean", a, "--run", "two/good").lines[0] == "removed: 1 run (two × good)"
    assert not (a / "runs/two/good").exists()
    assert (a / "runs/two/plain").exists()
    for folder, run, words in ((a, "two/god", "has no run two/god"), (tmp_path, "x/y", "no runs")):
        output = linclass("clean", folder, "--run", run)
        assert output.code == 2
        assert words in output.errors[0]
