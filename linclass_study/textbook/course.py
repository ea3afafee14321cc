"""textbook/course.yaml: chapters in the order of a course, each with its scripts; the caption of a script."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path

from linclass_study.config.yaml_file import read_yaml
from linclass_study.errors import StudyError
from linclass_study.project import ROOT


@dataclass(frozen=True)
class Caption:
    """paragraphs: (kind, text), kind 'text' or 'equation'; `text` is all of them in one string."""

    title: str
    paragraphs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, script: Path) -> Caption:
        docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem
        title, _, rest = docstring.partition("\n")
        blocks = [block for block in rest.strip("\n").split("\n\n") if block.strip()]
        paragraphs = (
            ("equation", textwrap.dedent(block).rstrip())
            if block.startswith("    ")
            else ("text", " ".join(block.split()))
            for block in blocks
        )
        return cls(title.strip().rstrip("."), tuple(paragraphs))

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.paragraphs)


FOLDER = ROOT / "textbook"


def chapters() -> dict[str, list[str]]:
    """Title → names of scripts of each chapter."""
    return read_yaml(FOLDER / "course.yaml")


def script_names() -> list[str]:
    """All scripts in the order of the course; missing or unlisted scripts are refused."""
    listed = [name for scripts in chapters().values() for name in scripts]
    there = {file.stem for file in FOLDER.glob("[!_]*.py")}
    if twice := next((name for name in listed if listed.count(name) > 1), None):
        raise StudyError(f"textbook/course.yaml: '{twice}' is given twice; remove one")
    if missing := sorted(set(listed) - there):
        raise StudyError(f"textbook/course.yaml: there is no script '{missing[0]}.py'; remove it")
    if strays := sorted(there - set(listed)):
        raise StudyError(
            f"textbook/{strays[0]}.py is in no chapter; add it to textbook/course.yaml"
        )
    return listed


def script(name: str) -> Path:
    return FOLDER / f"{name}.py"
