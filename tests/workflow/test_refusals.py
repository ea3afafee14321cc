"""A wrong study is refused when it is read: one line with the thing, its value and the remedy, and no work."""

import pytest


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
