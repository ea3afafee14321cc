"""Foreign estimators as methods, by two lines of YAML: checked, fitted and recorded.

Three classes lie so far apart that whatever fits them is right about every row; then what a run
writes down can be held to the truth.
"""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from cases import each
from run_alone import rows_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from linclass.base.predicted import predictions_of
from linclass.base.tables import Table
from linclass_study.config.method_check import method_problems
from linclass_study.execution import fit_outcome
from linclass_study.execution.fit_outcome import fit_status, trace_table
from linclass_study.execution.worker import Worker
from linclass_study.files import tables as table_files
from linclass_study.files.tables import table_schema
from linclass_study.pipeline.fitted import Task, predict_rows
from linclass_study.pipeline.method import Method

N, K = 60, 3
TASK = {"n_classes": K, "positive": 2, "inner_folds": 2}
PLAIN = "{classifier: foreign_estimators.Plain}"
SCALE = "{classifier: sklearn.preprocessing.StandardScaler}"
LOGISTIC = "{classifier: sklearn.linear_model.LogisticRegression}"

# Kind → the lines below its name.
ALONE = """
Duck Plain MixinsSwapped Dataclass WithoutSignature Strings Floats Column List Objects DecisionFunction
Probabilities SinglePrecision ClassesReversed NotImplementedByItsBase ReturnsNothing Talks
WarningsAreErrors OverflowIsAnError SpoilsRows SpoilsCodes TwoProcesses OwnChecks OwnAttributes SeededByUs
DerivedFromOurs DerivedFromTheirs
"""
KINDS = {name: f"classifier: foreign_estimators.{name}" for name in ALONE.split()} | {
    "a required argument": "classifier: foreign_estimators.RequiredArgument\nparams: {width: 2}",
    "keywords only": "classifier: foreign_estimators.KeywordsOnly\nparams: {width: 2}",
    "any keyword of a class without signature": (
        "classifier: foreign_estimators.WithoutSignature\nparams: {width: 2}"
    ),
    "a lazily imported class": "classifier: lazy_library.Lazy",
    "codes spoilt for the next candidate": (
        "classifier: foreign_estimators.SpoilsCodes\ntune: {wait: [1, 0]}"
    ),
    "rows spoilt for the next class": (
        "classifier: linclass.OneVsRest\nparams: {estimator: {classifier: foreign_estimators.SpoilsRows}}"
    ),
    "ours around one with its own checks": (
        "classifier: linclass.OneVsRest\n"
        "params: {estimator: {classifier: sklearn.linear_model.LogisticRegression}}"
    ),
    "ours around one whose fit returns nothing": (
        "classifier: linclass.Calibrated\nparams: {estimator: {classifier: foreign_estimators.ReturnsNothing}}"
    ),
    "a pipeline": (
        f"classifier: sklearn.pipeline.Pipeline\nparams: {{steps: [[scale, {SCALE}], [mean, {PLAIN}]]}}"
    ),
    "a pipeline, tuned inside": (
        f"classifier: sklearn.pipeline.Pipeline\n"
        f"params: {{steps: [[scale, {SCALE}], [fit, {LOGISTIC}]]}}\ntune: {{fit__C: [0.1, 10]}}"
    ),
    "a grid search": (
        f"classifier: sklearn.model_selection.GridSearchCV\n"
        f"params: {{estimator: {LOGISTIC}, param_grid: {{C: [1, 10]}}, cv: 3}}"
    ),
    "a grid search among estimators, in folds of its own": (
        "classifier: sklearn.model_selection.GridSearchCV\nparams:\n"
        f"  estimator: {{classifier: sklearn.pipeline.Pipeline, params: {{steps: [[model, {PLAIN}]]}}}}\n"
        f"  param_grid: {{model: [{PLAIN}, {LOGISTIC}]}}\n"
        "  cv: {classifier: sklearn.model_selection.StratifiedKFold, params: {n_splits: 2}}"
    ),
    "bagging": (
        f"classifier: sklearn.ensemble.BaggingClassifier\nparams: {{estimator: {PLAIN}, n_estimators: 3}}"
    ),
    "one against the rest": (
        f"classifier: sklearn.multiclass.OneVsRestClassifier\nparams: {{estimator: {LOGISTIC}}}"
    ),
    "voting": (
        f"classifier: sklearn.ensemble.VotingClassifier\nparams: {{estimators: [[a, {PLAIN}], [b, {LOGISTIC}]]}}"
    ),
    "scores of pairs of classes inside a pipeline": (
        "classifier: sklearn.pipeline.Pipeline\nparams: {steps: [[scale, "
        f"{SCALE}], [fit, {{classifier: sklearn.svm.SVC, params: {{decision_function_shape: ovo}}}}]]}}"
    ),
    "scores of pairs of classes inside a grid search": (
        "classifier: sklearn.model_selection.GridSearchCV\nparams:\n"
        "  estimator: {classifier: sklearn.svm.SVC, params: {decision_function_shape: ovo}}\n"
        "  param_grid: {C: [1]}"
    ),
}


@pytest.fixture(autouse=True)
def _beside_this_file(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    y = (np.arange(N) % K).astype(np.int32)
    X = np.random.default_rng(3).normal(size=(N, 2)) * 0.3 + np.array([[0, 0], [9, 0], [0, 9]])[y]
    return rows_file(tmp_path_factory.mktemp("features"), Table(X, ("u", "v")), y)


def outcomes(features, lines):
    """What becomes of both halves of the rows, each fitted to the other."""
    entry = yaml.safe_load(lines)
    assert list(method_problems(entry)) == []
    worker = Worker(features, entry, TASK)
    halves = [(np.arange(N) // K % 2 == k).nonzero()[0] for k in (0, 1)]
    return [worker.folds((np.arange(N), half, 5, False))[0] for half in halves]


@pytest.mark.filterwarnings("ignore:divide by zero")  # a probability of 0 in bagging
@each("kind", KINDS)
def test_a_foreign_estimator_is_accepted_and_right_about_every_row(features, kind):
    for given in outcomes(features, KINDS[kind]):
        assert given["status"] == "converged", given["reason"]
        np.testing.assert_array_equal(given["y_pred"], given["y_true"])
        if not np.isnan(given["score"]).all():  # it has scores
            np.testing.assert_array_equal(given["score"].argmax(axis=1), given["y_true"])
        if given["log_proba"] is not None:
            np.testing.assert_array_equal(given["log_proba"].argmax(axis=1), given["y_true"])


@each("classes", [[0, 1], [1, 0], ["1", "0"]])
@each("name", ["decision_function", "predict_proba"])
def test_scores_of_two_classes_follow_the_order_of_classes(classes, name):
    """A score of (n,) is a score of the second of classes_; probabilities have its columns."""
    y = np.array([0, 1, 1])
    second = (y.astype(str) == str(classes[1])).astype(float)
    given = 2 * second - 1 if name == "decision_function" else np.column_stack([1 - second, second])
    answers = {name: lambda X: given, "predict": lambda X: y, "classes_": classes}
    y_pred, score, log_proba = predictions_of(SimpleNamespace(**answers), np.zeros((3, 1)), 2)
    np.testing.assert_array_equal(y_pred, y)
    np.testing.assert_array_equal(score.argmax(axis=1), y)
    if name == "predict_proba":
        np.testing.assert_array_equal(np.exp(log_proba), np.eye(2)[y])


def test_predicted_classes_alone_and_scores_of_pairs_rank_no_rows():
    """AUC is then not defined, rather than that of votes."""
    y = np.arange(40) % 3
    X = np.random.default_rng(0).normal(size=(40, 2)) + 5 * np.eye(3)[y, :2]
    alone = SimpleNamespace(predict=lambda X: y[: len(X)])
    pairs = SVC(decision_function_shape="ovo").fit(X, y)
    for model in (alone, pairs, make_pipeline(StandardScaler(), pairs).fit(X, y)):
        _, score, log_proba = predictions_of(model, X, 3)
        assert log_proba is None
        assert score.shape == (40, 3)
        assert np.isnan(score).all()
    each = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    y_pred, score, _ = predictions_of(each, X, 3)
    np.testing.assert_array_equal(score.argmax(axis=1), y_pred)


@each(("name", "given", "reason"), [
    ("predict", np.arange(3) + 5, "predict gave 5, which is no class; predictions must be codes 0 … 2, as in y"),
    ("predict", np.array([-1, 0, 1]), "predict gave -1, which is no class"),
    ("predict", np.full(3, 0.9), "predict gave 0.9, which is no class"),
    ("predict", np.array(["ill", "well", "ill"]), "predict gave 'ill', which is no class"),
    ("predict", np.zeros(2), r"predict gave shape \(2,\) for 3 rows; it must give \(3,\)"),
    ("predict", None, "predict gave None for 3 rows"),
    ("predict_proba", None, "predict_proba gave None for 3 rows"),
    ("decision_function", np.zeros(3), r"shape \(3,\) for 3 rows and 3 classes; .* \(3, 3\)"),
    ("decision_function", np.zeros((3, 4)), r"shape \(3, 4\) .*; it must give \(3, 3\)"),
    ("decision_function", np.full((3, 3), np.nan), "decision_function gave NaN"),
    ("predict_proba", np.full((3, 2), 0.5), r"predict_proba gave shape \(3, 2\)"),
    ("predict_proba", np.full((3, 3), 1.0), "gave probabilities that sum to 3 in a row"),
    ("predict_proba", np.array([[-0.1, 0.6, 0.5]] * 3), "gave -0.1; a probability is at least 0"),
])  # fmt: skip
def test_invalid_outputs_of_an_estimator_are_reported(name, given, reason):
    methods = {"predict": np.zeros_like, name: lambda X: given}
    with pytest.raises(ValueError, match=reason):
        predictions_of(SimpleNamespace(**methods), np.zeros(3), 3)


@each("classes", [[0, 0], [0, 3], ["ill", "well"], [[0, 1]]])
def test_predictions_that_are_not_class_codes_are_reported(classes):
    answers = {"decision_function": lambda X: np.ones(3), "predict": lambda X: np.ones(3)}
    with pytest.raises(ValueError, match=r"classes_ is .*; it must be codes of classes, of 0 … 1"):
        predictions_of(SimpleNamespace(**answers, classes_=classes), np.zeros((3, 1)), 2)


def test_scores_of_two_classes_in_reverse_are_reported():
    """They would give an AUC of 1 − AUC; another threshold than 0 is no reason."""
    z, method, task = np.array([-2.0, 1.0, 2.0]), Method(object), Task(2, 1)
    answers = {"predict": lambda X: (z > 1.5).astype(int), "classes_": [0, 1]}
    for model, score in (("fine", z), ("reversed", -z)):
        estimator = SimpleNamespace(**answers, decision_function=lambda X, score=score: score)
        with nullcontext() if model == "fine" else pytest.raises(ValueError, match="a lower score"):
            predict_rows(estimator, np.zeros((3, 1)), method, task)


def test_unknown_classes_are_not_predicted_and_convergence_warnings_recorded(features):
    for given in outcomes(features, "classifier: foreign_estimators.LastClassUnknown"):
        assert set(given["y_pred"]) == {0, 1}
        assert np.isneginf(given["log_proba"][:, 2]).all()
        known = given["y_true"] < 2
        np.testing.assert_array_equal(given["y_pred"][known], given["y_true"][known])
    for given in outcomes(features, "classifier: foreign_estimators.NotConverged"):
        assert (given["status"], given["reason"]) == ("max_iter", "stopped after 3 steps")


def test_only_attributes_with_known_names_and_types_are_recorded(features):
    for given in outcomes(features, "classifier: foreign_estimators.OurAttributes"):
        assert (given["status"], given["reason"], given["iterations"]) == ("rank_deficient", "", 7)
        assert (given["objective"], given["certificate"]) == (0.25, None)
    for given in outcomes(features, "classifier: foreign_estimators.OwnAttributes"):
        names = ("iterations", "objective", "certificate", "certificate_kind")
        assert [given[name] for name in names] == [None] * 4
        assert not any(given["kept"].values())
    for status in ("done", ["a"], 3):
        reported = fit_status(SimpleNamespace(status_=status, reason_="none of ours"), [])
        assert (reported["status"], reported["reason"]) == ("converged", "")


@each("odd", ["small", np.array([1.0, 2.0]), 10**400, 1j], ids=["text", "array", "huge", "complex"])
def test_a_trace_with_non_numeric_values_is_ignored(odd):
    step = dict.fromkeys(fit_outcome.STEP, 1)
    assert trace_table([step, step | {"passes": None, "objective": np.float32(2)}]) == {
        "step": [0, 1], "passes": [1.0, None], "seconds": [1.0, 1.0], "objective": [1.0, 2.0],
        "gradient_norm": [1.0, 1.0], "held_out": [None, None],
    }  # fmt: skip
    for name in (*fit_outcome.STEP, "watched"):
        assert trace_table([step, step | {name: odd}]) is None


@each("huge", [10**30, 10**400, np.inf, 2**63])
def test_numbers_that_the_table_of_fits_cannot_hold_are_ignored(huge):
    reported = fit_status(SimpleNamespace(n_iter_=huge), [])
    assert reported["iterations"] is None
    assert fit_status(SimpleNamespace(objective_=10**400), [])["objective"] is None
    empty = fit_status(SimpleNamespace(n_iter_=[], objective_=np.array([])), [])
    assert empty["iterations"] is empty["objective"] is None
    table_files.frame("fits", [dict.fromkeys(table_schema("fits")) | reported])


REFUSED = {
    "classifier: foreign_estimators.factory": "'foreign_estimators.factory' is not a class; give that of an estimator",
    "classifier: foreign_estimators.Nope": "'foreign_estimators' has no 'Nope'",
    "classifier: foreign_estimators.nump": "has no 'nump'; correct the path",  # not its module numpy
    "classifier: lazy_library.Nope": "'lazy_library' has no 'Nope'",
    "classifier: foreign_estimators.RequiredArgument": "RequiredArgument needs width; give it under `params:`",
    "classifier: foreign_estimators.scaled": (
        "is not a class; give that of an estimator; a pipeline is `classifier: sklearn.pipeline.Pipeline`"
    ),
    "classifier: foreign_estimators.NeedsWeights": "NeedsWeights.fit needs sample_weight, which a study does not pass",
    "classifier: foreign_estimators.FitsRowsAlone": "FitsRowsAlone.fit takes (X); it must take rows and classes",
    "classifier: foreign_estimators.LooksUp": "LooksUp raises KeyError: 'alpha'",
    "classifier: sklearn.pipeline.Pipeline\nparams: {steps: [[s, sklearn.svm.SVC]]}": (
        "'sklearn.svm.SVC' is a text; write [s, {classifier: sklearn.svm.SVC}]"
    ),
    "classifier: sklearn.pipeline.Pipeline\nparams: {steps: [sklearn.svm.SVC]}": (
        "'sklearn.svm.SVC' is a text; write [svc, {classifier: sklearn.svm.SVC}]"
    ),
    "classifier: sklearn.pipeline.Pipeline\nparams: {steps: [{classifier: sklearn.svm.SVC}]}": "no name; write",
    "classifier: linclass.OneVsRest\nparams: {estimator: linclass.LinearSVM}": (
        "'linclass.LinearSVM' is a text; write {classifier: linclass.LinearSVM}"
    ),
    "classifier: foreign_estimators.Dataclass\nparams: {widht: 1}": (
        "Dataclass has no parameter 'widht'; did you mean 'width'?"
    ),
    "classifier: foreign_estimators.DerivedFromOurs\nparams: {strength: -1}": "strength is -1",
    "classifier: foreign_estimators.DerivedFromTheirs\nparams: {C: -1}": "The 'C' parameter of",
    f"classifier: sklearn.pipeline.Pipeline\nparams: {{steps: [[a, {PLAIN}]]}}\ntune: {{b__width: [1]}}": (
        "Pipeline has no parameter 'b'"
    ),
    "classifier: sklearn.preprocessing.StandardScaler": "has no predict()",
}


@each("lines", REFUSED)
def test_an_unusable_estimator_is_reported_in_one_line(lines):
    ((_, sentence),) = method_problems(yaml.safe_load(lines))
    assert REFUSED[lines] in sentence
    assert "\n" not in sentence
