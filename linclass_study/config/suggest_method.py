"""Methods of the catalogue that an unknown name may mean: misspelt, a class, its initials, or a part of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linclass.base.suggestions import CLASSES, near_names
from linclass_study.errors import suggest_name

SHOWN = 5  # names in a message


def suggest_methods(name: str, catalogue: Mapping[str, Any]) -> str:
    """The remedy for a name that is not in the catalogue."""
    found = next(filter(None, _readings(name, catalogue)), [])
    if not found:
        return suggest_name(name, catalogue)
    shown = [f"'{one}'" for one in found[:SHOWN]]
    return f"did you mean {', '.join(shown[:-1])}{' or ' * (len(shown) > 1)}{shown[-1]}?"


def _readings(name: str, catalogue: Mapping[str, Any]) -> Iterator[list[str]]:
    """Names of methods by one reading after another, the most certain first; a reading may find none."""
    plain, classes = _plain(name), {one: [*_classes(entry)] for one, entry in catalogue.items()}
    ours = CLASSES.get(name, name)
    of_class = _by_class(lambda own: _plain(own) in (plain, _plain(ours)), classes)
    yield [one for one in catalogue if _plain(one) == plain]
    if name != name.lower():
        yield of_class
    if len(plain) > 1:
        yield [one for one in catalogue if _plain(one).startswith(plain)]
        yield [one for one in catalogue if name.lower() in re.split(r"[_.+-]", one.lower())]
    yield near_names(name, catalogue)[:1]
    yield of_class
    yield _by_class(lambda own: "".join(re.findall("[A-Z]", own)).lower() == plain, classes)


def _by_class(fits: Callable[[str], bool], classes: Mapping[str, list[str]]) -> list[str]:
    """Methods of a class that fits, before those that have it inside."""
    outer = [one for one, own in classes.items() if own and fits(own[0])]
    return outer or [one for one, own in classes.items() if any(map(fits, own))]


def _classes(given: Any) -> Iterator[str]:
    """Names of the classes of an entry, those inside after the one that holds them."""
    if isinstance(given, Mapping):
        if isinstance(path := given.get("classifier"), str):
            yield path.rpartition(".")[2]
        for value in given.values():
            yield from _classes(value)
    elif isinstance(given, list):
        for value in given:
            yield from _classes(value)


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())
