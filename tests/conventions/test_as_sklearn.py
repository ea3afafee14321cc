"""`as_sklearn`: linear models predict as the estimators of scikit-learn that they become, also in other programs."""

import numpy as np
import pandas as pd
import pytest
from cases import each
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

import linclass
from linclass import as_sklearn

X, y = load_iris(return_X_y=True)
PROBABILITIES = (
    "FirthLogisticRegression", "LinearDiscriminantAnalysis", "LogisticRegression", "MultinomialNB",
)  # fmt: skip
SCORES = ("FisherDiscriminant", "LinearSVM", "NearestMean", "Perceptron", "ZeroOneClassifier")
REGRESSORS = ("BayesianLinearRegression", "Lasso", "Ridge", "SupportVectorRegressor")
KIND = (
    dict.fromkeys(PROBABILITIES, LogisticRegression)
    | dict.fromkeys(SCORES, LinearSVC)
    | dict.fromkeys(REGRESSORS, LinearRegression)
)


def fitted(name, n=150):
    """Of the first n rows of iris, the first 100 of which have two classes, or of a regression."""
    model = getattr(linclass, name)()
    if is_regressor(model):
        return model.fit(*load_diabetes(return_X_y=True))
    return model.fit(X[:n], y[:n])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("name", KIND)
def test_a_linear_model_predicts_as_its_copy_in_scikit_learn(name):
    for n in (150, 100):
        model = fitted(name, n)
        made = as_sklearn(model)
        assert type(made) is KIND[name]
        new = np.random.default_rng(1).normal(X.mean(axis=0), 2.0, (200, 4))
        new = np.random.default_rng(1).normal(size=(200, 10)) if is_regressor(model) else new
        assert np.allclose(made.predict(new), model.predict(new), rtol=1e-9)
        if KIND[name] is LogisticRegression:
            assert np.allclose(made.predict_proba(new), model.predict_proba(new), atol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("name", ("CategoricalNB", "KernelSVM", "OrdinalRegression", "QuadraticDiscriminantAnalysis"))
def test_other_models_are_refused(name):
    with pytest.raises(TypeError, match=name):
        as_sklearn(fitted(name))


def test_labels_and_names_of_features_are_kept():
    data = pd.DataFrame(X, columns=list("abcd"))
    model = linclass.LogisticRegression().fit(data, np.array(["u", "v", "w"])[y])
    made = as_sklearn(model)
    assert list(made.feature_names_in_) == list("abcd")
    assert (made.predict(data) == model.predict(data)).all()


@pytest.mark.slow
@pytest.mark.clients
@each("name", ("LogisticRegression", "LinearDiscriminantAnalysis", "Ridge"))
def test_onnxruntime_predicts_as_the_model(name):
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    model = fitted(name)
    rows = (load_diabetes().data if is_regressor(model) else X).astype(np.float32)
    exported = skl2onnx.to_onnx(as_sklearn(model), rows[:1])
    session = onnxruntime.InferenceSession(exported.SerializeToString())
    found = session.run(None, {session.get_inputs()[0].name: rows})[0]
    expected = model.predict(rows.astype(float))
    assert np.allclose(found.ravel(), expected, rtol=1e-4)
