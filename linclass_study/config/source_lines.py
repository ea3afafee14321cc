"""File and line of a configured value, for error messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass_study.config import yaml_file
from linclass_study.config.yaml_file import parse_numbers
from linclass_study.errors import StudyError

Problem = tuple[list[Any], str]  # path of keys, what is wrong with their value
ABSENT = object()


@dataclass(frozen=True)
class SourceLines:
    """A configured value, and the content of the files that it was merged from; the last file wins."""

    value: Any
    files: Mapping[Path, Any]

    def refuse(self, problems: Iterable[Problem], where: tuple[str, ...] = ()) -> None:
        """Raise StudyError with one line for each problem, if any; their paths of keys are relative to `where`."""
        lines = [self.place([*where, *path], sentence) for path, sentence in problems]
        if lines:
            raise StudyError("\n".join(dict.fromkeys(lines)))

    def place(self, path: Sequence[Any], sentence: str) -> str:
        """A message with file and line: 'mystudy.yaml, line 7: evaluation.fold: unknown key; …'."""
        keys = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        message = ": ".join(filter(None, ["".join(keys).lstrip("."), sentence]))
        message = " ".join(message.splitlines())  # a text of the file may have several
        depth = next(n for n in range(len(path), -1, -1) if _at(self.value, path[:n]) is not ABSENT)
        given = parse_numbers(_at(self.value, path[:depth]))
        for file, content in reversed(list(self.files.items())):
            if depth and _same(_at(content, path[:depth]), given):
                return f"{file}, line {yaml_file.line_of(file, path[:depth])}: {message}"
        return f"--config {message}" if depth else message


def _at(value: Any, path: Sequence[Any]) -> Any:
    """The value at a path of keys, or ABSENT."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return value


def _same(written: Any, given: Any) -> bool:
    """Whether a file's value is the given one; mappings may be merged from several files."""
    both = isinstance(written, Mapping) and isinstance(given, Mapping)
    return both or written == given or repr(written) == repr(given)  # nan is not equal to itself


def shown_path(path: str | Path) -> str:
    """The relative path if it is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
