"""Metrics by their import paths: functions and scorers of scikit-learn's form."""

import inspect
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions, measure
from linclass_study import protocols
from linclass_study.analysis.answer import metric_lines
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import Classes, metric_problems, score, write_scores
from linclass_study.analysis.wording import direction_words
from linclass_study.config import code
from linclass_study.config.evaluation_check import own_metric_problems
from linclass_study.errors import StudyError
from linclass_study.files import tables as table_files
from linclass_study.pipeline.fitted import Task, measured
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.protocols import require_trusted
from linclass_study.report.tables import diagnostics

MODULE = '''
import numpy as np
from functools import partial
from sklearn.metrics import log_loss, make_scorer, precision_score, recall_score, roc_auc_score, zero_one_loss

def share(y_true, y_pred): return np.mean(y_true == y_pred)
def miss_error(y_true, y_pred): return np.mean(y_true != y_pred)
def sensitivity(y_true, y_pred): return np.mean(y_pred[y_true == 1] == 1)
def area(y_true, y_score): return roc_auc_score(y_true, y_score)
def square(y_true, y_proba): return np.mean((y_proba - y_true) ** 2)
square.greater_is_better = False
def weighted(y_true, y_pred, sample_weight=None): return np.average(y_true == y_pred, weights=sample_weight)
def of_answers(y_true, answer): return np.mean(np.log(answer[np.arange(len(y_true)), y_true]))
of_answers.response_method = "predict_proba"
def own_scorer(estimator, X, y): return np.mean(estimator.predict(X) == y)
def broken(y_true, y_pred): raise RuntimeError("nothing\\nworks")
def text(y_true, y_pred): return "a"
def accuracy(y_true, y_pred): return 1.0
def regret(y_true, y_pred): return np.mean(y_true != y_pred)
def expectedCost(y_true, y_pred): return np.mean(y_true != y_pred)
def declared_cost(y_true, y_pred): return np.mean(y_true != y_pred)
declared_cost.greater_is_better = False
def saved_cost(y_true, y_pred): return np.mean(y_true == y_pred)
saved_cost.greater_is_better = True
partial_loss = partial(zero_one_loss, normalize=False)
def cost_savings(y_true, y_pred): return np.mean(y_true == y_pred)
def neg_cost(y_true, y_pred): return -np.mean(y_true != y_pred)
def risk(estimator, X, y): return np.mean(estimator.predict(X) != y)
at_risk = make_scorer(regret)
turned_risk = make_scorer(regret, greater_is_better=False)
def weighed(y_true, y_pred, price, gain): return price * np.mean(y_true == y_pred)
def judged(estimator, X, y, *, price): return price
recalled = make_scorer(recall_score)
precise = make_scorer(precision_score, zero_division=0)
nats = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
ordered = make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba"))
'''  # fmt: skip


@pytest.fixture
def mine(write_modules):
    """The module `mine` beside the study."""
    return write_modules({"mine.py": MODULE})


def predicted(K=2, positive=None, n=90):
    rng = np.random.default_rng(K)
    y, positive = np.arange(n) % K, K - 1 if positive is None else positive
    score = rng.normal(size=(n, K)) + np.eye(K)[y]
    if K == 2:
        score -= score.mean(axis=1, keepdims=True)
    log_proba = score - np.log(np.exp(score).sum(axis=1, keepdims=True))
    return Predictions(y, score.argmax(axis=1), score, log_proba, positive)


@each("positive", [0, 1])
@each(("path", "own", "sign"), [
    ("mine.share", "accuracy", 1),
    ("mine.own_scorer", "accuracy", 1),
    ("mine.sensitivity", "recall", 1),
    ("mine.recalled", "recall", 1),
    ("mine.precise", "precision", 1),
    ("mine.area", "auc", 1),
    ("mine.ordered", "auc", 1),
    ("mine.square", "brier", 1),
    ("sklearn.metrics.brier_score_loss", "brier", 1),
    ("mine.nats", "log_loss", -1),
    ("sklearn.metrics.balanced_accuracy_score", "balanced_accuracy", 1),
])  # fmt: skip
def test_a_metric_of_two_classes_is_that_of_the_positive_one(mine, path, own, sign, positive):
    p = predicted(2, positive)
    assert metrics.find(path)(p) == pytest.approx(sign * metrics.find(own)(p), rel=1e-12)


def test_user_metrics_get_weights_classes_and_stacks_of_folds(mine):
    p = predicted(3)
    assert metrics.find("mine.share")(p) == metrics.find("accuracy")(p)
    assert metrics.find("mine.of_answers")(p) == pytest.approx(-metrics.find("log_loss")(p))
    assert metrics.find("mine.nats")(p) == pytest.approx(-metrics.find("log_loss")(p))
    p = predicted(2)
    stack = Predictions.stack([p, replace(p, y_pred=1 - p.y_pred, weight=None)])
    stack = replace(stack, weight=None)
    found = measure(stack, ["mine.share", "accuracy"])
    assert np.array_equal(found["mine.share"], found["accuracy"])
    p = replace(predicted(2), weight=np.repeat([1.0, 2.0, 3.0], 30))
    assert metrics.find("mine.weighted")(p) == pytest.approx(metrics.find("accuracy")(p))
    less = ["mine.miss_error", "mine.square", "sklearn.metrics.hinge_loss"]
    assert not any(metrics.greater_is_better(path) for path in less)
    greater = ["mine.share", "mine.nats", "mine.own_scorer", "sklearn.metrics.f1_score"]
    assert all(metrics.greater_is_better(path) for path in greater)


def test_undefined_and_raising_metrics_have_no_value(mine):
    p = predicted()
    for path in ("mine.square", "mine.nats"):  # of probabilities
        assert np.isnan(metrics.find(path)(replace(p, log_proba=None)))
    bare = replace(p, score=np.full_like(p.score, np.nan))
    none = replace(bare, log_proba=None)
    for path in ("mine.area", "mine.ordered"):
        assert np.isnan(metrics.find(path)(none))
    assert np.isnan(metrics.find("sklearn.metrics.hinge_loss")(bare))
    assert metrics.find("mine.area")(bare) == pytest.approx(metrics.find("auc")(p))
    assert metrics.find("mine.ordered")(bare) == pytest.approx(metrics.find("auc")(p))
    with pytest.warns(UserWarning, match=r"mine\.broken: RuntimeError: nothing"):
        assert np.isnan(metrics.find("mine.broken")(predicted()))


def rows_of(p, fold):
    """The rows of predictions of a run."""
    n = len(fold)
    return table_files.frame(
        "predictions",
        {
            "dataset": ["d"] * n, "method": ["m"] * n, "protocol": ["cv"] * n, "repeat": [0] * n,
            "fold": fold, "row": np.arange(n),
            "y_true": p.y_true, "y_pred": p.y_pred, "score": p.score.tolist(), "log_proba": None,
        },
    )  # fmt: skip


def test_runs_are_scored_and_tuned_by_a_user_metric(mine):
    p = predicted()
    rows = rows_of(p, np.arange(90) // 30)
    evaluation = {"tune_metric": "mine.share", "metrics": ["mine.square"]}
    names = protocols.metrics_of(evaluation)
    assert {*names} == {*metrics.names(), "mine.share", "mine.square"}
    found = score(rows, Classes(2, 1), names)
    wide = found.pivot("metric", values="value")
    assert wide["mine.share"].to_list() == wide["accuracy"].to_list()
    assert "mine.square" not in wide.columns
    task = Task(2, 1, tune_metric="mine.share")
    assert measured((p.y_pred, p.score, None), p.y_true, task) == metrics.find("accuracy")(p)


def test_an_edited_metric_module_refits_only_methods_tuned_by_it(mine):
    entry = {"classifier": "linclass.NearestMean"}
    tuned = entry | {"tune": {"shrinkage": [0, 1]}}
    files, _ = code.closure([], code.modules_of_method(tuned, "mine.share"))
    assert mine / "mine.py" in files
    assert not [m for m in code.modules_of_method(entry, "mine.share") if "mine" in m]


def problems(*paths, tune="accuracy"):
    return [*own_metric_problems({"tune_metric": tune, "metrics": list(paths)})]


@each(("path", "words"), [
    ("nowhere.f", "there is no module 'nowhere'; install it, or correct the path"),
    ("mine.shares", "'mine' has no 'shares'; did you mean 'share'?"),
    ("mine.np", "'mine.np' is not a function; give a function (y_true, y_pred) or a scorer"),
    ("mine.broken", "fails on 60 predicted rows of two classes: nothing works"),
    ("mine.text", "fails on 60 predicted rows of two classes: mine.text returned"),
    ("mine.weighed", "gets (y_true, y_pred) and also needs price, gain; give it a default, `price=…`"),
    ("mine.judged", "gets (estimator, X, y) and also needs price; give it a default, `price=…`"),
    ("mine.regret", "named like a cost, and greater values would count as better; write `regret.greater_is"),
    ("mine.expectedCost", "`expectedCost.greater_is_better = False`"),
    ("mine.risk", "write `risk.greater_is_better = False`"),
    ("mine.at_risk", "write `at_risk.greater_is_better = False` below its definition"),
    ("mine.accuracy", "another metric is also called 'accuracy'; rename the function"),
])  # fmt: skip
def test_an_unusable_metric_is_reported_in_one_line_before_anything_runs(mine, path, words):
    ((key, sentence),) = problems(path)
    assert key == ["evaluation", "metrics", 0]
    assert words in sentence
    assert "\n" not in sentence
    ((key, sentence),) = problems(tune=path)
    assert key == ["evaluation", "tune_metric"]


def test_a_cost_that_says_its_direction_is_accepted(mine):
    least = [
        "mine.declared_cost", "mine.miss_error", "mine.partial_loss", "sklearn.metrics.max_error",
    ]  # fmt: skip
    most = [
        "mine.saved_cost", "mine.cost_savings", "mine.neg_cost", "mine.turned_risk", "mine.nats",
    ]  # fmt: skip
    assert not problems(*least, *most)
    assert {direction_words(path) for path in least} == {"less is better"}
    assert {direction_words(path) for path in most} == {"greater is better"}


def test_no_metric_of_scikit_learn_is_refused_for_its_name():
    import sklearn.metrics

    functions = [name for name, f in vars(sklearn.metrics).items() if inspect.isfunction(f)]
    assert {"log_loss", "max_error", "d2_log_loss_score"} <= {*functions}
    found = [text for name in functions for _, text in problems(f"sklearn.metrics.{name}")]
    assert not [text for text in found if "named like a cost" in text]


def test_results_are_scored_by_a_user_metric_if_its_module_is_trusted_and_found(mine):
    evaluation = {"tune_metric": "accuracy", "metrics": ["nowhere.f"], "folds": 3}
    words = r"there is no module 'nowhere'.*; name the folder of the module in PYTHONPATH"
    with pytest.raises(StudyError, match=words):
        require_trusted(evaluation, ["nowhere"])
    require_trusted(evaluation | {"metrics": ["mine.share"]}, ["mine"])
    with pytest.raises(StudyError, match=r"metric mine\.share, .* add --trust mine"):
        require_trusted(evaluation | {"metrics": ["mine.share"]}, ["mine.share", "nowhere"])


PICKY = """
def picky(y_true, y_pred):
    if len(y_true) % 2:
        raise ValueError(f"{len(y_true)} rows\\nare odd")
    return float((y_true == y_pred).mean())
"""


@pytest.fixture
def picky(write_modules):
    return write_modules({"mine.py": MODULE + PICKY})


def scored(folder, sizes):
    """The scores of a run whose folds have these sizes, and its outcome."""
    evaluation = {"tune_metric": "accuracy", "metrics": ["mine.picky"]}
    n = sum(sizes)
    constant = Predictions(np.arange(n) % 2, np.zeros(n), np.zeros((n, 2)), None, 1)
    rows = rows_of(constant, np.repeat(np.arange(len(sizes)), sizes))
    table_files.write_table(rows, "predictions", folder / "runs/d/m/predictions.parquet")
    table_files.write_table(table_files.frame("fits"), "fits", folder / "runs/d/m/fits.parquet")
    names = protocols.metrics_of(evaluation)
    write_scores(folder, "d", {"m": f"digest of {sizes}"}, Classes(2, 1), "code", names)
    entry = {"classifier": "linclass.NearestMean"}
    outcome = Outcome(folder, {"d": {}}, {"m": entry, "other": entry}, evaluation)
    return pl.read_parquet(folder / "scores" / "d.parquet"), outcome


@pytest.mark.filterwarnings("ignore:mine.picky")
def test_failing_folds_of_a_metric_are_listed_until_it_is_fixed(picky):
    scores, outcome = scored(picky, [4, 3, 6, 5])
    assert scores.filter(metric="mine.picky")["fold"].to_list() == [0, 2]
    assert scores.filter(metric="accuracy")["fold"].to_list() == [0, 1, 2, 3]
    (problem,) = metric_problems(outcome)
    assert (problem.status, problem.datasets, problem.methods) == ("mine.picky", ("d",), ("m",))
    assert problem.fits == 2
    assert problem.reason == "ValueError: 3 rows are odd"
    expected = ["mine.picky", ["d"], ["m"], 2, "ValueError: 3 rows are odd"]
    assert diagnostics.unscored(outcome).rows == [expected]
    assert metric_lines(outcome) == [
        "not scored by mine.picky: d × m (2 folds): ValueError: 3 rows are odd"
    ]
    _, outcome = scored(picky, [4, 3])
    assert metric_problems(outcome)
    _, outcome = scored(picky, [4, 2])
    assert not metric_problems(outcome)
    assert not diagnostics.unscored(outcome).rows
    assert not metric_lines(outcome)


@pytest.mark.filterwarnings("ignore:mine.picky")
def test_the_reason_of_a_fit_that_cannot_be_tuned_is_its_exception(picky):
    rng = np.random.default_rng(0)
    table = Table(rng.normal(size=(30, 2)), ("a", "b"))
    y = (np.arange(30) % 2).astype(np.int32)
    method = Method.from_entry({"classifier": "linclass.LinearSVM", "tune": {"strength": [0.1, 1]}})
    for metric, words in (
        ("mine.picky", r"the tune_metric 'mine\.picky' raises ValueError: 15 rows are odd"),
        ("log_loss", r"'log_loss' is not defined .* which have no probabilities; choose"),
    ):
        with pytest.raises(ValueError, match=words):
            fit_method(method, table, y, Task(2, 1, inner_folds=2, tune_metric=metric), 0)


def test_infinite_log_odds_are_replaced_by_probabilities_as_scores(mine):
    """Of a forest, whose trees may all agree: scikit-learn's metrics refuse infinite numbers."""
    from sklearn.metrics import roc_auc_score

    p = predicted()
    proba = np.exp(p.log_proba[:, 1])
    proba[p.y_true == 1] = np.where(proba[p.y_true == 1] > 0.9, 1.0, proba[p.y_true == 1])
    assert (proba == 1).any()
    with np.errstate(divide="ignore"):
        log_proba = np.log(np.column_stack([1 - proba, proba]))
    z = log_proba[:, 1] - log_proba[:, 0]
    certain = replace(p, score=np.column_stack([-z / 2, z / 2]), log_proba=log_proba)
    for path in ("mine.area", "mine.ordered"):
        assert metrics.find(path)(certain) == pytest.approx(roc_auc_score(p.y_true, proba))
    assert np.isnan(metrics.find("sklearn.metrics.hinge_loss")(certain))
