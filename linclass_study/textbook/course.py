"""textbook/course.yaml: chapters in the order of a course, each with its scripts; the caption of a script."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path

from linclass_study.errors import StudyError
from linclass_study.files.yaml_file import read_yaml
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
    """All scripts in the order of the course; each is listed once."""
    listed = [name for scripts in chapters().values() for name in scripts]
    there = {file.stem for file in FOLDER.glob("[!_]*.py")}
    if wrong := sorted({*listed} ^ there) or [name for name in listed if listed.count(name) > 1]:
        raise StudyError(
            f"textbook/course.yaml: '{wrong[0]}' must be a script of textbook/ that is listed once"
        )
    return listed


def script(name: str) -> Path:
    return FOLDER / f"{name}.py"
