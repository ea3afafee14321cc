"""Files and folders of a study: what is refused in one line before any work, and what `~` and braces mean."""

import os
import shutil
import subprocess

import pytest
from projects import ROOT

ROWS = "u,v,y\n" + "".join(f"{i % 5},{i % 3},{'ab'[i % 2]}\n" for i in range(24))
STUDY = """
results: ~/res
downloads: ~/kept
mirrors: [~/mirror]
datasets: [own, kept, mirrored]
methods: [majority]
evaluation: {folds: 2}
define:
  datasets:
    own: {source: {file: ~/own.csv}, target: y}
    kept: {source: {url: "http://127.0.0.1:9/kept.csv"}, target: y}
    mirrored: {source: {url: "http://127.0.0.1:9/mirrored.csv"}, target: y}
"""


@pytest.mark.slow
def test_a_tilde_is_the_home_folder_everywhere_and_a_part_prints_no_old_answer(project, tmp_path):
    home = tmp_path / "home"
    for file in ("own.csv", "kept/kept.csv", "mirror/mirrored.csv"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text(ROWS)
    (home / "res").mkdir()
    (home / "res" / "answer.txt").write_text("an old answer\n")
    project.write("study.yaml", STUDY)
    parts = [home / "res" / "data" / f"{name}.json" for name in ("own", "kept", "mirrored")]
    output = project.snakemake("--", *map(str, parts), HOME=str(home))
    assert output.code == 0, output.text
    assert [part.read_text().count('"status": "available"') for part in parts] == [1, 1, 1]
    assert not (project.folder / "~").exists()
    last = output.text.splitlines()[-1]
    assert last.startswith(f"Wrote {home}/res/data/kept.json, ")
    assert "an old answer" not in output.text

    output = project.snakemake("--", str(home / "res" / "answer.txt"), HOME=str(home))
    assert output.code == 0, output.text
    assert output.text.splitlines()[-1] == "(report not requested)"
    assert "\nBest accuracy " in output.text

    before = (home / "own.csv").stat()
    (home / "own.csv").write_text(ROWS + "9,9,b\n")
    os.utime(home / "own.csv", (before.st_atime, before.st_mtime))  # its content counts
    assert project.plan(HOME=str(home)).jobs["fetch"] == 1
    other = home / "other" / "data" / "own.json"
    again = project.snakemake("--config", "results=~/other", "--", str(other), HOME=str(home))
    assert again.code == 0, again.text
    assert again.text.splitlines()[-1].startswith(f"Wrote {home}/other/data/own.json, ")


@pytest.mark.full
def test_a_snakefile_beside_an_environment_with_another_copy_is_refused(project, tmp_path):
    """From the user's folder; in the copy itself Python finds the copy."""
    study = tmp_path / "study.yaml"
    shutil.copy2(ROOT / "config" / "tiny.yaml", study)
    snakefile = project.folder / "Snakefile"
    command = project.command("-n", "--snakefile", str(snakefile), study=str(study))
    env = project.environment(PYTHONPATH=str(ROOT))
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"{snakefile}: Python here imports linclass from {ROOT}, another copy")
    assert f"run `pip install -e '.[study]'` in {project.folder}" in line


def test_several_mistakes_get_a_line_each_before_any_work(project):
    project.write("study.yaml", "evaluation: {fold: 5, repeats: 0}\nlimits: {fit_seconds: fast}\n")
    output = project.snakemake()
    lines = output.own_lines
    assert output.code != 0
    assert len(lines) == 3
    assert "Traceback" not in output.text
    assert not (project.folder / "results").exists()
    assert not (project.folder / "downloads").exists()
    assert [key for key in ("fold", "repeats", "fit_seconds") if key not in " ".join(lines)] == []
    assert all(line.startswith("study.yaml, line ") for line in lines)


@pytest.mark.full
def test_braces_in_texts_of_a_study_are_not_snakemake_wildcards(project):
    project.write("posts {1,}.csv", "post,kind\na good one,x\nnone,y\n" * 3)
    study = r"""
datasets: [posts]
methods: [words]
define:
  datasets:
    posts: {source: {file: "posts {1,}.csv"}, target: kind, texts: [post], citation: "{Iris}s"}
  methods:
    words: {classifier: linclass.MultinomialNB, features: [{count_words: {pattern: "[a-z]{3,}"}}]}
"""
    project.write("study {2}.yaml", study)
    output = project.snakemake("-n", study="study {2}.yaml")
    assert output.runs == {("posts", "words")}, output.text
