"""The source files that a job depends on, so that an edit reruns exactly the jobs that use the file.

Imports are read from the source (ast), without importing anything. Files of this project, of the working directory, on
PYTHONPATH and of editable installs are followed (module_files.py); an installed library counts with its version. Parts
that are imported by name count where they are named: a method's classifier, transforms, features and tuning metric.

A file counts with its abstract syntax tree, without docstrings: comments and formatting change no digest. In a user's
module that reads docstrings they count.

The study's own modules among these files are recorded with it, so that others can run it again.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from linclass.base import parts
from linclass.base.public import module_of
from linclass.evaluation import metrics
from linclass.tuning import selection
from linclass_study.config.estimator_check import inner_entries
from linclass_study.config.module_files import files_of, name_of_package
from linclass_study.entries import Entry, named_steps
from linclass_study.errors import StudyError
from linclass_study.files.digests import short_digest
from linclass_study.files.disk_cache import computed_of_file, computed_once, state_of_project
from linclass_study.pipeline.method import Method
from linclass_study.project import OURS, PACKAGES, ROOT
from linclass_study.protocols import own_metrics

# started by name: execution/fit_run.py, guard.py
CHILD = ("linclass_study.processes.guarded_child", "linclass_study.execution.worker")

# whose libraries do not count
PROJECT = (*(PACKAGES / name for name in OURS), ROOT / "workflow", ROOT / "textbook")

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of statements within a statement

# names by which a module reads docstrings or source
READ_TEXT = (b"__doc__", b"getdoc", b"getsource")

# a module and the file it reads
READS = {"linclass_study/files/tables.py": "workflow/schemas/tables.yaml"}


def modules_of_method(entry: Entry, tune_metric: str) -> list[str]:
    """Modules that the fits of an entry import by name."""
    tuned = metrics.modules_of(tune_metric) if entry.get("tune") else []
    return [*CHILD, *_modules_of_entry(entry), *tuned]


def libraries_of_methods(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Installed library that foreign methods, or modules of the user, import → version."""
    modules = {module for entry in entries for module in _modules_of_entry(entry)}
    foreign = [module for module in modules if not module.startswith("linclass.")]
    installed = sorted(closure([], foreign)[1] & _distributions().keys())
    return {_distributions()[name][0]: _version(name) for name in installed}


def modules_of_features(steps: Iterable[Any]) -> list[str]:
    """Modules of feature maps, by their names or import paths."""
    return [
        name.rpartition(".")[0] if "." in name else parts.module_of("features", name)
        for name, _ in named_steps(steps)
    ]


def code_digest(files: Iterable[Path], modules: Iterable[str], reads: Iterable[Path] = ()) -> str:
    """Digest of the code of all files that these files and modules import, and of the versions of libraries."""
    sources, libraries = closure(files, modules)
    read = {
        *reads,
        *(ROOT / file for module, file in READS.items() if PACKAGES / module in sources),
    }
    lines = [f"{_shown(path)} {_read(path)[1]}" for path in sorted(sources)]
    lines += [f"{_shown(path)} {short_digest(path.read_bytes())}" for path in sorted(read)]
    lines += [f"{name} {_version(name)}" for name in sorted(libraries)]
    return short_digest("\n".join(lines), size=8)


def closure(files: Iterable[Path], modules: Iterable[str]) -> tuple[set[Path], set[str]]:
    """(source files reached from these files and modules, top-level names of the libraries that are named or that
    the user's files import).
    """
    sources: set[Path] = set()
    libraries: set[str] = set()
    waiting = list(files)
    for module in modules:
        members = files_of(module)
        waiting += members
        if not members:
            libraries.add(module.partition(".")[0])  # an installed library: its version counts
    while waiting:
        path = waiting.pop()
        if path not in sources:
            sources.add(path)
            files_of_path, libraries_of_path = _imported(path)
            waiting += files_of_path
            libraries |= libraries_of_path
    return sources, libraries - sys.stdlib_module_names


@cache
def _imported(path: Path) -> tuple[frozenset[Path], frozenset[str]]:
    """(source files, and of a user's file top-level names of libraries) that a source file imports."""
    imports = {name: files_of(name) for name in _read(path)[0]}
    libraries = () if _is_ours(path) else (n.partition(".")[0] for n in imports if not imports[n])
    return frozenset(file for files in imports.values() for file in files), frozenset(libraries)


def modules_named(entry: Entry) -> Iterator[str]:
    """Modules of the classes that an entry names by their import paths, the inner ones included."""
    steps = [*named_steps(entry.get("transforms")), *named_steps(entry.get("features"))]
    inner = [one for part in ("params", "tune") for _, one in inner_entries(entry.get(part) or {})]
    yield str(entry["classifier"]).rpartition(".")[0]
    yield from (name.rpartition(".")[0] for name, _ in steps if "." in name)
    for one in [*inner, *(one for _, options in steps for _, one in inner_entries(options))]:
        yield from modules_named(one)


def _modules_of_entry(entry: Entry) -> list[str]:
    """Kept for the next process where it follows from linclass alone, whose estimators are constructed to know it."""
    if any(module.partition(".")[0] not in OURS for module in modules_named(entry)):
        return [*_module_names(entry)]
    name = f"modules {short_digest(json.dumps(entry, default=str))}"
    return list(computed_once(name, [state_of_project()], lambda: [*_module_names(entry)]))


def _module_names(entry: Entry) -> Iterable[str]:
    package, _, name = entry["classifier"].rpartition(".")
    yield module_of(name) if package == "linclass" else package
    if package.partition(".")[0] == "linclass":
        method = Method.from_entry(entry)
        if hasattr(method.classifier, "parts"):  # loss, penalty and solvers, imported by name
            for chosen in selection.candidates(method.tune):
                yield from method.estimator(**chosen).parts()
    elif not all(isinstance(values, list) for values in (entry.get("tune") or {}).values()):
        # paths of strengths of foreign estimators (linclass/tuning/paths.py) use these models and all their parts:
        # which of them is known only when the foreign library is imported
        yield from map(module_of, ("LinearClassifier", "KernelSVM", "Ridge", "Lasso", "ElasticNet"))
        for kind in ("losses", "penalties", "kernels", "solvers"):
            yield from (parts.module_of(kind, name) for name in parts.names(kind))
    for name, options in named_steps(entry.get("transforms")):
        if "." in name:
            yield from _module_names({"classifier": name, "params": options})
        else:
            yield parts.module_of("transforms", name)
    for part in ("params", "tune"):
        for _, inner in inner_entries(entry.get(part) or {}):
            yield from _module_names(inner)


@cache
def _read(path: Path) -> tuple[tuple[str, ...], str]:
    """(imports, digest) of a source file. The digest is that of its syntax tree; of its bytes if it is not Python, or a
    user's module that may read docstrings.

    Imports are dotted names; of `from a import b` both a and a.b, either may be the module.
    """
    # relative imports of a user's module depend on the folder in which it is found
    place, this_module = ROOT if _is_ours(path) else Path.cwd(), os.stat(__file__)
    name = f"source {sys.version_info[:2]} {this_module.st_size} {this_module.st_mtime_ns} {place}"
    names, digest = computed_of_file(name, path, lambda: _parsed(path))
    return tuple(names), digest


def _parsed(path: Path) -> tuple[list[str], str]:
    content = path.read_bytes()
    names: list[str] = []
    if path.suffix != ".py":  # compiled, or an archive
        return names, short_digest(content)
    try:
        tree = ast.parse(content)
    except SyntaxError as error:
        raise StudyError(f"{_shown(path)}, line {error.lineno}: not Python ({error.msg})") from None
    for node in _executed_statements(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name_of_package(path.parents[node.level - 1])
                base = ".".join(filter(None, (package, base)))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    if _is_ours(path) or not any(word in content for word in READ_TEXT):
        content = syntax(tree).encode()
    return names, short_digest(content)


def syntax(tree: ast.AST) -> str:
    """The nodes of a syntax tree without strings that stand alone (docstrings); empty fields, in which versions of
    Python differ, are left out. Much faster than `ast.dump`."""
    parts: list[Any] = []
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            children = [
                item
                for item in node
                if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
                or not isinstance(item.value.value, str)
            ]
            parts.append(len(children))
            waiting += children
        elif isinstance(node, ast.AST):
            parts.append(type(node).__name__)
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list | ast.AST):
                    if value != []:
                        parts.append(name)
                        waiting.append(value)
                elif value is not None:
                    parts.append((name, value))
        else:
            parts.append(node)
    return repr(parts)


def _executed_statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements but those that only type checkers read. Expressions, most of a file, hold none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += (inside for block in BLOCKS for inside in getattr(node, block, ()))


@cache
def _is_ours(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in PROJECT)


@cache
def _version(name: str) -> str:
    for distribution in _distributions().get(name, [name]):
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(distribution)
    return "unknown"


@cache
def _distributions() -> Mapping[str, list[str]]:
    markers = "*.dist-info", "*.egg-info"
    # a folder without any, such as a study's, changes all the time
    folders = [f for f in sys.path if any(next(Path(f).glob(form), None) for form in markers)]
    state = [[folder, os.stat(folder or ".").st_mtime_ns] for folder in folders]
    name = f"distributions {sys.prefix}"
    return dict(computed_once(name, state, metadata.packages_distributions))


@cache
def _shown(path: Path) -> str:
    for folder in (PACKAGES, ROOT, Path.cwd()):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return str(path)


def own_modules(
    methods: Mapping[str, Any], evaluation: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """Python files below the working directory or PYTHONPATH that methods and metrics import, but for linclass's: of
    each its name below that folder, its path, and the digest of its content."""
    modules = [module for path in own_metrics(evaluation) for module in metrics.modules_of(path)]
    for entry in methods.values():
        modules += modules_of_method(entry, evaluation["tune_metric"])
        modules += modules_of_features(entry.get("features") or [])
    files, _ = closure([], dict.fromkeys(modules))
    ours = [PACKAGES / name for name in OURS]
    not_ours = [path for path in files if not any(path.is_relative_to(folder) for folder in ours)]
    places = {
        path: place
        for path in not_ours
        if path.suffix == ".py" and (place := _place_below_roots(path))
    }
    return sorted(
        (place, str(path), short_digest(path.read_bytes())) for path, place in places.items()
    )


def _place_below_roots(path: Path) -> str:
    """The path below the working directory or a folder of PYTHONPATH; empty for an editable install."""
    folders = [Path(), *map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
    roots = [folder.absolute() for folder in folders]
    places = (path.relative_to(root) for root in roots if path.is_relative_to(root))
    return next((place.as_posix() for place in places), "")
