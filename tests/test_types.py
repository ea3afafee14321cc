"""Type checkers see the public classes: a user's script is free of errors, a misspelled parameter is one."""

import subprocess
import sys

import pytest

import linclass

pytest.importorskip("mypy")
SCRIPT = """
import numpy as np

import linclass
from linclass import {names}

X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
model = LogisticRegression({parameter}=linclass.strength_of_C(1.0, 20)).fit(X, y)
print(model.predict_proba(X), model.coef_, model.certificate_, linclass.separability(X, y))
print(TunedClassifier(LinearSVM(), cv=3).fit(X, y).predict(X), Ridge().fit(X, y).score(X, y))
"""


@pytest.mark.slow
def test_public_names_have_types_and_a_misspelled_parameter_is_an_error(tmp_path):
    names = ", ".join(linclass.__all__)
    for file, parameter in (("right.py", "strength"), ("wrong.py", "stength")):
        (tmp_path / file).write_text(SCRIPT.format(names=names, parameter=parameter))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "right.py", "wrong.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    *errors, last = (line for line in found.stdout.splitlines() if ": note:" not in line)
    assert last.startswith("Found 1 error in 1 file"), found.stdout
    assert errors[0].startswith("wrong.py")
    assert 'did you mean "strength"' in errors[0]
