"""The architecture, read from the source and measured on whole fits."""

import ast
import functools
import graphlib
import inspect
import os
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from cases import each

import linclass
from linclass.base.public import module_of

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "linclass"
FILES = {top: sorted((ROOT / top).rglob("*.py")) for top in ("linclass", "linclass_study")}

# Packages of linclass, each with those that it may import.
LAYERS = {
    "base": set(),
    "evaluation": {"base"},
    "separation": {"base"},
    "discriminant": {"base"},
    "naive_bayes": {"base", "discriminant"},
    "linear": {"base", "separation", "discriminant"},
    "online": {"base", "discriminant", "linear"},
    "kernels": {"base", "linear"},
    "bayes": {"base", "discriminant", "linear", "kernels"},
    "tuning": {"base", "evaluation", "linear"},
    "multiclass": {"base", "linear", "tuning"},
    "preprocessing": {"base", "kernels"},
    "datasets": {"base", "evaluation"},
}


def packages_of_the_study():
    """Each package of the study with those that it imports, from the list in README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = text.partition("\nlinclass_study/ ")[2].partition("\nSnakefile")[0]
    found, (alone,) = {}, re.findall(r"every package but (\w+)/ imports files/", listed)
    for package in re.split(r"\n  (?=\w)", listed)[1:]:
        name, _, imported = package.partition("/")[0], *package.partition("←")[1:]
        found[name] = {"files", *re.findall(r"\w+", imported)} - {
            name,
            *["files"] * (name == alone),
        }
    return found


@functools.cache
def imports(file, only_when_loaded=False):
    """Dotted names that a file imports; in functions too, unless only what its loading runs."""
    waiting, found = [ast.parse(file.read_text(encoding="utf-8"))], []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        lazy |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not (only_when_loaded and lazy):
            inner = ast.iter_child_nodes(node)
            waiting += [child for child in inner if not isinstance(child, ast.expr)]
    return found


@functools.cache
def module_file(name):
    """The file that a dotted name lies in."""
    parts = name.split(".")
    while parts:
        path = ROOT.joinpath(*parts)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
        parts.pop()
    return None


@functools.cache
def files_of(top, file):
    """The files of a package that a file imports."""
    found = {module_file(name) for name in imports(file) if name.split(".")[0] == top}
    return {path for path in found if path is not None and path != file}


@each(("top", "allowed"), [("linclass", LAYERS), ("linclass_study", packages_of_the_study())])
def test_packages_import_only_lower_packages(top, allowed):
    tuple(graphlib.TopologicalSorter(allowed).static_order())  # has no circle
    wrong, unused = [], {(here, there) for here in allowed for there in allowed[here]}
    for file in FILES[top]:
        here = file.relative_to(ROOT / top).parts[0]
        for other in files_of(top, file):
            there = other.relative_to(ROOT / top).parts[0]
            unused.discard((here, there))
            if there in allowed and here in allowed and there not in allowed[here] | {here}:
                wrong.append(f"{file.relative_to(ROOT)} imports {other.relative_to(ROOT)}")
    assert not wrong
    assert not unused
    folders = {path.name for path in (ROOT / top).iterdir() if (path / "__init__.py").exists()}
    assert folders == set(allowed)


def test_linclass_has_at_most_15_entries():
    modules = {path.name for path in PACKAGE.glob("*.py")}
    assert modules == {"__init__.py", "plotting.py"}
    assert len({*LAYERS, *modules}) <= 15


@each("top", FILES)
def test_imports_between_files_are_not_circular(top):
    """Imports inside functions and for type checkers count too."""
    graph = {file: files_of(top, file) for file in FILES[top]}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(graph)


def test_a_package_that_one_other_package_imports_lives_inside_it():
    users = {name: set() for name in LAYERS}
    for file in [*FILES["linclass"], *FILES["linclass_study"]]:
        here = file.relative_to(ROOT).parts
        for other in files_of("linclass", file):
            there = other.relative_to(PACKAGE).parts[0]
            if there in users and here[:2] != ("linclass", there):
                users[there].add("/".join(here[:2] if here[0] == "linclass" else here[:1]))
    public = {module_of(name).split(".")[1] for name in linclass.__all__}
    assert not {name for name, found in users.items() if len(found) == 1 and name not in public} - {
        "preprocessing", "datasets",  # public by their modules
    }  # fmt: skip


def test_linclass_loads_no_library_of_the_study():
    for file in FILES["linclass"]:
        loaded = {name.split(".")[0] for name in imports(file, only_when_loaded=True)}
        assert "joblib" not in loaded, file
        anywhere = {name.split(".")[0] for name in imports(file)}
        known = {"linclass", "numpy", "scipy", "sklearn"} | sys.stdlib_module_names
        if file == PACKAGE / "plotting.py":
            known |= {"matplotlib", "contourpy"}
        assert anywhere <= known, file


def test_every_init_is_empty_or_lazy():
    for file in [*FILES["linclass"], *FILES["linclass_study"]]:
        if file.name == "__init__.py":
            names = {"linclass.base.public.MODULES", "linclass.base.public.SUBMODULES"}
            loaded = {*imports(file, only_when_loaded=True)} - names
            assert {name.split(".")[0] for name in loaded} <= sys.stdlib_module_names, file


def test_the_study_imports_modules_and_not_names_from_lazy_packages():
    """The code that a fit depends on is read from imports: `from comparisons import friedman` would hide its module."""
    hidden = []
    for file in FILES["linclass_study"]:
        for name in imports(file):
            package, _, member = name.rpartition(".")
            init = ROOT.joinpath(*package.split("."), "__init__.py")
            text = init.read_text(encoding="utf-8") if init.is_file() else ""
            own = f"\ndef {member}(" in text or f"\nclass {member}" in text
            if "def __getattr__" in text and not own and module_file(name) == init:
                hidden.append(f"{file.relative_to(ROOT)}: {name}")
    assert not hidden


def test_solvers_use_products_with_the_rows_and_not_the_rows():
    for file in (PACKAGE / "linear" / "solvers").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not {"X", "XT", "_XT"} & names, file


def test_only_the_objective_divides_by_the_sum_of_weights():
    decides = PACKAGE / "linear" / "objective" / "objective.py"
    for part in ("solvers", "objective", "penalties"):
        for file in {*(PACKAGE / "linear" / part).rglob("*.py")} - {decides}:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                    assert "weights.sum(" not in ast.unparse(node.right), file
    assert "weights / weights.sum()" in decides.read_text(encoding="utf-8")


def test_linters_check_every_file():
    """None is excluded by its name, as `results` would be."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert not [key for tool in ("ruff", "mypy") for key in config[tool] if "exclude" in key]


def test_models_have_few_ancestors():
    """Classes of linclass that one has to read to know a model, itself included."""
    counts = {}
    for name in linclass.__all__:
        kind = getattr(linclass, name)
        if inspect.isclass(kind):
            counts[name] = sum(c.__module__.startswith("linclass.") for c in kind.__mro__)
    assert max(counts.values()) <= 6, counts


def entered_by_a_fit(model, X, y):
    """Functions of linclass, by file, that a whole fit enters."""
    entered = {}

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            name = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            entered.setdefault(name, set()).add(code.co_qualname)

    model.fit(X, y)  # modules are imported once
    sys.setprofile(note)
    try:
        model.fit(X, y)
    finally:
        sys.setprofile(None)
    return entered


@each(("model", "files", "functions"), [
    (linclass.LogisticRegression(), 16, 86),
    (linclass.LogisticRegression(penalty="l1", strength=0.01), 19, 127),
    (linclass.LinearSVM(), 21, 137),
    (linclass.LinearDiscriminantAnalysis(), 9, 48),
], ids=["logistic", "logistic_l1", "svm", "lda"])  # fmt: skip
def test_a_whole_fit_enters_few_files_and_functions(model, files, functions):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 10))
    y = (X[:, 0] + rng.standard_normal(300) > 0).astype(int)
    entered = entered_by_a_fit(model, X, y)
    assert len(entered) <= files, sorted(entered)
    assert sum(map(len, entered.values())) <= functions


# Tests of one `xdist_group` run in one process: they share a costly study, a browser or the one Slurm of a machine


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process alone (-n0)")
@pytest.mark.xdist_group("shared")
def test_pytest_xdist_keeps_groups_together(request):
    assert request.node.nodeid.endswith("@shared"), "pytest-xdist ignores xdist_group"
