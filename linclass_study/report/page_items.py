"""The figures and tables of a section of the page, in the form of its template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from linclass_study.report import page_tables
from linclass_study.report.exhibits import figure_modules
from linclass_study.report.page_figures import Figures
from linclass_study.report.page_tables import table_file_name, table_modules
from linclass_study.report.sections import section_name

Item = dict[str, Any]  # a figure or a table


def items(
    tables: page_tables.Made,
    figures: Figures,
    section: str,
    dataset: str = "",
) -> Iterator[Item]:
    """Figures, then tables of a section, sorted by PLACE; of one data set, or of all together."""
    found: list[tuple[bool, int, str, Item]] = []
    for name, module in table_modules().items():
        table = tables.get((name, dataset))
        if table is not None and section_name(module) == section:
            item: Item = {"table": table, "name": table_file_name(name, dataset)}
            item["open"] = getattr(module, "OPEN", False)
            item["rows"] = table.rows[: table.shown]
            found.append((True, module.PLACE, name, item))
    for name, module in figure_modules().items():
        figure = figures.get((name, dataset))
        if figure is not None and section_name(module) == section:
            item = {**figure, "open": getattr(module, "OPEN", False)}
            found.append((False, module.PLACE, name, item))
    yield from (item for *_, item in sorted(found, key=lambda one: one[:3]))


def runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Group consecutive figures, which are placed side by side; each table is a group of its own."""
    for is_figure, group in groupby(items, key=lambda item: "svg" in item):
        together = list(group)
        yield from [together] if is_figure else ([table] for table in together)
