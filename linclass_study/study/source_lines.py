"""Which file and line a value was written in, so that a refusal can say where."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass_study.refusal import Refused
from linclass_study.study import yaml_file

Problems = Iterable[tuple[list[Any], str]]  # path of keys, sentence
ABSENT = object()


@dataclass(frozen=True)
class SourceLines:
    """A value as it was given, and the content of each file that has a part of it; the last one wins."""

    value: Any
    files: Mapping[Path, Any]

    def refuse(self, problems: Problems, where: tuple[str, ...] = ()) -> None:
        """Each problem is a line; its path of keys goes on from `where`."""
        lines = [self.place([*where, *path], sentence) for path, sentence in problems]
        if lines:
            raise Refused("\n".join(dict.fromkeys(lines)))

    def place(self, path: Sequence[Any], sentence: str) -> str:
        """'mystudy.yaml, line 7: evaluation.fold: unknown key; …', of the file that says so."""
        keys = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        said = ": ".join(filter(None, ["".join(keys).lstrip("."), sentence]))
        depth = next(n for n in range(len(path), -1, -1) if _at(self.value, path[:n]) is not ABSENT)
        given = yaml_file.numbers(_at(self.value, path[:depth]))
        for file, content in reversed(list(self.files.items())):
            if depth and _same(_at(content, path[:depth]), given):
                return f"{_shown(file)}, line {yaml_file.line_of(file, path[:depth])}: {said}"
        return f"--config {said}" if depth else said


def _at(value: Any, path: Sequence[Any]) -> Any:
    """What lies at a path of keys, or ABSENT."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return value


def _same(said: Any, given: Any) -> bool:
    """A file has a part of a mapping, but all of any other value."""
    both = isinstance(said, Mapping) and isinstance(given, Mapping)
    return both or said == given or repr(said) == repr(given)  # nan is not equal to itself


def _shown(path: Path) -> str:
    """As one would type it: relative to here, where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
