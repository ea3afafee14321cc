"""The workflow as a module of somebody's own Snakefile (`module linclass: …`), in a folder without our files."""

import shutil
import subprocess

import pytest
from projects import ROOT, Project

SNAKEFILE = """
from linclass_study.project import SNAKEFILE


module linclass:
    snakefile: SNAKEFILE
    config: config["comparison"]


use rule * from linclass as linclass_*


rule copy:
    default_target: True
    input: rules.linclass_report.output.page
    output: "page.html"
    shell: "cp {input} {output}"


onstart:
    print("the handler of the importing workflow")
"""
CONFIG = """
comparison:
  results: out/comparison
  datasets: [iris]
  methods: [lda, nearest_mean]
  evaluation: {folds: 3, focus: [lda]}
of_the_other_workflow: 3
"""


@pytest.fixture
def importing(tmp_path):
    """A folder with its own Snakefile, which imports ours."""
    project = Project(tmp_path)
    project.write("Snakefile", SNAKEFILE)
    project.write("study.yaml", CONFIG)
    return project


@pytest.mark.slow
def test_rules_are_imported_under_a_prefix_and_their_outputs_used(importing):
    output = importing.snakemake()
    assert output.code == 0, output.text
    assert "the handler of the importing workflow" in output.text
    assert output.text.splitlines()[-1] == "report: out/comparison/report.html"
    page = (importing.folder / "page.html").read_bytes()
    assert page == (importing.folder / "out" / "comparison" / "report.html").read_bytes()
    again = importing.snakemake()
    assert "Nothing to be done" in again.text
    assert again.text.splitlines()[-1] == output.text.splitlines()[-1]

    importing.write("study.yaml", CONFIG.replace("nearest_mean]", "nearest_mean, majority]"))
    jobs = importing.plan().jobs
    assert jobs["linclass_cross_validate"] == jobs["copy"] == 1
    assert "linclass_fetch" not in jobs


@pytest.mark.slow
def test_errors_in_the_configuration_of_a_module_are_one_line(importing):
    importing.write("study.yaml", CONFIG.replace("folds: 3", "fold: 3"))
    output = importing.snakemake("-n")
    assert output.code != 0
    (line,) = [line for line in output.text.splitlines() if "fold" in line]
    assert "did you mean 'folds'?" in line
    assert "Traceback" not in output.text


@pytest.mark.slow
def test_the_workflow_is_imported_from_a_repository_as_snakedeploy_writes_it(importing, tmp_path):
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "workflow", repository / "workflow")
    git = ["git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "workflow"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    imported = 'github("linclass/linclass", path="workflow/Snakefile", tag="v1")'
    importing.write(
        "Snakefile", SNAKEFILE.replace("snakefile: SNAKEFILE", f"snakefile: {imported}")
    )
    env = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/linclass/linclass",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    output = importing.snakemake("--", "out/comparison/data/iris.json", **env)
    assert output.code == 0, output.text
    assert (importing.folder / "out/comparison/data/iris.json").exists()
