"""Coefficients by name give the scores of the rows in their original units, or are absent."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import linclass
from linclass.base.predicted import predictions_of
from linclass.base.tables import Table
from linclass_study.pipeline import coefficients
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms

STEPS = (("impute", {}), ("one_hot", {}), ("standardize", {}))
# no standardized feature is a count
COUNTS = {"CategoricalNB", "MultinomialNB", "PoissonNB", "Winnow"}
LINEAR = [
    name
    for name in linclass.__all__
    if name[0].isupper() and hasattr(getattr(linclass, name), "decision_function")
]
TWO_CLASSES = ("ProbitRegression", "RelevanceVectorMachine", "SecondOrderPerceptron", "Winnow")
OTHER_SCORES = ("BayesianLogisticRegression", "OrdinalRegression")  # moderated; of thresholds


def rows(K, n=90):
    """Two measured features far from 0 and of different units, and one of three colours."""
    rng = np.random.default_rng(K)
    y = (np.arange(n) % K).astype(np.int32)
    X = rng.normal(size=(n, 2)) * [3.0, 0.01] + [100.0, 2.0] + y[:, None] * [4.0, 0.02]
    colour = rng.integers(0, 3, n)
    names, levels = ("age", "dose", "colour"), {"colour": ("blue", "green", "red")}
    table = Table(np.column_stack([X, colour]), names, levels)
    return table, y


def fitted(method, K):
    table, y = rows(K)
    return fit_method(method, table, y, Task(K, K - 1), seed=1), table, y


def read(fit, table):
    ready = fit.ready(table)
    score = fit.predict_transformed(ready)[1]
    return coefficients.of_fit(fit.estimator, fit.transforms, ready, score)


def centred(Z):
    return Z - Z.mean(axis=1, keepdims=True)


@each(("name", "standardized", "K"), [
    (name, standardized, K)
    for name, standardized, K in product(LINEAR, [True, False], [2, 3])
    if not (standardized and name in COUNTS) and not (K > 2 and name in TWO_CLASSES)
], quick=80)  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_coefficients_give_the_scores_of_rows_in_original_units(name, standardized, K):
    steps = STEPS if standardized else STEPS[:2]
    fit, table, _ = fitted(Method(getattr(linclass, name), transforms=steps), K)
    found = read(fit, table)
    if not hasattr(fit.estimator, "coef_"):
        assert found is None or name == "OneVsOne"  # whose two classes are one problem
        return
    if name in OTHER_SCORES or (name == "BernoulliNB" and standardized):  # linear in x > 0
        assert found is None
        return
    assert found is not None
    assert tuple(found.names) == ("age", "dose", "colour=green", "colour=red")
    _, indicators = fit_transforms(STEPS[:2], table, np.zeros(0))
    Z = indicators.X @ found.W.T + found.b
    Z = np.hstack([-Z / 2, Z / 2]) if K == 2 else Z
    score = fit.predict(table)[1]
    assert_allclose(centred(Z), centred(score), atol=1e-7 * np.abs(score).max() + 1e-12)
    assert (found.scale[:2] > 0).all()
    scale = table.X[:, :2].std(axis=0) if standardized else 1.0
    assert_allclose(found.scale[:2], scale, rtol=1e-9)


def foreign(estimator, K=3):
    """Coefficients read from a foreign estimator fitted to the raw rows without colours."""
    table, y = rows(K)
    table = table.columns(np.array([0, 1]))
    estimator.fit(table.X, y)
    output = predictions_of(estimator, table.X, K)
    return coefficients.of_fit(estimator, [], table, output[1]), table, output[1]


@each("estimator", [
    make_pipeline(StandardScaler(), Theirs()),
    make_pipeline(StandardScaler(with_mean=False), RidgeClassifier()),
    GridSearchCV(make_pipeline(StandardScaler(), Theirs()), {"logisticregression__C": [1, 2]}),
    OneVsRestClassifier(RidgeClassifier()),
    Theirs(max_iter=20_000),
])  # fmt: skip
def test_coefficients_of_foreign_estimators_give_their_scores(estimator):
    found, table, score = foreign(estimator)
    assert found is not None
    assert tuple(found.names) == ("age", "dose")
    Z = table.X @ found.W.T + found.b
    assert_allclose(centred(Z), centred(score), atol=1e-6)


@each(("steps", "names"), [
    ([PCA(2)], ("pca0", "pca1")),
    ([StandardScaler(), SelectKBest(k="all")], ("standardscaler(age)", "standardscaler(dose)")),
    ([StandardScaler(), PCA(1)], ("pca0",)),
    ([MinMaxScaler()], ("minmaxscaler(age)", "minmaxscaler(dose)")),
    ([MinMaxScaler(), StandardScaler()], ("minmaxscaler(age)", "minmaxscaler(dose)")),
])  # fmt: skip
def test_coefficients_of_a_pipeline_have_its_output_names(steps, names):
    assert tuple(foreign(make_pipeline(*steps, Theirs()))[0].names) == names


@each(("step", "names"), [
    (SimpleImputer(missing_values=0), ("age", "dose")),
    (FunctionTransformer(np.abs, feature_names_out="one-to-one"), ("step(age)", "step(dose)")),
])  # fmt: skip
@each("strange", [False, True])
def test_names_are_the_same_whether_or_not_the_rows_shown_are_changed_by_a_step(
    strange, step, names
):
    """An imputer keeps known values; a step that may change a feature appears in its name."""
    table, y = rows(2)
    table = table.columns(np.array([0, 1]))
    X = table.X.copy()
    X[20:25, 0] = 0  # beyond the rows that are looked at
    if strange:
        X[0, 0] = 0
    model = Pipeline([("step", step), ("scale", StandardScaler()), ("last", Theirs())]).fit(X, y)
    found = coefficients.of_fit(model, [], replace(table, X=X), predictions_of(model, X, 2)[1])
    assert found is not None
    assert found.names == names


LOGISTIC = Method(linclass.LogisticRegression, transforms=STEPS)


def test_names_of_one_fit_differ():
    """A column is called as the indicator of another."""
    table, y = rows(2)
    table = replace(table, names=("age", "colour=green", "colour"))
    fit = fit_method(LOGISTIC, table, y, Task(2, 1), seed=1)
    assert read(fit, table).names == ("age", "colour=green", "colour=green (2)", "colour=red")
    repeated = replace(fit.ready(table), names=("a", "b", "a", "a (2)"))
    found = coefficients.of_fit(fit.estimator, fit.transforms, repeated)
    assert found.names == ("a", "b", "a (3)", "a (2)")


class Pairs(SVC):
    """Its coef_ has a row for each pair of classes, of which three classes have three."""

    def __init__(self):
        super().__init__(kernel="linear", decision_function_shape="ovr")


class Liar(RidgeClassifier):
    """Whose scores are not linear in the features."""

    def decision_function(self, X):
        return super().decision_function(X) ** 3


class Broken(RidgeClassifier):
    @property
    def named_steps(self):
        raise RuntimeError("not now")


@each("estimator", [Pairs(), Liar(), Broken()])
def test_coefficients_that_do_not_give_the_scores_are_not_believed(estimator):
    assert foreign(estimator)[0] is None


def test_the_largest_coefficients_per_standard_deviation_are_reported():
    W = np.array([[1.0, -3.0, 0.0, 2.0], [0.0, 0.0, 0.0, 5.0]])
    found = coefficients.Coefficients("abcd", W, np.zeros(2), np.array([9.0, 1.0, 1.0, 1.0]))
    assert [places.tolist() for places in found.largest(2)] == [[0, 1], [3]]
    assert [places.tolist() for places in found.largest(4)] == [[0, 1, 2, 3]] * 2
