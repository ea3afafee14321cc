"""The files behind an import, wherever Python finds it, without importing it."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location
from zipfile import ZipFile

import pytest

from linclass_study.config import code, module_files

RUINOUS = "raise SystemExit('a file was run')\n"


@pytest.fixture
def found(monkeypatch, tmp_path):
    """Writes files, one folder of which is on PYTHONPATH, and gives those that count for a module."""
    (tmp_path / "study").mkdir()
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib"), *sys.path])

    def files(module, **contents):
        for place, text in contents.items():
            path = tmp_path / place.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + RUINOUS)
        for known in (
            module_files.files_of,
            module_files._is_lazy,
            module_files._is_installed,
            code._read,
        ):
            known.cache_clear()
        counted, _ = code.closure([], [module])
        return {str(path.relative_to(tmp_path)) for path in counted}

    return files


def test_a_file_on_pythonpath_counts_with_its_imports(found):
    counted = found(
        "mine",
        lib__mine_DOT_py="import near, json, numpy\n",
        lib__near_DOT_py="",
        lib__far_DOT_py="",
    )
    assert counted == {"lib/mine.py", "lib/near.py"}


def test_the_studys_own_folder_comes_first(found):
    assert found("mine", lib__mine_DOT_py="", study__mine_DOT_py="") == {"study/mine.py"}


def test_a_package_counts_with_its_own_imports(found, tmp_path):
    package = tmp_path / "lib" / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from .one import One\n" + RUINOUS)
    (package / "one.py").write_text("from .inner.two import Two\n" + RUINOUS)
    (package / "three.py").write_text(RUINOUS)
    (package / "inner" / "two.py").write_text(RUINOUS)  # a folder without __init__.py
    here = {"lib/package/__init__.py", "lib/package/one.py", "lib/package/inner/two.py"}
    assert found("package") == here
    assert found("package.three") == here | {"lib/package/three.py"}


def test_a_namespace_package_counts_with_its_relative_imports(found, tmp_path):
    (tmp_path / "lib" / "space").mkdir(parents=True)
    (tmp_path / "lib" / "space" / "a.py").write_text("from .b import B\n" + RUINOUS)
    (tmp_path / "lib" / "space" / "b.py").write_text(RUINOUS)
    assert found("space.a") == {"lib/space/a.py", "lib/space/b.py"}


@pytest.mark.parametrize(
    "lazy", ["def __getattr__(name): ...\n", "__getattr__, __dir__, __all__ = attach(__name__)\n"]
)
def test_a_package_that_imports_its_parts_on_demand_counts_whole(found, tmp_path, lazy):
    package = tmp_path / "lib" / "late"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text(lazy + RUINOUS)
    (package / "inner" / "part.py").write_text(RUINOUS)
    assert found("late") == {"lib/late/__init__.py", "lib/late/inner/part.py"}


def test_an_editable_install_counts_with_its_files(found, tmp_path, monkeypatch):
    """As setuptools and others do it: a finder that knows where the package's folder is."""
    source = tmp_path / "source" / "edited"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("from edited.part import Part\n" + RUINOUS)
    (source / "part.py").write_text(RUINOUS)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            here = source / "__init__.py"
            return spec_from_file_location(name, here) if name == "edited" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert found("edited") == {"source/edited/__init__.py", "source/edited/part.py"}


def test_compiled_modules_and_archives_count_as_they_are(found, tmp_path, monkeypatch):
    suffix = EXTENSION_SUFFIXES[0]
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / f"fast{suffix}").write_bytes(b"\x00")
    assert found("fast") == {f"lib/fast{suffix}"}
    with ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed.py", RUINOUS)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packed.zip"), *sys.path])
    assert found("packed") == {"packed.zip"}


def test_installed_packages_count_with_their_version(found, tmp_path):
    (tmp_path / "lib" / "thing-2.5.dist-info").mkdir(parents=True)
    assert found("thing", lib__thing_DOT_py="") == set()
    assert code.closure([], ["thing"])[1] == {"thing"}
    assert (
        found("sklearn.linear_model")
        == found("json")
        == found("sys")
        == found("no_such_module")
        == set()
    )
