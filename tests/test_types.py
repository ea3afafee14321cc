"""Type checkers see the public classes: a user's script is free of errors, a misspelled parameter is one."""

import subprocess
import sys

import pytest

import linclass

SCRIPT = """
import numpy as np

import linclass
from linclass import {names}

X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
model = LogisticRegression({parameter}=linclass.strength_of_C(1.0, 20)).fit(X, y)
print(model.predict_proba(X), model.coef_, model.certificate_, linclass.separability(X, y))
print(TunedClassifier(LinearSVM(), cv=3).fit(X, y).predict(X), Ridge().fit(X, y).score(X, y))
"""


def check_types(folder, *command):
    """What a type checker prints of a right script and of one with a misspelled parameter."""
    names = ", ".join(linclass.__all__)
    for file, parameter in (("right.py", "strength"), ("wrong.py", "stength")):
        (folder / file).write_text(SCRIPT.format(names=names, parameter=parameter))
    command = [sys.executable, "-m", *command, "right.py", "wrong.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.clients
def test_pyright_finds_a_misspelled_parameter_and_no_other_error(tmp_path):
    pytest.importorskip("pyright")
    found = check_types(tmp_path, "pyright", "--pythonpath", sys.executable)
    errors = [line for line in found.stdout.splitlines() if " - error: " in line]
    assert len(errors) == 1, found.stdout + found.stderr
    assert "wrong.py" in errors[0]
    assert 'No parameter named "stength"' in errors[0]


@pytest.mark.slow
def test_mypy_finds_a_misspelled_parameter_and_no_other_error(tmp_path):
    pytest.importorskip("mypy")
    found = check_types(tmp_path, "mypy", "--strict", "--config-file=")
    *errors, last = (line for line in found.stdout.splitlines() if ": note:" not in line)
    assert last.startswith("Found 1 error in 1 file"), found.stdout
    assert errors[0].startswith("wrong.py")
    assert 'did you mean "strength"' in errors[0]
