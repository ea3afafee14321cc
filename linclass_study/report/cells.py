"""Cells of tables as HTML: names and reasons are escaped, numbers are rounded to significant digits.

A page may have very many cells (200 methods × 100 data sets × 25 metrics), so each is written as short as possible:
`<td>0.953 <i>± 0.021</i></td>`; cells that are not numbers have the class t. A method's name has a dot in its colour
before it; scripts make it a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from linclass_study.analysis.answer import shortened
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.wording import format_p, status_words
from linclass_study.project import ROOT
from linclass_study.report.table import (
    Column,
    Number,
    format_number,
    format_power,
    format_ratio,
    format_seconds,
)

TEMPLATES = ROOT / "workflow" / "report"


class _Compiled(BytecodeCache):
    """Templates that this process has compiled, for its next pages."""

    def __init__(self) -> None:
        self.code: dict[str, Any] = {}  # by the digest of the source

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.code.get(bucket.checksum)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.code[bucket.checksum] = bucket.code


COMPILED = _Compiled()


def templates() -> Environment:
    """The templates of the pages, which escape every value."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        bytecode_cache=COMPILED,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


DIGEST = 19  # characters of a digest that the page shows
SHOWN = 400  # characters of a reason; a longer one is folded

NUMERALS: Mapping[str, Callable[[Any], str]] = {
    "number": format_number,
    "p": format_p,
    "power": format_power,
    "seconds": format_seconds,
    "ratio": format_ratio,
    "count": lambda value: "–" if value is None else f"{value:,}",
}
SORTED_BY_VALUE = ("seconds", "ratio", "power", "p")  # kinds whose displayed text cannot be sorted


class PageCells:
    """Cells of the page of one study; `leading` methods have a colour, and data sets link to their sections."""

    def __init__(self, outcome: Outcome, leading: Sequence[str]) -> None:
        dots = {name: f" m{place}" for place, name in enumerate(leading)}
        self.methods = {
            name: Markup('<a class="name{}" data-m="{}">{}</a>').format(
                dots.get(name, ""), place, breakable_name(label)
            )
            for place, (name, label) in enumerate(outcome.labels.methods.items())
        }
        self.datasets = {
            name: Markup('<a href="#data-{}">{}</a>').format(place, breakable_name(label))
            for place, (name, label) in enumerate(outcome.labels.datasets.items(), 1)
        }
        self.labels = outcome.labels

    def cell(self, column: Column, value: Any) -> Markup:
        """The <td> of a value."""
        if column.kind in NUMERALS:
            return _number(column.kind, value)
        if column.kind == "digest" and value is not None:
            begin = value if len(value) <= DIGEST else f"{value[:DIGEST]}…"
            cell = Markup('<td class="t" data-v="{0}" title="{0}">{1}</td>')
            return cell.format(value, begin)
        kind = "t reason" if column.kind == "reason" else "t"
        return Markup('<td class="{}">{}</td>').format(kind, self._text(column, value))

    def head(self, column: Column, value: Any) -> Markup:
        """The <th> that a row begins with."""
        return Markup('<th scope="row">{}</th>').format(self._text(column, value))

    def _text(self, column: Column, value: Any) -> Any:
        if value is None:
            return "–"
        match column.kind:
            case "reason":
                return folded(value)
            case "status":
                return status_words(value)
            case "yes":
                return "yes" if value else "no"
            case "method" | "dataset":
                return self._names(column, value)
        return value

    def title(self, column: Column) -> Markup:
        """The head of a column, which a method or a data set may have."""
        return breakable_name(self.labels.title(column.key, column.title))

    def dataset(self, name: str) -> Markup:
        return self.datasets.get(name) or breakable_name(name)

    def _names(self, column: Column, value: Any) -> Markup:
        known, most = self.methods if column.kind == "method" else self.datasets, column.names
        given = [value] if isinstance(value, str) else value
        names = [(known.get(n) or breakable_name(n)) + column.mark_of(n) for n in given]
        more = f" and {len(names) - most} more" if len(names) > most + 1 else ""
        shown = names[:most] if more else names
        return Markup(", ").join(shown) + more if names else Markup("–")


def _number(kind: str, value: Any) -> Markup:
    """A numeric cell; its text needs no escaping."""
    number = value if isinstance(value, Number) else Number(value)
    marks = [mark for mark in ("best", "clear", "partial") if getattr(number, mark)]
    attributes = f' class="{" ".join(marks)}"' if marks else ""
    if number.value is None:
        return Markup("<td>–</td>")
    if kind in SORTED_BY_VALUE:
        attributes += f' data-v="{number.value:.4g}"'
    text = NUMERALS[kind](number.value)
    if number.clear or number.best:
        text = f"<b>{text}</b>"
    if number.sd is not None:
        text += f" <i>± {NUMERALS[kind](number.sd)}</i>"
    if number.interval is not None:
        low, high = (NUMERALS[kind](end) for end in number.interval)
        text += f" <i>[{low}, {high}]</i>"
    return Markup(f"<td{attributes}>{text}</td>")


def breakable_name(name: str) -> Markup:
    return escape(name).replace("_", Markup("_<wbr>"))


def with_code(text: str) -> Markup:
    """Text as HTML, in which `what one types` is code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


#: What `what one types` is, and names of parameters and solvers in messages, alone or with their value.
TYPED = re.compile(r"`[^`]+`|(?<![\w./'\"-])(?<!^on )[a-z]\w*_\w*(?:=[\w.+-]*\w)?(?![\w/'\"]|\.\w)")


def reason_words(reason: str) -> Markup:
    """A reason as HTML, in which names of parameters and solvers are code."""
    return with_code(TYPED.sub(lambda found: f"`{found[0].strip('`')}`", reason))


def folded(reason: str) -> Markup:
    """The full reason; a long one is folded behind its beginning and end."""
    short, details = shortened(reason, SHOWN), Markup("<summary>{}</summary>{}")
    if short == " ".join(reason.split()):
        return reason_words(reason)
    inside = details.format(reason_words(short), reason_words(reason))
    return Markup('<details class="long">{}</details>').format(inside)
