"""A name or label as it is written in a study: in quotes where YAML would read something else."""

from __future__ import annotations

import json
import re

PLAIN = re.compile(r"[^\W\d][\w.-]*( [\w.-]+)*")
WORDS = {
    "false",
    "n",
    "no",
    "null",
    "off",
    "on",
    "true",
    "y",
    "yes",
}  # read as truth values or as nothing


def yaml_text(text: object) -> str:
    """The text, inside of brackets, too: sex, "", "7 days", "yes"."""
    plain = PLAIN.fullmatch(str(text)) and str(text).lower() not in WORDS
    return str(text) if plain else json.dumps(str(text), ensure_ascii=False)
