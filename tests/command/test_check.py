"""`linclass check` reads a study as the workflow does: what it will compute, or a line for each error."""

import sys
from math import inf

import pytest
import yaml
from cases import each
from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config

from linclass.evaluation import metrics
from linclass_study.command.__main__ import main
from linclass_study.command.run import checked_study, expected_time
from linclass_study.config.study import read_config
from linclass_study.project import DEFAULT_STUDY

STUDY = """\
results: r
datasets: [iris, "g{n}"]
methods: [majority, ridge]
evaluation: {protocols: [cv, official, {hold_out: {repeats: 4}}], folds: 3, repeats: 2}
define:
  datasets:
    "g{n}":
      grid: {n: [40, 80]}
      source: {generate: gaussians, means: [[0], [1]], covariances: identity, rows: ["{n}", 9]}
  methods:
    ridge: {classifier: sklearn.linear_model.RidgeClassifier, tune: {alpha: [1e-3, 1]}}
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Runs the command on files of these contents: (exit code, lines)."""
    monkeypatch.chdir(tmp_path)

    def run(*texts):
        files = [f"study{i}.yaml" for i, _ in enumerate(texts)]
        for file, text in zip(files, texts, strict=True):
            (tmp_path / file).write_text(text)
        code = main(["check", *files])
        shown = capsys.readouterr()
        assert not (shown.out if code else shown.err)
        return code, (shown.err if code else shown.out).splitlines()

    return run


def test_check_prints_the_plan_of_the_study(check):
    code, lines = check(STUDY)
    assert code == 0
    assert [line.split(maxsplit=1)[0] for line in lines] == [
        "study0.yaml:", "data", "methods", "runs", "time", "fits", "ranked", "results", "to"
    ]  # fmt: skip
    assert lines[1].endswith("3: iris, g40, g80")
    assert lines[2].endswith("2: majority, ridge")
    assert "6, each a method on a data set, in 3 jobs" in lines[3]
    assert lines[4].split(maxsplit=1)[1] == "about 1 minute on one core, within a factor of five"
    assert "6 by cv, 1 by official (only of data sets with a test set), 4 by hold_out" in lines[5]
    assert lines[6].split(maxsplit=2)[2] == "accuracy (greater is better)"
    assert lines[8].endswith("linclass run study0.yaml")


def test_check_says_how_long_the_jobs_take_together_and_for_which_it_does_not_know(check):
    assert expected_time([3600.0, 7200.0, inf]) == (
        "about 3 hours on one core, within a factor of five; without 1 job on data of unknown size"
    )
    assert expected_time([90.0, 90.0]) == "about 3 minutes on one core, within a factor of five"
    unknown = 'define: {datasets: {a: {source: {url: "https://example.org/a.csv"}, target: y}}}'
    _, lines = check(f"datasets: [a]\nmethods: [lda, svm]\n{unknown}\n")
    assert lines[4] == "time        unknown, as the sizes of the data are"


LEVELS = ("low", "mid", "high")
OWN = "datasets: [iris]\nmethods: [own]\ndefine:\n  methods:\n    own: {classifier: linclass."
MINE = "define:\n  datasets:\n    mine: {source: {file: t.csv}, target: yEDIT}\n"
WORDS = """\
datasets: [mine, posts]
methods: [EDIT]
define:
  methods:
    own: {classifier: linclass.LinearSVM, transforms: [impute]}
    ready: {classifier: linclass.LinearSVM, transforms: [one_hot]}
  datasets:
    mine: {source: {file: t.csv}, target: y}
    posts: {source: {file: t.csv}, target: y, texts: [job]}
"""
ORDERED = """\
datasets: [mine, listed, numbered, iris]
methods: [EDIT]
define:
  datasets:
    mine: {source: {file: t.csv}, target: y}
    listed: {source: {file: t.csv}, target: y, classes: [low, mid, high]}
    numbered: {source: {file: t.csv}, target: n, drop: [y]}
  methods: {given: {classifier: linclass.OrdinalRegression, params: {order: [low, mid, high]}}}
"""
OFFICIAL = """\
datasets: [iris, mine, texts]
methods: [lda]
evaluation: {EDIT}
define:
  datasets:
    mine: {source: {file: t.csv}, test: {file: t.csv}, target: y}
    texts: {source: {url: "https://example.org/a.zip"}, format: text_folders, texts: [text]}
"""
POSTS = "x,job,y\n1,u,a\n2,v,b\n3,u,a\n4,v,b\n"
WARNED = {  # t.csv, the study, what begins or marks the lines, edit of the study → words of each line
    "words that no method reads": (POSTS, WORDS, "no method of the study reads", {
        "own": [
            ["mine: 'job' holds text,", "`transforms: [impute, one_hot]` to a method,", "with `drop: [job]`"],
            ["posts: 'job' holds texts", "`features: [count_words]`"],
        ],
        "ready": [["posts: 'job' holds texts"]],
    }),
    "an order of classes": (
        "x,y,n\n" + "".join(f"{i % 7},{LEVELS[i % 3]},{i % 3 + 1}\n" for i in range(12)), ORDERED, "alphabetical",
        {"lda, ordinal, given": [
            ["mine: ordinal takes the classes in alphabetical order, high < low < mid; list them"]],
         "lda, given": []},
    ),
    "more folds than rows of a class": (
        "size,y\n" + "".join(f"{k * 7 % 5},{'ab'[k % 10 == 0]}\n" for k in range(40)),
        f"datasets: [mine]\nmethods: [logistic]\nevaluation: {{folds: EDIT}}\n{MINE.replace('EDIT', '')}", "warning",
        {"5": [["     mine: no fits by cv: 5 folds need 5 rows of every class",
                "class 'b' has 4; set evaluation.folds to at most 4"]], "4": []},
    ),
    "a file that will be refused": (
        "x,y\n1,a\n2,b\n3,a\n4,b\n5,\n",
        f"datasets: [mine]\nmethods: [lda]\nevaluation: {{folds: 2}}\n{MINE}", "warning",
        {"": [["     mine: it will be unavailable: 1 row has no class; list"]], ", classes: [a, b]": []},
    ),
    "misleading columns": (
        "id,note,day,size,y\n"
        + "".join(f"{k},note {k},2024-03-{k % 28 + 1:02},{k * 7 % 5},{'ab'[k % 2]}\n" for k in range(40)),
        f"datasets: [mine]\nmethods: [logistic]\n{MINE}", "warning",
        {"": [["     mine: ", f" '{name}' ", f"`drop: [{name}]`"] for name in ("id", "note", "day")],
         ", drop: [id, note, day]": []},
    ),
    "a parameter without effect": ("", f"{OWN}LeastSquaresClassifier, params: {{strength: 5}}EDIT}}\n", "no effect", {
        "": [["warning     own: strength=5 has no effect", "penalty='l2'."]], ", tune: {penalty: [l2, null]}": [],
    }),
    "official test rows that the answer trains on": ("x,y\n1,a\n2,b\n3,a\n4,b\n", OFFICIAL, "test rows", {
        "protocols: [cv, official], cv_rows: all": [
            ["of mine: cv, hence the answer, trains on them, too", "`cv_rows: train` keeps them unseen"]],
        "protocols: [official, cv], cv_rows: all": [], "protocols: [cv, official], cv_rows: train": [],
    }),
    "strengths that are tuned": ("", f"{OWN}LogisticRegressionEDIT}}\n", "by default", {
        "": [["  of own: strength is tuned along its path"]], ", params: {strength: 0.1}": [],
    }),
}  # fmt: skip


@each("case", WARNED)
def test_a_plan_reports_what_misleads_before_any_fit(check, tmp_path, case):
    rows, text, mark, edits = WARNED[case]
    (tmp_path / "t.csv").write_text(rows)
    for edit, expected in edits.items():
        code, lines = check(text.replace("EDIT", edit))
        found = sorted(line for line in lines if mark in line)
        assert (code, len(found)) == (0, len(expected)), lines
        for words in expected:
            assert any(all(word in line for word in words) for line in found), (words, found)


def test_a_metric_named_like_a_cost_must_declare_its_direction(check, tmp_path, monkeypatch):
    """In its module; for one of a library the message has the lines of such a module."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("linclass.evaluation.metrics._imported.COSTS", {"cost", "hamming"})
    (tmp_path / "ward.py").write_text("def bed_cost(y_true, y_pred): return 1.0\n")
    text = "datasets: [iris]\nmethods: [lda]\nevaluation: {tune_metric: NAME}\n"
    code, (line,) = check(text.replace("NAME", "ward.bed_cost"))
    assert code == 2
    assert line.startswith("study0.yaml, line 3: evaluation.tune_metric: 'ward.bed_cost' is named")
    assert "`bed_cost.greater_is_better = False`" in line
    monkeypatch.setattr(sys.modules["ward"].bed_cost, "greater_is_better", False, raising=False)
    code, (line,) = check(text.replace("NAME", "scipy.spatial.distance.hamming"))
    assert code == 2
    (tmp_path / "costs.py").write_text("\n".join(reversed(line.split("`")[1::2][:2])))
    metrics.imported.cache_clear()
    for name in ("ward.bed_cost", "costs.hamming"):
        assert f"ranked by   {name} (less is better)" in check(text.replace("NAME", name))[1]
        monkeypatch.delitem(sys.modules, name.split(".")[0])
    metrics.imported.cache_clear()


def test_commands_in_messages_quote_unusual_file_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my study.yaml").write_text(STUDY)
    assert main(["check", "my study.yaml"]) == 0
    assert capsys.readouterr().out.endswith("linclass run 'my study.yaml'\n")


def test_check_without_a_file_checks_the_default_study(check):
    code, lines = check()
    names = yaml.safe_load(DEFAULT_STUDY.read_text(encoding="utf-8"))["datasets"]
    assert code == 0
    assert lines[1].endswith(f"{len(names)}: {', '.join(names)}")
    assert lines[-1].split() == ["to", "run", "it", "linclass", "run"]


def test_check_reads_the_same_study_as_snakemake(check, tmp_path):
    """Snakemake's own reading and merging of configuration files, one over the other."""
    more = "evaluation: {folds: 5}\ndatasets: [iris]\n"
    assert check(STUDY, more)[0] == 0
    files = [tmp_path / "study0.yaml", tmp_path / "study1.yaml"]
    theirs = {}
    for file in (DEFAULT_STUDY, *files):
        update_config(theirs, load_configfile(str(file)))
    snakemakes = read_config(theirs, [DEFAULT_STUDY, *files])
    ours = checked_study(files)
    assert ours == snakemakes


BROKEN = {
    "a tab": ("results: r\ndatasets:\n\t- iris\n", "line 3: not YAML, found character '\\t'", "by blanks"),
    "quotes": ('results: "r\ndatasets: [iris]\n', "line 1: not YAML, quotes are opened here and not closed", ""),
    "a bracket": ("results: r\ndatasets: [iris\n", "line 2: not YAML, a bracket [ is opened here and not closed", ""),
    "an open list": ("datasets: [iris,\n", "line 2: not YAML, expected the node content, but found '<stream end>'", ""),
    "a wrong bracket": ("datasets: [iris}\n", "line 1: not YAML, expected ',' or ']'", "close the bracket"),
    "two colons": ("results: r\nlimits: fit: 3\n", "line 2: not YAML, mapping values", "in quotes"),
    "no colon": ("results: r\ndatasets [iris]\nmethods: [lda]\n", "line 2: not YAML", "after the colon"),
    "an indentation": ("evaluation:\n  folds: 3\n repeats: 2\n", "line 3: not YAML, expected <block end>", "equally"),
    "an @": ("results: @home\n", "line 1: not YAML, found character '@'", "in quotes"),
    "a comment": ("# nothing\n", "a study is a mapping of keys, as `datasets: [iris]`; this file is empty", ""),
    "a table": ("a,b\n" + "1,2\n" * 99, "this is 'a,b 1,2 1,2", ""),
    "a list": ("- iris\n", "a study is a mapping of keys, as `datasets: [iris]`; this is ['iris']", ""),
    "an unknown key": ("results: r\nevaluation: {fold: 3}\n", "line 2: evaluation.fold: unknown key", "did you mean"),
}  # fmt: skip


@each("case", BROKEN)
def test_an_error_is_reported_in_one_line_with_file_and_line(check, case):
    text, words, remedy = BROKEN[case]
    code, (line,) = check(text)
    assert code == 2
    assert line.startswith("study0.yaml")
    assert len(line) < 300
    assert words in line
    assert remedy in line


def test_a_file_that_does_not_exist_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check", "no.yaml"]) == 2
    assert capsys.readouterr().err == "no.yaml: cannot be read (No such file or directory)\n"
