"""A wrong study is refused when it is read: one line with the thing, its value and the remedy, and no work."""

import pytest

STUDIES = {
    "unknown key": (
        "evaluation: {fold: 5}\n",
        ["line 1", "evaluation.fold", "did you mean 'folds'?"],
    ),
    "missing local file": (
        "define: {datasets: {mine: {source: {file: no/such.csv}, format: csv, target: y}}}\ndatasets: [mine]\n",
        ["mine.source.file", "no/such.csv"],
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("case", STUDIES)
def test_an_invalid_study_is_refused_in_one_line_before_any_work(project, case):
    text, words = STUDIES[case]
    project.write("study.yaml", text)
    lines = refusal(project)
    assert len(lines) == 1, lines
    assert [word for word in words if word not in lines[0]] == [], lines[0]


def refusal(project):
    """The lines of a run that is refused before any work."""
    output = project.snakemake()
    assert output.code != 0
    assert "Traceback" not in output.text
    assert not (project.folder / "results").exists()
    assert not (project.folder / "downloads").exists()
    return output.own_lines


def test_several_mistakes_get_a_line_each(project):
    project.write("study.yaml", "evaluation: {fold: 5, repeats: 0}\nlimits: {fit_seconds: fast}\n")
    lines = project.snakemake().own_lines
    assert len(lines) == 3
    assert [key for key in ("fold", "repeats", "fit_seconds") if key not in " ".join(lines)] == []
    assert all(line.startswith("study.yaml, line ") for line in lines)


@pytest.mark.full
def test_a_classifier_that_exits_python_on_import_is_reported(project):
    project.write("theirs.py", "import sys\nsys.exit(0)\n")
    entry = "mine: {classifier: theirs.Theirs}"
    project.write("study.yaml", f"define: {{methods: {{{entry}}}}}\nmethods: [mine]\n")
    output = project.snakemake()
    assert output.code != 0
    assert "'theirs.Theirs' cannot be imported: it raises SystemExit(0)" in output.text


@pytest.mark.full
def test_numbers_on_the_command_line_are_parsed_and_errors_do_not_name_a_file(project):
    project.write("study.yaml", "datasets: [iris]\nmethods: [majority]\nevaluation: {folds: 3}\n")
    assert project.snakemake("-n", "--config", 'evaluation={"folds": 4}').code == 0
    output = project.snakemake("-n", "--config", 'evaluation={"folds": 1}')
    assert output.own_lines == [
        "--config evaluation.folds: 1 is too small; give at least 2 (number of folds)"
    ]


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
