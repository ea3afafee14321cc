"""YAML for studies: duplicate keys are errors, 1e-3 is a number, and errors name the file and line of a value."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from linclass_study.entries import Problem, Problems
from linclass_study.errors import StudyError
from linclass_study.files.disk_cache import computed_of_file
from linclass_study.project import DEFAULT_STUDY

EXPONENT = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+")
OPENED = {"quoted": "quotes are", "sequence": "a bracket [ is", "mapping": "a brace { is"}
REMEDIES = {  # of what YAML's parser finds
    "'\\t'": "indent by blanks, not by tabs",
    "mapping values are not allowed": "put a text that has a colon in quotes, or correct the indentation",
    "could not find expected ':'": "write `key: value`, with a blank after the colon",
    "expected <block end>": "indent keys of one mapping, or items of one list, equally",
    "expected ',' or": "separate by a comma, or close the bracket",
    "cannot start any token": "put the text in quotes",
    "undefined alias": "put a text that begins with * in quotes",
}
MOST_VALUES = 10**6
OF_RUN = ("only", "part")  # keys that are options of `linclass run`, too
MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]  # YAML comes without types
    """Checks for duplicate keys while composing, when keys still have line numbers."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.sizes: dict[int, int] = {}  # id of a mapping → its keys, with those of `<<`

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        first_line: dict[tuple[str, str], int] = {}
        size = len(node.value)
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            line, name = key.start_mark.line + 1, (key.tag, key.value)
            if key.tag == MERGE:  # <<: *base, of which keys may be overridden
                bases = value.value if isinstance(value, yaml.SequenceNode) else [value]
                size += sum(self.sizes.get(id(base), 0) for base in bases)
                if size > MOST_VALUES:
                    what = f"'<<' merges {size:,} keys; at most {MOST_VALUES:,} are read"
                    raise StudyError(f"line {line}: {what}")
                continue
            if name in first_line:
                what = f"is given twice, first in line {first_line[name]}; remove one"
                raise StudyError(f"line {line}: '{key.value}' {what}")
            first_line[name] = line
        self.sizes[id(node)] = size
        return node

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        node = super().compose_node(parent, index)
        if node is not None and node.end_mark is None:  # an alias of an incomplete node
            line = event.start_mark.line + 1
            raise StudyError(f"line {line}: '*{event.anchor}' is a part of itself; write it out")
        return node


def read_yaml(path: Path) -> Any:
    """Read a YAML file; errors are one line with file, line and cause. Those of the project are parsed once."""
    if path.resolve().parent != DEFAULT_STUDY.parent:
        return _parsed(path)
    try:
        return json.loads(computed_of_file("YAML", path, lambda: json.dumps(_parsed(path))))
    except (TypeError, OSError):  # a date, which is refused elsewhere; no such file
        return _parsed(path)


def _parsed(path: Path) -> Any:
    try:
        content = path.read_bytes()
        value = yaml.load(content.decode("utf-8"), Loader=_Loader)
        if (size := _expanded_size(value, {})) > MOST_VALUES:
            what = f"its aliases expand to {size:,} values; at most {MOST_VALUES:,} are read"
            raise StudyError(what)
        return parse_numbers(value)
    except RecursionError:
        raise StudyError(f"{path}: it is nested too deeply; remove brackets") from None
    except StudyError as error:
        raise StudyError(f"{path}: {error}") from None
    except yaml.MarkedYAMLError as error:
        raise StudyError(f"{path}: {_not_yaml(error)}") from None
    except yaml.reader.ReaderError as error:
        line = content.decode("utf-8")[: error.position].count("\n") + 1
        raise StudyError(f"{path}: line {line}: not YAML, {error.reason}") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise StudyError(f"{path}: line {line}: not text in UTF-8; save it as UTF-8") from None
    except ValueError as error:  # an invalid date
        raise StudyError(f"{path}: not YAML, {error}") from None
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror})") from None


def _expanded_size(value: Any, sizes: dict[int, int]) -> int:
    """Number of values with those of each alias; `sizes` has those of the values that were visited, by id."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in sizes:
        inside = value.values() if isinstance(value, dict) else value
        sizes[id(value)] = 1 + sum(_expanded_size(each, sizes) for each in inside)
    return sizes[id(value)]


def _not_yaml(error: yaml.MarkedYAMLError) -> str:
    """Line, cause and remedy of a syntax error; an unclosed quote or bracket is reported where it opens."""
    begins, mark, problem = error.context_mark, error.problem_mark, str(error.problem)
    if begins and "stream" in problem and "end" in problem:
        for word, what in OPENED.items():
            if word in str(error.context):
                return f"line {begins.line + 1}: not YAML, {what} opened here and not closed"
    if begins and "could not find expected ':'" in problem:
        mark = begins
    line = f"line {mark.line + 1}: " if mark else ""
    remedy = next((f"; {words}" for pattern, words in REMEDIES.items() if pattern in problem), "")
    return f"{line}not YAML, {problem}{remedy}"


def parse_numbers(value: Any) -> Any:
    """Convert texts such as 1e-3, which YAML 1.1 does not read as numbers, to numbers."""
    if isinstance(value, str) and EXPONENT.fullmatch(value):
        return float(value)
    if isinstance(value, dict):
        return {key: parse_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [parse_numbers(item) for item in value]
    return value


def unquoted(value: Any) -> Problems:
    """(path of keys, message) for each value, or key, that YAML reads as a date, which no study.json can hold."""
    if isinstance(value, date):
        yield [], f"{value} is not text: YAML reads it as a date; put it in quotes"
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from unquoted(key)
            yield from (([key, *path], text) for path, text in unquoted(inside))
    if isinstance(value, list):
        for i, inside in enumerate(value):
            yield from (([i, *path], text) for path, text in unquoted(inside))


def line_of(path: Path, keys: Sequence[Any]) -> int | None:
    """Line on which the value at `keys` (names and list positions) begins; None without such a value."""
    loader = _Loader(path.read_text(encoding="utf-8"))
    node: yaml.Node | None = loader.get_single_node()
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            loader.flatten_mapping(node)
            pairs = [(k, v) for k, v in node.value if k.value == str(key)]
            if not pairs:
                return None
            at, node = pairs[-1]  # merged keys come first, and the last one counts
            line = at.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            return None
    return line


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
        configured = parse_numbers(_at(self.value, path[:depth]))
        for file, content in reversed(list(self.files.items())):
            if depth and _same(_at(content, path[:depth]), configured):
                return f"{file}, line {line_of(file, path[:depth])}: {message}"
        option = "--" if path[0] in OF_RUN else "--config "
        return f"{option}{message}" if depth else message


def _at(value: Any, path: Sequence[Any]) -> Any:
    """The value at a path of keys, or ABSENT."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return value


def _same(written: Any, configured: Any) -> bool:
    """Whether a file's value is the given one; mappings may be merged from several files."""
    both = isinstance(written, Mapping) and isinstance(configured, Mapping)
    return (
        both or written == configured or repr(written) == repr(configured)
    )  # nan is not equal to itself


def shown_path(path: str | Path) -> str:
    """The relative path if it is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
