"""The caption of a figure, from the docstring of its script: title, paragraphs, indented equations, references."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path


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
        return cls(title.strip().rstrip("."), tuple(map(_paragraph, blocks)))

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.paragraphs)


def _paragraph(block: str) -> tuple[str, str]:
    if block.startswith("    "):
        return "equation", textwrap.dedent(block).rstrip()
    return "text", " ".join(block.split())
