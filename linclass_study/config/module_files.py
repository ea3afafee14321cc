"""Find the source files of a module as Python does, without running its code.

Files outside the folders of installed libraries count: in this project, in the working directory, on PYTHONPATH, in
editable installs. An installed library has no files here; it counts with its version.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from linclass_study.project import OURS, PACKAGES, look_beside_the_study

LIBRARIES = {"site-packages", "dist-packages"}
STANDARD = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]


def name_of_package(folder: Path) -> str:
    """Import name of a folder; without __init__.py, relative to a folder of sys.path."""
    roots = {Path(place or ".").absolute() for place in (*sys.path, "", str(PACKAGES))}
    parts: list[str] = []
    while (folder / "__init__.py").is_file() or (
        folder not in roots and not roots.isdisjoint(folder.parents)
    ):
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


@cache
def files_of(module: str) -> tuple[Path, ...]:
    """Files of a module and of its parent packages; none for an installed library."""
    top, *rest = module.split(".")
    files, folders = _top(top)
    for part in rest:
        file, folders = _inside(folders, part)
        files += [file] if file else []
    if top not in OURS:
        files += [file for init in files if _is_lazy(init) for file in init.parent.rglob("*.py")]
    return tuple(files)


def _top(name: str) -> tuple[list[Path], list[Path]]:
    """(file, folders of submodules) of a top-level module."""
    if name in OURS:
        return [PACKAGES / name / "__init__.py"], [PACKAGES / name]
    look_beside_the_study()
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # such as __main__
        spec = None
    if spec is None:
        return [], []
    folders = [Path(place) for place in spec.submodule_search_locations or []]
    origin = Path(spec.origin) if spec.has_location and spec.origin else None
    places = [origin.parent.parent if folders else origin.parent] if origin else []
    if any(map(_is_installed, places or [folder.parent for folder in folders])):
        return [], []
    origin_files = (path for path in (origin, *origin.parents) if path.is_file()) if origin else ()
    return [*origin_files][:1], folders  # a parent that is a file is an archive


def _inside(folders: Iterable[Path], name: str) -> tuple[Path | None, list[Path]]:
    """(file, folders of submodules) of a module inside a package."""
    for folder in folders:
        if (folder / name / "__init__.py").is_file():
            return folder / name / "__init__.py", [folder / name]
        for suffix in (".py", *EXTENSION_SUFFIXES):
            if (folder / f"{name}{suffix}").is_file():
                return folder / f"{name}{suffix}", []
    return None, [folder / name for folder in folders if (folder / name).is_dir()]


@cache
def _is_installed(folder: Path) -> bool:
    """Whether a folder belongs to site-packages, to another folder of pip, or to Python."""
    of_python = any(folder.is_relative_to(standard) for standard in STANDARD)
    return of_python or bool(LIBRARIES & {*folder.parts}) or any(folder.glob("*.dist-info"))


@cache
def _is_lazy(init: Path) -> bool:
    """Whether a package imports its modules lazily: any of them may run, so all of them count."""
    if init.name != "__init__.py":
        return False
    try:
        tree = ast.parse(init.read_bytes())
    except SyntaxError:  # reported where its imports are read
        return False
    bound = [node for node in tree.body if isinstance(node, ast.Assign)]
    targets = (node for one in bound for to in one.targets for node in ast.walk(to))
    names = {node.id for node in targets if isinstance(node, ast.Name)}
    names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return "__getattr__" in names
