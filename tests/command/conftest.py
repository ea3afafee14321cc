"""Small made-up results, copied for each test, and the command line called as a shell would."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from finished_results import made_up

from linclass_study.command.__main__ import main


@dataclass
class Output:
    code: int
    lines: list[str]
    errors: list[str]

    @property
    def text(self):
        return "\n".join(self.lines)


@pytest.fixture
def linclass(capsys):
    """linclass('verify', a, b): what the command printed, and how it ended."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Output(code, printed.out.splitlines(), printed.err.splitlines())

    return call


@pytest.fixture
def refused(linclass):
    """refused('verify', a, b): the one line of an error with exit code 2."""

    def call(*arguments):
        output = linclass(*arguments)
        assert (output.code, len(output.errors), output.lines) == (2, 1, []), (arguments, output)
        return output.errors[0]

    return call


@pytest.fixture
def merged(linclass, tmp_path):
    """merged(a, b): the folder that `linclass merge` makes of them."""

    def call(*sources, into="c"):
        output = linclass("merge", *sources, "--into", tmp_path / into)
        assert (output.code, output.errors) == (0, []), output
        return tmp_path / into

    return call


@pytest.fixture(scope="session")
def _made(tmp_path_factory):
    return made_up(tmp_path_factory.mktemp("made") / "results")


@pytest.fixture
def a(_made, tmp_path):
    return Path(shutil.copytree(_made, tmp_path / "a"))


@pytest.fixture
def b(_made, tmp_path):
    """The same results once more."""
    return Path(shutil.copytree(_made, tmp_path / "b"))
