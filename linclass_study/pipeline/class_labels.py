"""Map class codes to labels in messages.

Classifiers get codes and say "class 2"; users know the labels of their file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

CLASS = re.compile(r"\bclass (\d+)\b(?!\.\d)")


def with_labels(message: str, classes: Sequence[str]) -> str:
    """The message of a classifier with the labels `classes` instead of codes; unknown codes stay."""

    def label(found: re.Match[str]) -> str:
        code = int(found[1])
        return f"class '{classes[code]}'" if code < len(classes) else found[0]

    return CLASS.sub(label, message)
