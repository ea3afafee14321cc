"""A study is checked before any work: each error is one line with place, value and remedy."""

import re
import warnings

import pytest
import yaml
from cases import each

from linclass_study.analysis.across_datasets import MIN_DATA_SETS
from linclass_study.config.catalogues import suggest_methods
from linclass_study.config.method_check import method_problems
from linclass_study.config.study import read_config
from linclass_study.errors import StudyError
from linclass_study.files.yaml_file import parse_numbers, read_yaml
from linclass_study.project import ROOT

DEFAULT = ROOT / "config" / "config.yaml"
BASE = "results: r\ndatasets: [iris]\nmethods: [majority]\n"
LOGISTIC = "classifier: linclass.LogisticRegression"
VOTE = "classifier: sklearn.multiclass.OneVsRestClassifier"
REST, FDA = "classifier: linclass.OneVsRest", "linclass.FlexibleDiscriminantAnalysis"

GRID = """methods: ["ridge_{strength}"]
define:
  methods:
    ridge_{strength}:
      grid: {strength: [0.1, 1]}
      classifier: linclass.LeastSquaresClassifier
      params: {penalty: l2, STRENGTH: "{strength}"}
"""


def method(entry):
    return f"methods: [mine]\ndefine:\n  methods:\n    mine: {{{entry}}}\n"


def named(name):
    return f"methods: all\ndefine: {{methods: {{{name}: {{{LOGISTIC}}}}}}}\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Reads and checks a study of this text, as Snakemake would merge it with a command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age,y\n1,yes\n2,no\n")
    (tmp_path / "notes.txt").write_text("mine")

    def read(text, **command_line):
        path = tmp_path / "study.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        merged = _merged(yaml.safe_load(DEFAULT.read_text()), read_yaml(path))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return read_config(_merged(merged, command_line), [DEFAULT, path])

    return read


@pytest.fixture
def refusals(study):
    def lines(text, **command_line):
        with pytest.raises(StudyError) as refused:
            study(text, **command_line)
        return str(refused.value).split("\n")

    return lines


@pytest.fixture
def refusal(refusals):
    def line(text, **command_line):
        (only,) = refusals(text, **command_line)
        return only

    return line


def _lines_named(errors):
    """The lines of the study's file that the errors begin with."""
    return [int(re.match(r"study\.yaml, line (\d+): ", error)[1]) for error in errors]


def _merged(old, new):
    both = isinstance(old, dict) and isinstance(new, dict)
    return old | {key: _merged(old.get(key), new[key]) for key in new} if both else new


def test_numbers_may_be_written_in_any_way_and_names_may_look_like_numbers(study):
    for written in ("5.0", "'5'", "0.5e1", "5"):
        folds = study(BASE + f"evaluation: {{folds: {written}}}\n").evaluation["folds"]
        assert (folds, type(folds)) == (5, int), written
    found = study(method(f"{LOGISTIC}, tune: {{strength: {{logspace: [-4, 2, 7.0]}}}}"))
    asked = found.methods["mine"]["tune"]["strength"]["logspace"]
    assert (asked, type(asked[2])) == ([-4, 2, 7], int)
    found = study(BASE, evaluation={"folds": "4"}, limits={"fit_seconds": "1e2"})
    assert (found.evaluation["folds"], found.limits["fit_seconds"]) == (4, 100)
    for name in ("1e3", "'1e3'"):  # Snakemake reads both as a text
        text = f"methods: [{name}]\ndefine: {{methods: {{{name}: {{{LOGISTIC}}}}}}}\n"
        assert list(study(text, methods=["1e3"]).methods) == ["1e3"]


def test_an_error_names_the_command_line_or_the_file_that_contains_it(refusal):
    text = BASE + "evaluation: {folds: 3}\n"
    line = refusal(text, evaluation={"folds": "1"})
    assert line.startswith("--config evaluation.folds: 1 is too small")
    assert refusal(text, methods=["nope"]).startswith("--config methods[0]: there is no method")
    text = BASE + "evaluation:\n  folds: 1\n"
    assert refusal(text, evaluation={"seed": "3"}).startswith(
        "study.yaml, line 5: evaluation.folds"
    )
    for folds in ("1e0", "1.0", "1"):  # some of them are text to Snakemake
        text = f"{BASE}evaluation: {{folds: {folds}}}\n"
        line = refusal(text, evaluation=yaml.safe_load(f"folds: {folds}"))
        assert line.startswith("study.yaml, line 4: evaluation.folds: 1 is too small")


def test_the_focus_is_among_the_methods_of_the_study(study, refusal):
    text = "results: r\ndatasets: [iris]\nmethods: [majority, lda]\n"
    assert study(text).evaluation["focus"] == []
    assert study(f"{text}evaluation: {{focus: [lda]}}\n").evaluation["focus"] == ["lda"]
    line = refusal(f"{text}evaluation:\n  focus: [lda,\n    ldaa]\n")
    assert line.startswith(
        "study.yaml, line 6: evaluation.focus[1]: the study has no method 'ldaa'"
    )
    assert line.endswith("did you mean 'lda'?")
    line = refusal(f"{text}evaluation: {{focus: [logistic]}}\n")
    assert line.endswith("no method 'logistic'; add it to methods, or leave it out")
    assert "is not a list" in refusal(f"{text}evaluation: {{focus: lda}}\n")


WIDTHS = "(the width of a figure, from 3in to 20in, such as 3.3in, 8.4cm, 84mm or 240pt)"


@each(("given", "sentence"), [
    ("{width: 3.3}", f"3.3 is not text {WIDTHS}; write 3.3in"),
    ("{width: 3 inches}", f"'3 inches' does not fit {WIDTHS}"),
    ("{width: 1in}", "'1in' is not between 3in and 20in; a column of a paper has 3.3in"),
    ("{font: seriff}", "'seriff' is not serif, sans-serif or an installed font family; did you mean 'serif'?"),
    ("{fonts: serif}", "unknown key; did you mean 'font'?"),
])  # fmt: skip
def test_width_and_font_of_figures_are_ones_that_can_be_drawn(study, refusal, given, sentence):
    known = study(BASE + "figure_style: {width: 84 mm, font: serif}\n").figure_style
    assert known == {"width": "84 mm", "font": "serif"}
    line = refusal(f"{BASE}figure_style: {given}\n")
    assert line.startswith("study.yaml, line 4: figure_style.")
    assert line.endswith(sentence)


def test_grids_are_selected_by_name_and_may_be_in_focus(study):
    grid = f"define:\n  methods:\n    'g{{s}}': {{{LOGISTIC}, params: {{strength: '{{s}}'}}, grid: {{s: [0.1, 1]}}}}\n"
    text = (
        "results: r\ndatasets: [iris]\nmethods: [majority, 'g{s}']\nevaluation: {focus: ['g{s}']}\n"
    )
    found = study(text + grid)
    assert found.evaluation["focus"] == [name for name in found.methods if name != "majority"]
    assert len(found.evaluation["focus"]) == 2
    found = study(GRID.replace("STRENGTH", "strength"), datasets=["iris"])
    assert list(found.methods) == ["ridge_0.1", "ridge_1"]
    assert found.methods["ridge_1"]["params"] == {"penalty": "l2", "strength": 1}


NUMBERS = {
    "no whole number": ("evaluation: {folds: 5.5}", "5.5 is not a whole number"),
    "too many folds": ("evaluation: {folds: 200000}", "at most 1000"),
    "no number of seconds": ("limits: {fit_seconds: .nan}", "nan is not a number"),
    "seconds without end": ("limits: {fit_seconds: .inf}", "inf is not a number"),
    "more than a year": ("limits: {fit_seconds: 1e10}", "at most 31536000"),
    "more memory than there is": ("limits: {fit_memory_mb: 1e10}", "at most 1000000000"),
}


METHODS = {
    "option of a transform": (f"{LOGISTIC}, transforms: [{{impute: {{numbers: mode}}}}]",
        "mine.transforms[0]: impute: numbers is 'mode'; it must be 'mean' or 'median'"),
    "option of a feature": (f"{LOGISTIC}, features: [quadratic, {{powers: {{degree: -1}}}}]",
        "mine.features[1]: powers: degree is -1; it must be a whole number, at least 1"),
    "unknown key of an estimator inside": (f"{VOTE}, params: {{estimator: {{{LOGISTIC}, foo: 3}}}}",
        "mine.params.estimator.foo: unknown key; there are: classifier, params"),
    "an estimator inside is not tuned": (f"{VOTE}, params: {{estimator: {{{LOGISTIC}, tune: {{strength: [1]}}}}}}",
        "mine.params.estimator.tune: unknown key"),
    "list as params of an estimator inside": (f"{VOTE}, params: {{estimator: {{{LOGISTIC}, params: [1]}}}}",
        "mine.params.estimator.params: [1] is not a mapping"),
    "number as classifier inside": (f"{VOTE}, params: {{estimator: {{classifier: 3}}}}",
        "mine.params.estimator.classifier: 3 is not text"),
    "unknown key of a candidate": (f"{VOTE}, tune: {{estimator: [{{{LOGISTIC}, foo: 3}}]}}",
        "mine.tune.estimator[0].foo: unknown key"),
    "parameter without a name": (f"{LOGISTIC}, params: {{1: 2}}", "mine.params: 1 is not text"),
    "candidate given twice": (f"{LOGISTIC}, tune: {{strength: [1, 2, 1]}}",
        "mine.tune.strength: 1 is given twice; remove one"),
    "too many candidates": (f"{LOGISTIC}, tune: {{strength: {{logspace: [-4, 4, 100000]}}}}",
        "mine.tune.strength.logspace[2]: 100000 is too large; give at most 1000"),
    "a regressor": ("classifier: linclass.Lasso",
        "mine.classifier: Lasso predicts numbers, not classes; give a classifier"),
    "somebody's regressor": ("classifier: sklearn.linear_model.Ridge",
        "mine.classifier: Ridge predicts numbers, not classes; give a classifier"),
    "somebody's detector of outliers": ("classifier: sklearn.svm.OneClassSVM",
        "mine.classifier: OneClassSVM predicts outliers, not classes; give a classifier"),
    "a regressor inside that is no classifier": (
        "classifier: linclass.OneVsRest, params: {estimator: {classifier: linclass.Ridge}}",
        "mine.params.estimator.classifier: Ridge predicts numbers, not classes; give a classifier"),
    "wrong parameter of a regressor inside": (
        f"classifier: {FDA}, params: {{regressor: {{classifier: linclass.Ridge, params: {{alpha: 1}}}}}}",
        "mine.params.regressor.params.alpha: Ridge has no parameter 'alpha'"),
    "wrong parameter of an estimator inside": (
        f"{REST}, tune: {{estimator__C: [-1, -2]}}, params: {{estimator: {{classifier: sklearn.svm.LinearSVC}}}}",
        "mine.tune.estimator__C: The 'C' parameter of LinearSVC"),
    "fixed and tuned inside": (
        f"{REST}, tune: {{estimator__strength: [1]}}, params: {{estimator: {{{LOGISTIC}, params: {{strength: 1}}}}}}",
        "mine.tune.estimator__strength: is also set under params"),
    "scikit-learn's C": (f"{LOGISTIC}, params: {{C: 1}}",
        "mine.params.C: LogisticRegression has no parameter 'C'; give strength=1/(n·C), for n rows"),
    "a class by another name": ("classifier: linclass.LDA",
        "'linclass' has no 'LDA'; did you mean 'LinearDiscriminantAnalysis'?"),
    "a feature among the transforms": (f"{LOGISTIC}, transforms: [count_words]",
        "mine.transforms[0]: there is no transform 'count_words'; it is a feature: list it under 'features'"),
    "a transform among the features": (f"{LOGISTIC}, features: [standardize]",
        "mine.features[0]: there is no feature 'standardize'; it is a transform: list it under 'transforms'"),
    "parameter of no estimator": ("classifier: linclass.OneVsRest, tune: {estimator__strength: [1, 2]}",
        "mine.tune.estimator__strength: estimator is None, which has no parameter 'strength'; give"),
    "parameter without effect": ("classifier: linclass.LeastSquaresClassifier, tune: {strength: [1, 2]}",
        "mine.tune.strength: tuning strength has no effect, because penalty is None. Set penalty='l2'"),
    "candidates beyond the doubles": (f"{LOGISTIC}, tune: {{strength: {{logspace: [-4, 400, 3]}}}}",
        "mine.tune.strength.logspace[1]: 400 is too large; give at most 300"),
}  # fmt: skip


STUDIES = {
    "unknown top key": ("dataset: [iris]\n", ["dataset", "did you mean 'datasets'?"]),
    "wrong type": ("evaluation: {folds: ten}\n", ["evaluation.folds", "'ten'", "a whole number"]),
    "names that differ in capital letters alone": (
        "methods: [lda, LDA]\ndefine: {methods: {LDA: {classifier: linclass.Perceptron}}}\n",
        ["'lda' and 'LDA' differ only by case", "rename one"]),
    "name given twice in a list": ("methods: [lda, lda]\n", ["'lda' is given twice", "remove one"]),
    "name given twice in a file": ("datasets: [iris]\ndatasets: [heart]\n",
        ["line 2", "'datasets' is given twice", "line 1"]),
    "name of the catalogue": ("define: {methods: {lda: {classifier: linclass.NearestMean}}}\n",
        ["define.methods.lda", "already in methods.yaml", "choose another"]),
}  # fmt: skip


ENTRIES = {
    "value that a foreign classifier refuses": ("sklearn.linear_model.RidgeClassifier, tune: {alpha: [1, -1]}",
        ["tune.alpha", "-1"]),
    "solver that does not fit its loss": ("linclass.LinearClassifier, params: {loss: hinge, solver: newton}",
        ["newton needs a twice-smooth loss; hinge is only convex. Try solver='auto'."]),
    "tolerance below 0": ("linclass.LogisticRegression, params: {tol: -1}", ["tol is -1", "a number, at least 0"]),
    "module that does not exist": ("no_such_module.Thing", ["'no_such_module'"]),
    "estimator inside that does not exist": (
        "sklearn.multiclass.OneVsRestClassifier, params: {estimator: {classifier: linclass.Nope}}",
        ["params.estimator", "'linclass.Nope'"]),
    "transform that does not exist": ("linclass.NearestMean, transforms: [standardise]",
        ["there is no transform 'standardise'", "did you mean 'standardize'?"]),
    "option of a transform that does not exist": ("linclass.NearestMean, transforms: [{one_hot: {dorp: none}}]",
        ["transform 'one_hot' has no parameter 'dorp'", "did you mean 'drop'?"]),
    "costs without probabilities": ("linclass.Perceptron, decide: costs", ["decide", "probabilities", "Perceptron"]),
}  # fmt: skip


NAMES = {
    "number": ("1", "1 is not text (a name: letters, digits and _ . + -, at most 100 of them"),
    "truth": ("yes", "YAML reads on, off, yes and no as true and false: put it in quotes"),
    "nothing": ("~", "None is not text"),
    "date": ("2020-01-01", "is not text"),
    "line break": ('"ab\\n"', "is an invalid name (a name"),
    "slash": ("a/b", "is an invalid name (a name"),
    "blank": ("my method", "is an invalid name (a name"),
    "too long": ("a" * 101, "is too long; give at most 100"),
}


PROTOCOLS = {
    "unknown": ("[loo]", "'loo' is not known"),
    "misspelt": ("[leave_one_outs]", "did you mean 'leave_one_out'?"),
    "not a list": ("cv", "write [cv]"),
    "none": ("[]", "too short"),
    "twice": ("[cv, cv]", "'cv' is given twice"),
    "twice, once with options": ("[hold_out, {hold_out: {repeats: 2}}]", "'hold_out' is given twice"),
    "options of another": ("[{cv: {folds: 3}}]", "unknown key"),
    "unknown option": ("[{hold_out: {share: 0.2}}]", "unknown key; did you mean 'test_share'?"),
    "a curve without cv": ("[official, learning_curve]", "list cv before it"),
    "a curve before cv": ("[learning_curve, cv]", "list cv before it"),
    "no part": ("[cv, {learning_curve: {sizes: [0]}}]", "0 is too small"),
    "half a row": ("[cv, {learning_curve: {sizes: [1.5]}}]", "1.5 is "),
    "a part twice": ("[cv, {learning_curve: {sizes: [0.1, 0.1]}}]", "0.1 is given twice"),
    "a share of all": ("[{hold_out: {test_share: 1}}]", "1 is too large; give less than 1"),
}  # fmt: skip


ELSEWHERE = {  # what a user of pandas and scikit-learn may write → the remedy
    "a metric of linclass": ("evaluation: {metrics: accuracy}",
        "always computed: leave it out, or rank by it, `tune_metric: accuracy`"),
    "an option without its name": (
        "methods: [mine]\ndefine: {methods: {mine: {classifier: linclass.NearestMean, transforms: [impute: median]}}}",
        "write {impute: {option: median}} with the option's name",
    ),
    "a file as data set": ("datasets: [study.yaml]",
        "`define: {datasets: {study: {source: {file: study.yaml}, target: …}}}`"),
    "a class as method": ("methods: [sklearn.svm.SVC]", "`define: {methods: {SVC: {classifier: sklearn.svm.SVC}}}`"),
    "the root of all files": ("results: /", "give it a folder, as `results: results/mystudy`"),
    "the home folder": ('results: "~"', "give it a folder, as `results: results/mystudy`"),
    "a misspelled data set of scikit-learn": ("datasets: [d]\ndefine: {datasets: {d: {source: {sklearn: irs}}}}",
        "scikit-learn has no data set 'irs'; did you mean 'iris'?"),
    "estimator": ("methods: [mine]\ndefine: {methods: {mine: {classifier: linclass.NearestMean, estimator: 1}}}",
        "unknown key; it is called `classifier`"),
    "sep": ('datasets: [d]\ndefine: {datasets: {d: {source: {sklearn: iris}, csv: {sep: ";"}}}}',
        "unknown key; it is called `separator`, under `csv:`"),
}  # fmt: skip


SCALER = "classifier: sklearn.preprocessing.StandardScaler"
STEPS = (
    f"classifier: sklearn.pipeline.Pipeline, params: {{steps: [[scale, {{{SCALER}, INSIDE}}], "
    f"[fit, {{{LOGISTIC}}}]]}}"
)
OF_STEPS = "line 4: define.methods.mine.params.steps[0][1]."
DATE = "2024-05-01 is not text: YAML reads it as a date; put it in quotes"
PLACES = {
    "no classifier": (f"{BASE}define: {{methods: {{mine: {{params: {{strength: 1}}}}}}}}\n",
        ["line 4: define.methods.mine: ", "; add `classifier: linclass.LogisticRegression`"]),
    "a class as entry": (f"{BASE}define: {{methods: {{mine: linclass.LinearSVM}}}}\n",
        ["line 4: define.methods.mine: ", "is not a mapping; write {classifier: linclass.LinearSVM}"]),
    "an unreadable definition": ("results: r\ndatasets: [mine]\nmethods: [own]\ndefine: 3\n", ["line 4: define: "]),
    "an unreadable suite": ("results: r\ndatasets: [mine]\nmethods: [own]\nsuite: 7\n", ["line 4: suite: "]),
    "a method called off": ("methods: [off]\n", ["line 1: methods[0]: False is not text; YAML reads"]),
    "data called off": ("datasets: [off]\n", ["line 1: datasets[0]: False is not text; YAML reads"]),
    **{f"results {name}": (f"results: {name}\n", ["line 1: results: "]) for name in ("a{b}", "a<b>c", '"a\\nb"', '""')},
    "a metric of ours": ("evaluation: {metrics: [accuracy]}\n",
        ["linclass's own metrics, which are always computed; leave it out"]),
    "a metric without a module": ("evaluation: {metrics: [profit]}\n",
        ["my_metrics.profit; linclass's own are always computed"]),
    **{f"no module of {key}": (f"{BASE}evaluation:\n  {key}: {value}\n",
        [f"line 5: evaluation.{place}: 'no_such_module.f' cannot be imported"]) for key, value, place in (
        ("metrics", "[no_such_module.f]", "metrics[0]"), ("tune_metric", "no_such_module.f", "tune_metric"))},
    "a date as folder": ("results: 2024-05-01\n", [f"line 1: results: {DATE}"]),
    "a date as class": (method(f"{LOGISTIC}, params: {{class_weight: {{2024-05-01: 3}}}}"),
        [f"params.class_weight: {DATE}"]),
    "a date as level": (method(f"{LOGISTIC}, features: [{{indicators: {{levels: {{day: [2024-05-01]}}}}}}]"),
        [f"features[0].indicators.levels.day[0]: {DATE}"]),
    "a misspelt key of a step": (method(STEPS.replace("INSIDE", "parms: {with_mean: true}")),
        [f"{OF_STEPS}parms: unknown key; did you mean 'params'?"]),
    "folds at the top": ("folds: 5\n", ["folds: unknown key; it stands under `evaluation:`"]),
    "a limit at the top": ("fit_seconds: 5\n", ["fit_seconds: unknown key; it stands under `limits:`"]),
    "data under evaluation": ("evaluation: {datasets: [iris]}\n",
        ["datasets: unknown key; it stands at the top of the study"]),
    "a target in its source": ("define: {datasets: {d: {source: {file: a.csv, target: y}}}}\n",
        ["source.target: unknown key; it stands at the top of the entry"]),
    "a separator outside csv": ("define: {datasets: {d: {source: {file: a.csv}, separator: ;}}}\n",
        ["d.separator: unknown key; it stands under `csv:`"]),
    "a misspelt key": (method("classifier: linclass.LogisticRegression, tunee: {}"), ["did you mean 'tune'?"]),
    **{f"{key} in a file{below}": (f"{key}: notes.txt{below}\n", ["'notes.txt' is a file; give a folder"])
       for key in ("results", "downloads") for below in ("", "/r")},
    "an unknown suite": (f"{BASE}suite: openml_cc81\n",
        ["line 4: suite: there is no suite 'openml_cc81'; did you mean 'openml_cc18'?"]),
    "no data": ("datasets: []\n", ["line 1: datasets: no data set is selected; give names, or a suite"]),
    "a line break in a name": ('datasets: ["a\\n b"]\n', ["there is no data set 'a  b'"]),
    "an error in a merged entry": (
        f"methods: [b]\ndefine:\n  methods:\n    a: &a {{{LOGISTIC}}}\n    b:\n      <<: *a\n      features: [nope]\n",
        ["line 7: define.methods.b.features[0]"]),
    "an error in a grid": (GRID.replace("0.1, 1", "0.1").replace("STRENGTH", "strenth"),
        ["line 7: define.methods.ridge_{strength}.params.strenth: ", "(of 'ridge_0.1')"]),
}  # fmt: skip
QUOTE = " is not text or a number; YAML reads on, off, yes and no"
DATA = {
    "a truth as positive class": ("target: y, positive: yes", [f"positive: True{QUOTE}", "put it in quotes"]),
    "a truth as class": ("target: y, classes: [yes, 0]", [f"classes[0]: True{QUOTE}"]),
    "a truth among merged classes": ("target: y, classes: {ill: yes, well: [0]}",
        ["classes.ill: True is not text or a number"]),
    "a truth in a list": ("target: y, classes: {ill: [1, yes], well: [0]}", [f"classes.ill[1]: True{QUOTE}"]),
    "a truth as name": ("target: y, classes: {yes: [1], well: [0]}",
        ["classes: YAML reads on, off, yes and no as true and", "put its name in quotes"]),
    "an unknown relative": ("target: y, shares_rows_with: [irsi]",
        ["there is no data set 'irsi'; did you mean 'iris'?"]),
    "an unknown column": ("target: agee",
        ["target: there is no column 'agee', did you mean 'age'? Columns are age, y"]),
    "a column without a name": ("target: ''", ["target: there is no column ''"]),
    "a column called 0": ("target: y, group: 0", ["group: there is no column '0'"]),
    "a file as source": ("source: my.csv, format: csv, target: y",
        ["source: 'my.csv' is not a mapping", "{file: …}"]),
}  # fmt: skip


def own_data(keys):
    keys = keys if "source" in keys else f"source: {{file: a.csv}}, {keys}"
    return f"datasets: [mine]\ndefine: {{datasets: {{mine: {{{keys}}}}}}}\n"


TABLES = (  # the study of a value, how its line begins
    (NUMBERS, lambda text: f"{BASE}{text}\n", "study.yaml, line 4: "),
    (METHODS, method, "study.yaml, line 4: define.methods.mine"),
    (STUDIES, str, ""),
    (ENTRIES, lambda entry: method(f"classifier: {entry}"), "study.yaml, line 4: "),
    (NAMES, named, "study.yaml, line 2: define.methods: "),
    (PROTOCOLS, lambda value: f"{BASE}evaluation: {{protocols: {value}}}\n", "study.yaml, line 4: evaluation."),
    (ELSEWHERE, lambda text: f"{text}\n", "study.yaml, line "),
    (PLACES, str, "study.yaml, line "),
    (DATA, own_data, "study.yaml, line 2: define.datasets.mine."),
)  # fmt: skip


@each(("text", "begin", "words"), [
    pytest.param(study_of(value), begin, [words] if isinstance(words, str) else words, id=case)
    for table, study_of, begin in TABLES for case, (value, words) in table.items()
])  # fmt: skip
def test_a_wrong_study_is_refused_in_one_line_with_place_and_remedy(refusal, text, begin, words):
    line = refusal(text)
    assert line.startswith(begin)
    assert [word for word in words if word not in line] == [], line


def test_all_errors_of_a_study_are_reported_at_once(refusals):
    text = "results: r\ndatasets: [iriss, gausians]\nmethods: [ldaa]\nevaluation: {tune_metric: acuracy}\n"
    lines = refusals(text)
    assert [line.partition("did you mean ")[2] for line in lines] == [
        "'accuracy'?", "'iris'?", "'gaussians'?", "'lda'?",
    ]  # fmt: skip
    assert set(_lines_named(lines)) == {2, 3, 4}
    text = (
        "results: r\ndatasets: [own, iriss]\nmethods: [mine, ldaa]\nsuite: openml_cc17\n"
        "evaluation: {tune_metric: absent_module.profit, folds: 1}\ndefine:\n"
        "  datasets:\n    own: {source: {file: gone.csv}, format: csv, target: y}\n"
        f"  methods:\n    mine: {{{LOGISTIC}, tune: {{stength: [1, 2]}}}}\n"
    )
    lines = refusals(text)
    assert _lines_named(lines) == [5, 4, 2, 8, 3, 10]
    assert "there is no file 'gone.csv'" in lines[3]
    assert "did you mean 'strength'?" in lines[5]
    entry = "{source: {file: gone.csv}, format: csv, target: y"
    text = (
        "results: r\ndatasets: [own, other, another]\nmethods: [mine, yours]\ndefine:\n  datasets:\n"
        f"    own: {entry}, tarqet: 3}}\n    other: {entry}}}\n    another: {entry}, tarqet: 3}}\n"
        f"  methods:\n    mine: {{{LOGISTIC}, tun: 3}}\n    yours: {{{LOGISTIC}, tune: {{stength: [1]}}}}\n"
    )
    assert _lines_named(refusals(text)) == [6, 8, 7, 10, 11]


def test_a_method_may_be_meant_by_other_names():
    catalogue = read_yaml(ROOT / "config" / "methods.yaml") | {"refused": "sklearn.svm.SVC"}
    for name, meant in {
        "pls": "'pls_discriminant'",  # its first letters
        "LinearDiscriminantAnalysis": "'lda', 'lda_shrunk' or 'lda_diagonal'",  # its class
        "SVC": "'svm_gaussian'",  # what scikit-learn calls the class
        "Gaussian-NB": "'gaussian_nb'",
    }.items():
        assert suggest_methods(name, catalogue).startswith(f"did you mean {meant}")


@each(("when", "how", "words"), [
    ("imported", "raise SystemExit(0)", "SystemExit(0)"),
    ("imported", "raise KeyboardInterrupt", "KeyboardInterrupt()"),
    ("imported", "raise ValueError('no\\nway')", "no way"),
    ("constructed", "raise SystemExit(0)", "SystemExit(0)"),
])  # fmt: skip
def test_a_classifier_that_exits_python_does_not_end_the_study(
    refusal, write_modules, when, how, words
):
    text = "class Theirs:\n    fit = predict = lambda *_: None\n    def __init__(self):\n        "
    text += f"pass\n{how}\n" if when == "imported" else how
    write_modules({"theirs.py": text})
    assert words in refusal(method("classifier: theirs.Theirs"))


def test_a_file_of_many_features_has_a_name_that_a_disk_takes(study):
    many = [", ".join(["powers"] * count) for count in (50, 51)]
    names = [study(method(f"{LOGISTIC}, features: [{f}]")).features_of["mine"] for f in many]
    assert len(set(names)) == 2
    assert all(len(name) < 120 for name in names)


def test_a_class_in_quotes_is_a_text(study):
    found = study(own_data('target: y, positive: "yes", shares_rows_with: [iris, kr-vs-kp.3]'))
    assert found.datasets["mine"]["positive"] == "yes"
    assert found.datasets["mine"]["shares_rows_with"] == ["iris", "kr-vs-kp.3"]  # of OpenML-CC18


FILES = {
    "Latin-1": (b"results: r\n# caf\xe9\n", "line 2: not text in UTF-8; save it as UTF-8"),
    "UTF-16": ("results: r\n".encode("utf-16"), "line 1: not text in UTF-8"),
    "an alias in itself": (b"results: r\ndefine: &x {methods: *x}\n", "line 2: '*x' is a part of"),
    "a list as key": (b"results: r\n? [a, b]\n: 1\n", "line 2: not YAML, found unhashable key"),
    "a null character": (b'results: r\nx: "a\0b"\n', "line 2: not YAML, special characters"),
    "a day that is none": (b"results: 2020-13-45\n", "not YAML, month must be in 1..12"),
    "a name given twice": (b"define: {a: 1, a: 2}\n", "line 1: 'a' is given twice"),
    "two documents": (b"results: r\n---\nresults: q\n", "but found another document"),
    "a tag": (b"x: !!python/name:os.system\n", "line 1: not YAML, could not determine"),
}


@each("case", FILES)
def test_an_invalid_study_file_is_refused_with_its_line(tmp_path, case):
    content, words = FILES[case]
    path = tmp_path / "study.yaml"
    path.write_bytes(content)
    with pytest.raises(StudyError) as refused:
        read_yaml(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert words in str(refused.value)


def test_a_suite_joins_the_data_sets_and_one_of_its_sets_can_be_named(study):
    assert len(study(BASE + "suite: openml_cc18\n").datasets) == 1 + 72
    alone = study(BASE.replace("[iris]", "[]") + "suite: [openml_cc18, amlb_classification_2023]\n")
    assert {"adult.1590", "yeast.181"} <= set(alone.datasets)
    assert "iris" not in alone.datasets
    named = study(BASE.replace("[iris]", "[iris, vowel.307]")).datasets
    assert list(named) == ["iris", "vowel.307"]
    assert named["vowel.307"]["source"] == {"openml": 307}
    assert not any("." in name for name in study(BASE.replace("[iris]", "all")).datasets)


def test_an_entry_may_merge_another_and_replace_one_of_a_suite(study):
    found = study(
        "methods: [a, b]\ndefine:\n  methods:\n"
        f"    a: &a {{{LOGISTIC}, params: {{tol: 1e-3}}, transforms: [impute]}}\n"
        "    b: {<<: *a, transforms: [standardize]}\n"
    )
    assert found.methods["b"] == found.methods["a"] | {"transforms": ["standardize"]}
    own = "define: {datasets: {vowel.307: {source: {sklearn: iris}}}}\n"
    found = study(BASE.replace("iris", "vowel.307") + own + "suite: openml_cc18\n").datasets
    assert found["vowel.307"] == {"source": {"sklearn": "iris"}}
    assert len(found) == 72


def test_the_catalogue_the_default_study_and_the_sweep_can_work():
    catalogue = parse_numbers(read_yaml(ROOT / "config" / "methods.yaml"))
    assert not [(name, *found) for name in catalogue for found in method_problems(catalogue[name])]
    path = ROOT / "config" / "sweep.yaml"
    merged = _merged(yaml.safe_load(DEFAULT.read_text()), read_yaml(path))
    sweep = read_config(merged, [DEFAULT, path])
    fits = sweep.evaluation["folds"] * sweep.evaluation["repeats"]
    datasets, methods = len(sweep.datasets), len(sweep.methods)
    assert datasets * methods * fits >= 100_000
    promise = f"{datasets} data sets × {methods} methods × {fits} fits, {datasets * methods * fits:,} in all"
    assert promise in path.read_text(encoding="utf-8").splitlines()[0]
    of_texts = {"words_naive_bayes", "tf_idf_logistic", "tf_idf_logistic_bare"}
    others = set(catalogue) - set(sweep.methods)
    assert others == of_texts | {"logistic_fused"}  # for columns in an order
    study = read_config(yaml.safe_load(DEFAULT.read_text()), [DEFAULT])
    left = {"iris_binary", "newsgroups"}  # rows of iris; not every method is applicable
    assert len(set(study.datasets) - left) >= MIN_DATA_SETS
    for name, entry in study.datasets.items():
        sources = entry["source"] if isinstance(entry["source"], list) else [entry["source"]]
        assert any(
            {"sklearn", "generate"} & {*one} or (ROOT / one.get("file", "none")).is_file()
            for one in sources
        ), name
    size = f"{len(study.methods)} methods on {len(study.datasets)} data sets"
    assert size in (ROOT / "README.md").read_text(encoding="utf-8")
    classes = [entry["classifier"] for entry in study.methods.values()]
    assert all(name.startswith("linclass.") for name in classes)
    assert not {"linclass.OneVsRest", "linclass.OneVsOne"} & {*classes}
    tiny = read_yaml(ROOT / "config/tiny.yaml")["methods"]
    assert any(catalogue[name]["classifier"].startswith("sklearn.") for name in tiny)
