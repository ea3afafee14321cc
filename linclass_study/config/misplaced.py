"""Remedies for keys that are unknown in their place: `folds:` at the top of a study is a key of `evaluation:`."""

from __future__ import annotations

from collections import deque
from typing import Any

ALTERNATIVES = ("oneOf", "anyOf", "items", "then", "else", "additionalProperties")
COMMON = ("size", "matrices")  # their keys have names, such as rows, that others have, too
NO_WEIGHTS = (
    "a study has no weights of rows: leave the column out with `drop:`; "
    "methods have weights of classes, `params: {class_weight: …}`"
)
CALLED = {  # by other names in pandas and elsewhere
    "delimiter": "separator",
    "sep": "separator",
    "skiprows": "skip",
}
NOWHERE = {
    **dict.fromkeys(["weight", "weights", "sample_weight"], NO_WEIGHTS),
    **{name: f"it is called `{ours}`, under `csv:`" for name, ours in CALLED.items()},
}


def suggest_place(key: str, schema: dict[str, Any], top: str) -> str:
    """'it stands under `evaluation:`', of the shallowest place that has the key; if none has, what to do instead."""
    waiting: deque[tuple[Any, str]] = deque([(schema, "")])
    seen: set[int] = set()
    while waiting:
        node, parent = waiting.popleft()
        if isinstance(node, list):
            waiting.extendleft((part, parent) for part in node)
        if not isinstance(node, dict) or id(node) in seen or parent in COMMON:
            continue
        seen.add(id(node))
        properties = node.get("properties", {})
        if key in properties:
            return f"it stands under `{parent}:`" if parent else f"it stands at the top of {top}"
        if "$ref" in node:
            waiting.appendleft((schema["$defs"][node["$ref"].split("/")[-1]], parent))
        waiting.extendleft((node[word], parent) for word in ALTERNATIVES if word in node)
        waiting.extend((inside, name) for name, inside in properties.items())
    return NOWHERE.get(key, "")
