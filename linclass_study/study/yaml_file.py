"""YAML as a study means it: a name given twice is an error, 1e-3 is a number, and every key knows its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from linclass_study.refusal import Refused

EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, int] = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if key in seen:
                raise Refused(
                    f"line {line}: '{key}' is given twice, first in line {seen[key]}; remove one"
                )
            seen[key] = line
        return super().construct_mapping(node, deep=deep)


def read(path: Path) -> Any:
    """The content of a YAML file, or one line that says what is wrong with it and where."""
    try:
        text = path.read_text(encoding="utf-8")
        return numbers(yaml.load(text, Loader=_Loader))
    except Refused as error:
        raise Refused(f"{path}: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" line {mark.line + 1}:" if mark else ""
        raise Refused(f"{path}:{where} not YAML, {error.problem}") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: not a text file in UTF-8") from None


def numbers(value: Any) -> Any:
    """YAML 1.1 reads 1e-3 as text, because it has no point; everybody who writes it means the number."""
    if isinstance(value, str) and EXPONENT.fullmatch(value):
        return float(value)
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return value


def line_of(path: Path, keys: Sequence[Any]) -> int | None:
    """The line on which the value at `keys` (names and list positions) begins; None if it is not there."""
    node: yaml.Node | None = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(key)]
            if not found:
                return None
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            return None
    return line
