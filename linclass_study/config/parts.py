"""Parts of a study: some of its data sets, each part with its own results folder; `linclass merge` joins them.

only: [iris, heart]    these data sets
part: 2/8              the second of eight parts of about equal work

Which data sets a part has follows from their names and expected sizes alone: the same part has the same data sets with
other methods, another evaluation, and on any machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linclass.base.messages import counted
from linclass_study.data.expected_size import expected_size
from linclass_study.entries import Problems
from linclass_study.errors import suggest_name
from linclass_study.files.digests import short_digest

OVERHEAD = 4000  # values of data whose iterations take as long as what any fit does besides
LONGEST = 60  # letters of the suffix of a folder


def part_problems(only: Sequence[str], part: str, names: Sequence[str]) -> Problems:
    """Data sets that the study does not have, and parts that do not exist."""
    unknown = [name for name in only if name not in names]
    for name in unknown:
        yield ["only"], f"the study has no data set '{name}'; {suggest_name(name, names)}"
    if part and not unknown:
        place, number = map(int, part.split("/"))
        sets = len(only) or len(names)
        if number > sets:
            most = counted(sets, "part")
            yield ["part"], f"{part} divides {counted(sets, 'data set')}; give at most {most}"
        elif place > number:
            yield ["part"], f"there is no part {part}; the last one is {number}/{number}"


def divide(datasets: Mapping[str, Mapping[str, Any]], number: int) -> list[list[str]]:
    """The data sets in `number` parts: the largest first, each into the part with the least work so far."""
    sizes = {name: expected_size(entry) for name, entry in datasets.items()}
    work = {name: OVERHEAD + (size.values if size else 0) for name, size in sizes.items()}
    parts: list[list[str]] = [[] for _ in range(number)]
    total = [0] * number
    for name in sorted(datasets, key=lambda name: (-work[name], name)):
        least = total.index(min(total))
        parts[least].append(name)
        total[least] += work[name]
    return parts


def select_part(
    datasets: Mapping[str, dict[str, Any]], only: Sequence[str], part: str
) -> dict[str, dict[str, Any]]:
    """The data sets of a part, in the order of the study."""
    chosen = {name: entry for name, entry in datasets.items() if not only or name in only}
    if part:
        place, number = map(int, part.split("/"))
        of_part = divide(chosen, number)[place - 1]
        chosen = {name: entry for name, entry in chosen.items() if name in of_part}
    return chosen


def part_suffix(only: Sequence[str], part: str) -> str:
    """Suffix of the results folder: -only-iris+heart, -part-2-of-8."""
    names = "+".join(sorted(only))
    if len(names) > LONGEST:
        names = f"{names[:LONGEST]}-{short_digest(names, size=3)}"
    return f"-only-{names}" * bool(only) + f"-part-{part.replace('/', '-of-')}" * bool(part)
