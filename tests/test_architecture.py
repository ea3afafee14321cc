"""The architecture, read from the source: imports, names, lengths of files and functions."""

import ast
import graphlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from linclass import LogisticRegression
from linclass.design.design_matrix import DesignMatrix

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "linclass"
FILES = sorted(PACKAGE.rglob("*.py"))
INITS = sorted(
    file for top in ("linclass", "linclass_study") for file in ROOT.glob(f"{top}/**/__init__.py")
)

PARTS = {"losses", "penalties", "solvers", "families", "kernels"}
STAGES = {
    "features", "transforms", "metrics", "comparisons", "pipeline", "resampling",
}  # fmt: skip
MODELS = {"classifiers", "regressors"}
SHARED = {  # by several models
    "batches", "calibration", "composition",
    "generative", "kernel_machines", "likelihood", "multiclass",
}  # fmt: skip
GROUND = {
    "applicability", "conventions", "decision_theory", "input", "numerics", "statistics", "tables",
}  # fmt: skip

# What a package, or a single file of linclass, must never import.
FORBIDDEN = (
    {part: (PARTS - {part}) | STAGES | SHARED | MODELS for part in PARTS}
    | {ground: PARTS | STAGES | SHARED | MODELS | {"objective"} for ground in GROUND}
    | {  # one may be calibrated on folds of its own
        model: STAGES - {"resampling"} | {"tables"} for model in MODELS
    }
    | dict.fromkeys(STAGES, PARTS | MODELS)
    | {"design": PARTS - {"kernels"} | STAGES | SHARED | MODELS | {"objective", "online"}}
    | {"objective": {"solvers"} | STAGES | SHARED | MODELS}
    | {"proofs": {unit.stem for unit in PACKAGE.iterdir()} - {"proofs", "numerics", "annotations"}}
    | dict.fromkeys(SHARED, MODELS | STAGES)
    | {"selection": STAGES - {"resampling", "tuning", "metrics"} | MODELS}
    | {"metrics": PARTS | STAGES - {"metrics"} | GROUND | MODELS | {"objective"}}
    | {"features": PARTS | STAGES - {"features"} | MODELS}
    | {"transforms": PARTS - {"kernels"} | STAGES - {"transforms"} | MODELS}
    | {"pipeline": PARTS | MODELS | {"features", "transforms", "comparisons"}}
    | {
        bottom: {unit.stem for unit in PACKAGE.iterdir()} - {bottom}
        for bottom in ("annotations", "numerics")
    }
)
OTHERS = MODELS | STAGES  # of the files that are named nowhere above


def unit(file: Path) -> str:
    """The package of a file, or its own name: losses/hinge.py → losses, counted.py → counted."""
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(file: Path, *, only_when_loaded: bool = False) -> Iterator[str]:
    """Dotted names that a file imports; in functions too, unless only what its loading runs."""
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not (only_when_loaded and lazy):
            waiting += ast.iter_child_nodes(node)


def module_file(name: str) -> Path | None:
    """The file that a dotted name lies in."""
    parts = name.split(".")
    while parts:
        path = ROOT.joinpath(*parts)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
        parts.pop()
    return None


def files_of(top: str, file: Path, *, only_when_loaded: bool = False) -> set[Path]:
    """The files of a package that a file imports."""
    names = imports(file, only_when_loaded=only_when_loaded)
    found = {module_file(name) for name in names if name.split(".")[0] == top}
    return {path for path in found if path is not None and path != file}


def of_linclass(file: Path) -> set[Path]:
    return files_of("linclass", file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_run_downwards_only(file: Path) -> None:
    here = unit(file)
    imported = {unit(other) for other in of_linclass(file)} - {here, "__init__"}
    wrong = imported & FORBIDDEN.get(here, OTHERS)
    assert not wrong, f"{here} must not import {sorted(wrong)}"


# Stages of a study, and those that each may build on; files beside them are shared ground.
STUDY_STAGES = {
    "data": set(),
    "study": {"data"},
    "runs": {"data"},
    "jobs": {"data", "study", "runs"},
    "checks": {"data"},
    "results": {"data", "checks"},
    "report": {"data", "checks", "results"},
    "command": {"data", "study", "runs", "jobs", "results", "report", "checks"},
    "textbook": {"data", "study", "report"},
}


@pytest.mark.parametrize("stage", STUDY_STAGES)
def test_a_stage_of_a_study_builds_on_those_before_it_only(stage: str) -> None:
    for file in sorted((ROOT / "linclass_study" / stage).rglob("*.py")):
        names = [name.split(".") for name in imports(file)]
        imported = {name[1] for name in names if name[0] == "linclass_study"} & set(STUDY_STAGES)
        assert imported <= STUDY_STAGES[stage] | {stage}, file


# The steps of a fetch, and those that each may use; files beside them (data/search_folders.py, …) use none.
FETCH_STEPS = {
    "entry": set(),
    "http": set(),
    "unpack": set(),
    "parsing": {"unpack"},
    "sources": {"http", "parsing"},
    "formats": {"parsing", "unpack"},
    "assembly": set(),
    "fetch": {"entry", "unpack", "parsing", "assembly"},
    "": set(),
}


@pytest.mark.parametrize("step", FETCH_STEPS)
def test_a_step_of_a_fetch_uses_those_before_it_only(step: str) -> None:
    folder = ROOT / "linclass_study" / "data" / step
    for file in sorted(folder.glob("*.py")):
        names = [name.split(".") for name in imports(file)]
        used = {name[2] for name in names if name[:2] == ["linclass_study", "data"]}
        assert used & set(FETCH_STEPS) <= FETCH_STEPS[step] | {step}, file


KINDS = {"data/formats", "data/sources", "report/figures", "report/tables"}  # parts found by name


def test_no_two_modules_of_a_study_have_one_name() -> None:
    """But for parts of a kind: a figure and a table may show the same thing."""
    study = ROOT / "linclass_study"
    paths = [path.relative_to(study) for path in study.rglob("*.py") if path.stem[0] != "_"]
    stems = sorted(path.stem for path in paths if str(path.parent) not in KINDS)
    assert len(stems) == len(set(stems)), [a for a, b in pairwise(stems) if a == b]


def attributes(file: Path) -> set[str]:
    """Names after a dot."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize(
    "file", sorted((PACKAGE / "solvers").rglob("*.py")), ids=lambda file: file.stem
)
def test_a_solver_has_products_with_the_rows_and_not_the_rows(file: Path) -> None:
    assert not {"X", "XT", "_XT"} & attributes(file)


@pytest.mark.parametrize("part", ["solvers", "objective", "penalties"])
def test_only_the_objective_divides_by_the_sum_of_weights(part: str) -> None:
    decides = PACKAGE / "objective" / "objective.py"
    for file in sorted({*(PACKAGE / part).rglob("*.py")} - {decides}):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                assert "weights.sum(" not in ast.unparse(node.right), file
    assert "weights / weights.sum()" in decides.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "file", sorted((PACKAGE / "pipeline").glob("*.py")), ids=lambda file: file.name
)
def test_the_pipeline_knows_metrics_by_name_only(file: Path) -> None:
    shared = {PACKAGE / "metrics" / "__init__.py", PACKAGE / "metrics" / "predictions.py"}
    metrics = {path for path in of_linclass(file) if unit(path) == "metrics"}
    assert metrics <= shared


@pytest.mark.parametrize("top", ["linclass", "linclass_study"])
def test_no_file_needs_a_file_that_needs_it(top: str) -> None:
    """Imports inside functions and for type checkers count too."""
    files = sorted((ROOT / top).rglob("*.py"))
    graph = {file: files_of(top, file) for file in files}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(files)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_mathematics_loads_no_heavy_library(file: Path) -> None:
    loaded = {name.split(".")[0] for name in imports(file, only_when_loaded=True)}
    assert not loaded & {"sklearn", "joblib"}
    anywhere = {name.split(".")[0] for name in imports(file)}
    assert not anywhere & {"pandas", "polars", "matplotlib", "snakemake", "yaml", "linclass_study"}
    assert anywhere - {"linclass", "numpy", "scipy", "sklearn"} <= sys.stdlib_module_names


@pytest.mark.parametrize("file", INITS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_init_is_empty_or_lazy(file: Path) -> None:
    loaded = {name.split(".")[0] for name in imports(file, only_when_loaded=True)}
    assert loaded <= sys.stdlib_module_names


def test_the_study_names_the_file_of_what_it_takes_from_a_lazy_package() -> None:
    """The code that a job counts is read from imports: `from linclass.comparisons import friedman` would hide
    friedman_test.py from it."""
    hidden = []
    for file in (ROOT / "linclass_study").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
                continue
            init = ROOT / node.module.replace(".", "/") / "__init__.py"
            if init.exists() and "def __getattr__" in init.read_text():
                own = {
                    n.name
                    for n in ast.parse(init.read_text()).body
                    if isinstance(n, ast.FunctionDef)
                }
                for name in {alias.name for alias in node.names} - own:
                    if not any(
                        (init.parent / f"{name}{ending}").exists() for ending in (".py", "")
                    ):
                        hidden.append(f"{file.relative_to(ROOT)}: {node.module}.{name}")
    assert not hidden


@pytest.mark.parametrize(
    "file",
    [f for name in sorted(MODELS) for f in sorted((PACKAGE / name).glob("[!_]*.py"))],
    ids=lambda f: f.stem,
)
def test_a_classifiers_file_makes_its_class_public(file: Path) -> None:
    import linclass

    names = [n.name for n in ast.parse(file.read_text()).body if isinstance(n, ast.ClassDef)]
    public = [getattr(linclass, name) for name in names if name in linclass.__all__]
    assert f"linclass.{file.parent.name}.{file.stem}" in {found.__module__ for found in public}


@pytest.mark.parametrize("top", ["linclass", "linclass_study"])
def test_no_function_body_has_more_than_50_lines(top: str) -> None:
    """Its docstring is not counted."""
    long = {}
    for file in (ROOT / top).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                if lines > 50:
                    long[f"{file.relative_to(ROOT)}: {node.name}"] = lines
    assert not long


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports them by their names alone."""
    stems = sorted(file.stem for file in (ROOT / "tests").rglob("*.py"))
    twice = {a for a, b in pairwise(stems) if a == b}
    assert twice <= {"conftest", "__init__"}


def test_the_linters_leave_no_file_out() -> None:
    """Such as linclass_study/results, when `results` is excluded by its name."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert not [key for tool in ("ruff", "mypy") for key in config[tool] if "exclude" in key]


def test_no_file_is_called_utils_or_helpers() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git work tree")
    stems = {
        part for line in listed.stdout.splitlines() for part in Path(line).with_suffix("").parts
    }
    assert not stems & {"utils", "util", "helpers", "helper", "misc", "common_utils"}


def files_before_the_first_product(model: Any, X: np.ndarray, y: np.ndarray) -> dict[str, set[str]]:
    """Functions of linclass, by file, that a fit enters until it asks for a product with the rows."""
    products = {getattr(DesignMatrix, name).__code__ for name in ("scores", "scores_of", "pull")}
    entered: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            name = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            entered.setdefault(name, set()).add(code.co_qualname)
            if code in products:
                sys.setprofile(None)

    model.fit(X, y)  # parts are found once
    sys.setprofile(note)
    try:
        model.fit(X, y)
    finally:
        sys.setprofile(None)
    return entered


def test_a_fit_reaches_the_rows_through_few_files() -> None:
    """Model and its base, the interfaces of classifiers and of estimators, validation, composition, penalty, choice and
    base of solvers, objective, Newton's method, and the rows."""
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    entered = files_before_the_first_product(LogisticRegression(), X, y)
    assert {"solvers/smooth/newton.py", "design/design_matrix.py"} <= set(entered)
    assert len(entered) <= 12, sorted(entered)
    assert sum(map(len, entered.values())) <= 54


# Where files of one name are one thing in two kinds: losses.Perceptron and classifiers.Perceptron.
PART_FOLDERS = PARTS | MODELS | {"features", "transforms", "metrics"}


def test_no_two_modules_of_linclass_have_one_name() -> None:
    """But for the bases of kinds, and parts of different kinds."""
    stems = [file.stem for file in FILES if unit(file) not in PART_FOLDERS]
    stems = sorted(stem for stem in stems if stem != "__init__")
    assert len(stems) == len(set(stems)), [a for a, b in pairwise(stems) if a == b]


# One name, several implementations: where they are, as patterns of files below the root.
INTERFACES = {
    "apply": ("linclass/features/*",),  # a feature map
    "bayes_error": (
        "linclass/synthetic/*",
        "linclass/decision_theory/bayes_error.py",
    ),  # of a distribution
    "header_columns": (
        "linclass_study/data/formats/*",
    ),  # their names, from the beginning of a file
    "draw": ("linclass_study/report/figures/*",),  # a figure of the report
    "find": ("linclass/names/parts.py", "linclass/metrics/__init__.py"),  # a part by its name
    "main": (  # what a process runs
        "linclass_study/command/__main__.py",
        "linclass_study/guarded_child.py",
    ),
    "make": ("linclass_study/report/tables/*",),  # a table of the report
    "names": (
        "linclass/names/parts.py",
        "linclass/metrics/__init__.py",
        "linclass/synthetic/__init__.py",
    ),
    "asked": ("linclass_study/report/figures/*",),  # does a study ask for what the figure shows
    "offers": ("linclass_study/data/sources/*",),  # the files or calls of a source
    "read": ("linclass_study/data/formats/*",),  # a file of a format
}


def is_a_part(node: ast.stmt, file: Path) -> bool:
    """A class of a kind of parts, named as its file: losses.Perceptron and classifiers.Perceptron."""
    name = "".join(file.stem.title().split("_")).lower()
    return (
        isinstance(node, ast.ClassDef) and unit(file) in PART_FOLDERS and node.name.lower() == name
    )


def test_a_public_function_or_class_has_a_name_of_its_own() -> None:
    """But for parts of different kinds, and implementations of one interface."""
    places: dict[str, set[str]] = {}
    for file in sorted([*FILES, *(ROOT / "linclass_study").rglob("*.py")]):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name[0] == "_":
                continue
            path = file.relative_to(ROOT)
            meant = any(path.match(pattern) for pattern in INTERFACES.get(node.name, ()))
            if not meant and not (file in FILES and is_a_part(node, file)):
                places.setdefault(node.name, set()).add(str(path))
    taken = INTERFACES.keys() & places.keys()
    twice = {name: found for name, found in places.items() if len(found) > 1 or name in taken}
    assert not twice


@pytest.mark.parametrize("name", INTERFACES)
def test_an_interface_has_several_implementations(name: str) -> None:
    """Otherwise it is one function, which needs no exception."""
    files = {
        file for pattern in INTERFACES[name] for file in ROOT.glob(pattern) if file.suffix == ".py"
    }
    texts = [file.read_text(encoding="utf-8") for file in sorted(files)]
    assert sum(f"\ndef {name}(" in text for text in texts) > 1


def test_many_fits_have_one_entry() -> None:
    """`fit_many` is written once; estimators say which models share work, and how those are fitted."""
    entries = [f for f in FILES if "def fit_many(" in f.read_text(encoding="utf-8")]
    assert [f.relative_to(PACKAGE).as_posix() for f in entries] == ["conventions/many_fits.py"]
