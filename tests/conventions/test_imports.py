"""Importing linclass loads few modules, as thousands of jobs do it."""

import ast
import subprocess
import sys

HEAVY = ("sklearn", "pandas", "polars", "matplotlib", "snakemake", "joblib")

FIT_AND_PREDICT_EVERYTHING = """
import sys, warnings
import numpy as np, scipy.sparse as sp
import linclass

from linclass.base.classifier import Classifier

rng = np.random.default_rng(0)
X, y = rng.poisson(3.0, size=(40, 3)).astype(float), np.arange(40) % 2
X[:, 0] += 30 * y  # all converge: the warning of those that do not is scikit-learn's
Z = (X - X.mean(axis=0)) / X.std(axis=0)
for name in linclass.__all__:
    if not name[0].isupper():
        continue
    estimator = getattr(linclass, name)()
    own = Z if name == "Adaline" else X  # whose steps are small where units differ
    target = y if isinstance(estimator, Classifier) else y + 0.5
    for rows in (own, sp.csr_array(own)):
        estimator.fit(rows, target).predict(rows)
    if hasattr(estimator, "predict_proba"):
        estimator.predict_proba(own)
    estimator.score(X, target), repr(estimator), estimator.get_params()
"""


def loaded_by(code: str) -> set[str]:
    """The heavy libraries in memory after `code` has run in a Python of its own."""
    code += f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(ast.literal_eval(run.stdout.strip().splitlines()[-1]))


def test_importing_linclass_loads_no_heavy_library() -> None:
    assert not loaded_by("import linclass")


def test_touching_every_class_loads_no_heavy_library() -> None:
    assert not loaded_by("import linclass; [getattr(linclass, name) for name in linclass.__all__]")


def test_fitting_and_predicting_loads_no_heavy_library() -> None:
    assert not loaded_by(FIT_AND_PREDICT_EVERYTHING)


def test_a_fit_that_ends_early_in_silence_loads_no_heavy_library() -> None:
    """As those of the workflow, which takes its status from the fit."""
    assert not loaded_by(
        "import linclass, numpy as np\n"
        "from linclass.base.messages import silently\n"
        "with silently():\n"
        "    model = linclass.Perceptron(max_iter=2).fit(np.zeros((4, 1)), [0, 1, 0, 1])\n"
        "assert model.status_ == 'max_iter'"
    )


def test_pipeline_metrics_and_transforms_load_no_heavy_library() -> None:
    assert not loaded_by(
        "import linclass_study.pipeline, linclass.preprocessing.transforms.one_hot\n"
        "import linclass.preprocessing.features.quadratic\n"
        "from linclass.evaluation import metrics; metrics.names()"
    )


def test_packages_are_attributes_and_typos_have_a_hint() -> None:
    code = (
        "import linclass\n"
        "linclass.datasets.generate, linclass.evaluation, linclass.linear\n"
        "try: linclass.LogisticRegresion\n"
        "except AttributeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "did you mean 'LogisticRegression'?" in done.stdout
