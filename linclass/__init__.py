"""Linear classifiers of the textbooks, from the equations, in NumPy, with scikit-learn's interface.

    from linclass import LogisticRegression
    LogisticRegression(strength=0.01).fit(X, y).predict_proba(X)

``help(linclass.LogisticRegression)`` is about one model, ``dir(linclass)`` lists their names, and docs/models.md has
the equation, cost and source of each. The families, with some of their models:

any loss and penalty   LinearClassifier
least squares          LeastSquaresClassifier
logistic regression    LogisticRegression, ProbitRegression, OrdinalRegression, FirthLogisticRegression,
                       BayesianLogisticRegression
margins and kernels    LinearSVM, KernelSVM, KernelLogisticRegression, KernelPerceptron, RelevanceVectorMachine
discriminants          LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, FisherDiscriminant, NearestMean …
naive Bayes            GaussianNB, BernoulliNB, MultinomialNB, ExponentialFamilyNB …
row by row             Perceptron, AveragedPerceptron, PassiveAggressive, Adaline, Winnow …
fewest errors          ZeroOneClassifier
around a model         TunedClassifier, Calibrated, OneVsRest, OneVsOne, ErrorCorrectingOutputCodes
regression             LinearRegression, Ridge, Lasso, ElasticNet, LeastAngleRegression, BayesianLinearRegression …
functions              decide, separability, largest_margin, parameter_path

A class is in the file with its name in snake case, ``linclass/classifiers/logistic_regression.py``; names are imported
on first use. A new classifier or regressor is public as soon as its file exists.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

_FUNCTIONS = {
    "decide": "linclass.decision_theory.risk",
    "largest_margin": "linclass.separability",
    "parameter_path": "linclass.selection.paths",
    "separability": "linclass.separability",
}
_ROOT = Path(__file__).parent
_FOLDERS = ("classifiers", "regressors")


def module_of(name: str) -> str:
    """LinearDiscriminantAnalysis → linclass.classifiers.linear_discriminant_analysis."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    folder = next((f for f in _FOLDERS if (_ROOT / f / f"{words}.py").is_file()), _FOLDERS[0])
    return f"linclass.{folder}.{words}"


def _classes() -> list[str]:
    """Classes that their files are named after."""
    found = []
    for folder in _FOLDERS:
        for file in sorted((_ROOT / folder).glob("[!_]*.py")):
            text = file.read_text(encoding="utf-8")
            names = re.findall(r"^class ([A-Z]\w*)", text, flags=re.MULTILINE)
            found += [name for name in names if module_of(name).endswith(f".{file.stem}")]
    return found


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    module = module_of(name)
    if name[:1].isupper() and _ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py").is_file():
        value = getattr(import_module(module), name)
        globals()[name] = value
        return value
    if (_ROOT / name / "__init__.py").is_file() or (_ROOT / f"{name}.py").is_file():
        return import_module(f"linclass.{name}")
    from linclass.names.other_names import CLASSES, nearest

    near = nearest(name, __dir__(), CLASSES.get(name))
    hint = f"; did you mean {near!r}?" if near else ""
    raise AttributeError(f"module 'linclass' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*_classes(), *_FUNCTIONS])
