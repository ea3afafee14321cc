"""Type checkers see the public classes: a user's script is free of errors, a misspelled parameter is one."""

from __future__ import annotations

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


def checked(folder, parameter: str) -> str:
    script = folder / "script.py"
    script.write_text(SCRIPT.format(names=", ".join(linclass.__all__), parameter=parameter))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", script.name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_a_script_of_public_names_has_no_type_errors(tmp_path):
    assert checked(tmp_path, "strength").startswith("Success")


@pytest.mark.slow
def test_a_misspelled_parameter_is_a_type_error(tmp_path):
    found = checked(tmp_path, "stength").splitlines()
    assert [line for line in found if ": error:" in line and 'did you mean "strength"' in line]
    assert found[-1].startswith("Found 1 error")
