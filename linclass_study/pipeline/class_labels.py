"""Classes in messages by their labels: classifiers get codes and say "class 2", which no reader of a file knows."""

from __future__ import annotations

import re
from collections.abc import Sequence

CLASS = re.compile(r"\bclass (\d+)\b(?!\.\d)")


def with_labels(message: str, classes: Sequence[str]) -> str:
    """The message of a classifier with the labels `classes` instead of codes; unchanged if they are not known."""

    def label(found: re.Match[str]) -> str:
        code = int(found[1])
        return f"class '{classes[code]}'" if code < len(classes) else found[0]

    return CLASS.sub(label, message)
