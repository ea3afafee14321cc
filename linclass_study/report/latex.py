"""Tables as LaTeX for papers, with booktabs: numbers have the digits that their spread supports, columns have titles,
methods and data sets their labels, and what is wider than a page is broken into blocks of columns.

    \\usepackage{array,booktabs,longtable}
    \\input{results/tables/compared}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from linclass_study.analysis.wording import status_words
from linclass_study.entries import Labels
from linclass_study.report.table import Column, Number, ReportTable, format_ratio, format_seconds

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "η": "eta", "θ": "theta", "κ": "kappa",
    "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi",
    "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "[": "{[}", "*": "{*}",  # else \\ before them takes them for its arguments
    "†": r"\textdagger{}", "−": "$-$", "√": r"$\surd$", "≤": r"$\leq$", "≥": r"$\geq$", "∞": r"$\infty$",
    "≈": r"$\approx$", "→": r"$\to$", "µ": r"\textmu{}", "²": "$^2$", "\u200b": "",
    **{letter: rf"$\{name}$" for letter, name in GREEK.items()},
}  # fmt: skip

WIDTH = 345  # points: the text of an article in 10 pt, the narrowest of the usual single columns
# points of a digit of Computer Modern
SIZES = {"small": 4.6, "footnotesize": 4.3, "scriptsize": 4.0}
GAP = {"small": 10, "footnotesize": 8, "scriptsize": 6}  # points between columns
LONG = 26  # letters of a text that may be broken into lines
NARROWEST = 80  # points of a column of such texts
ROWS = 50  # of a table on one page
DIGEST = 15  # letters of a digest that are shown


def latex(table: ReportTable, label: str, labels: Labels) -> str:
    """A table environment, or a longtable of what is longer than a page; without folded columns."""
    shown = [place for place, column in enumerate(table.columns) if not column.folded]
    columns = [_TexColumn.of(table, place, labels) for place in shown]
    size, blocks = _layout(columns)
    text = escaped(f"{table.title}. {table.caption}{table.note}")
    text = re.sub("`([^`]+)`", r"\\texttt{\1}", text)  # what one types
    heading = rf"\caption[{escaped(table.title)}]{{{text}}}\label{{tab:{label}}}"
    gap = rf"\setlength{{\tabcolsep}}{{{GAP[size] / 2:g}pt}}"
    if len(table.rows) * len(blocks) > ROWS:
        parts = [_block(block, [] if i else [rf"{heading}\\"]) for i, block in enumerate(blocks)]
        return "\n".join(["{", rf"\{size}{gap}", *parts, "}", ""])
    body = "\n\n\\medskip\n".join(_block(block) for block in blocks)
    begin = [r"\begin{table}[tbp]", rf"\centering\{size}{gap}", rf"{heading}\par\smallskip"]
    return "\n".join([*begin, body, r"\end{table}", ""])


def escaped(text: str) -> str:
    return "".join(ESCAPED.get(letter, letter) for letter in " ".join(str(text).split()))


@dataclass(frozen=True)
class _TexColumn:
    """Head and cells as LaTeX; `width` in letters; `breaks` if its texts may be broken into lines."""

    head: str
    cells: list[str]
    width: float
    right: bool
    breaks: bool

    @classmethod
    def of(cls, table: ReportTable, place: int, labels: Labels) -> _TexColumn:
        column, cells = table.columns[place], [row[place] for row in table.rows]
        right = column.kind in NUMBERS
        texts = _numbers(column, cells) if right else [_text(column, c, labels) for c in cells]
        body = max(map(_letters, texts), default=1)
        title = labels.title(column.key, column.title)
        head = _broken(title + column.mark_of(column.key), max(body, 6))
        breaks = not right and body > LONG
        if breaks:
            texts = [re.sub(r"(\\_|/)", r"\1\\allowbreak{}", text) for text in texts]
        return cls(_stacked(head, right), texts, max(body, *map(len, head)), right, breaks)


def _broken(title: str, width: float) -> list[str]:
    """A title in lines of about that many letters, broken after spaces, hyphens and underscores."""
    lines = [""]
    for part in re.findall(r"[^\s_-]+[\s_-]*", title) or [title]:
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _stacked(lines: Sequence[str], right: bool) -> str:
    """Lines of a head; those of LaTeX's own \\shortstack are aligned at the bottom."""
    text = r"\\".join(map(escaped, lines))
    return text if len(lines) == 1 else rf"\shortstack[{'r' if right else 'l'}]{{{text}}}"


def _letters(cell: str) -> float:
    """About how many letters of the text font a cell of LaTeX is wide."""
    text = re.sub(r"\\rlap\{.*|\\(mathbf|underline|textrm|allowbreak)|[${}]", "", cell)
    return len(re.sub(r"\\[a-z]+|\\.", "x", text))


def _layout(columns: Sequence[_TexColumn]) -> tuple[str, list[list[_TexColumn]]]:
    """The largest size in which the columns, or else the fewest blocks of them, are as wide as a page."""
    for count in range(1, len(columns) + 1):
        for size in SIZES:
            blocks = _blocks(columns, count)
            if all(_width(block, size) <= WIDTH for block in blocks):
                return size, blocks
    return size, blocks


def _blocks(columns: Sequence[_TexColumn], count: int) -> list[list[_TexColumn]]:
    """Each begins with the columns that name the rows: up to three that tell them apart, or else the first."""
    rows = len(columns[0].cells)
    n_names = 1
    for n in (3, 2, 1):
        if len({*zip(*(column.cells for column in columns[:n]), strict=True)}) == rows:
            n_names = n
    names, rest = columns[:n_names], columns[n_names:]
    each = max(-(-len(rest) // count), 1)
    return [[*names, *rest[i : i + each]] for i in range(0, len(rest), each)] or [[*names]]


def _width(block: Sequence[_TexColumn], size: str) -> float:
    """Points of a block, of texts that may be broken the least."""
    widths = (NARROWEST if c.breaks else c.width * SIZES[size] for c in block)
    return sum(widths) + GAP[size] * len(block)


def _block(block: Sequence[_TexColumn], heading: list[str] | None = None) -> str:
    """A tabular, or a longtable with a heading, which may be empty."""
    fixed = sum(0 if c.breaks else c.width * SIZES["small"] + GAP["small"] for c in block)
    texts = sum(c.breaks for c in block)
    room = max(WIDTH - fixed, NARROWEST * texts) / max(texts, 1) - 10
    kinds = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{room:.0f}pt}}" if c.breaks else "lr"[c.right]
        for c in block
    )
    rows = [rf"{' & '.join(row)} \\" for row in zip(*(c.cells for c in block), strict=True)]
    head = [r"\toprule", rf"{' & '.join(c.head for c in block)} \\", r"\midrule"]
    name, lines = "tabular", [*head, *rows, r"\bottomrule"]
    if heading is not None:
        name = "longtable"
        lines = [*heading, *head, r"\endhead", r"\bottomrule", r"\endfoot", *rows]
    begin = rf"\begin{{{name}}}{{@{{}}{kinds}@{{}}}}"
    return "\n".join([begin, *lines, rf"\end{{{name}}}"])


# Cells.


def _text(column: Column, value: Any, labels: Labels) -> str:
    if value is None:
        return "--"
    match column.kind:
        case "yes":
            value = "yes" if value else "no"
        case "status":
            value = status_words(value)
        case "digest":
            value = f"{value[:DIGEST]}…"
        case "method" | "dataset":
            names = labels.methods if column.kind == "method" else labels.datasets
            given = [value] if isinstance(value, str) else value
            shown = [names.get(name, name) + column.mark_of(name) for name in given]
            more = [f"{len(shown) - column.names} more"] if len(shown) > column.names + 1 else []
            value = " and ".join([", ".join(shown[: column.names] if more else shown), *more])
    return escaped(value) if value != "" else "--"


def _numbers(column: Column, cells: Sequence[Any]) -> list[str]:
    numbers = [cell if isinstance(cell, Number) else Number(cell) for cell in cells]
    form = NUMBERS[column.kind]
    if column.kind == "number":
        form = partial(fixed, places=_places(numbers))
    return [_number(number, form) for number in numbers]


def _number(number: Number, form: Any) -> str:
    """$\\mathbf{0.991} \\pm 0.008$, with an interval in brackets instead of ±; in parentheses if it is incomplete."""
    if number.value is None:
        return "--"
    text = form(number.value)
    if number.clear:
        text = rf"\mathbf{{{text}}}"
    if number.best:
        text = rf"\underline{{{text}}}"
    if number.sd is not None:
        text += rf" \pm {form(number.sd)}"
    if number.interval is not None:
        low, high = map(form, number.interval)
        text += rf"\ [{low}, {high}]"
    mark = rf"\rlap{{$^{{{number.mark}}}$}}" if number.mark else ""  # beside the column
    return (f"$({text})$" if number.partial else f"${text}$") + mark


def _places(numbers: Sequence[Number]) -> int:
    """Decimals of a column: the largest of its spreads has two significant digits; without spreads, the largest of its
    values has four, and at most three are decimals."""
    spreads = [number.sd for number in numbers if number.sd is not None]
    spreads += [(n.interval[1] - n.interval[0]) / 2 for n in numbers if n.interval is not None]
    spread = max(filter(math.isfinite, spreads), default=0.0)
    values = (abs(n.value) for n in numbers if n.value is not None and math.isfinite(n.value))
    largest, digits = (spread, 2) if spread > 1e-12 else (max(values, default=0.0), 4)
    exponent = int(f"{largest:.{digits - 1}e}".partition("e")[2]) if largest else 0
    return min(max(digits - 1 - exponent, 0), 4 if digits == 2 else 3)


def fixed(value: float, places: int) -> str:
    """A number with so many decimals, in mathematics."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else r"\infty" if value > 0 else r"-\infty"
    return f"{value:z,.{places}f}".replace(",", "{,}")


def probability(value: float) -> str:
    if 0.9995 <= value < 1:
        return "> 0.999"
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


def power(value: float) -> str:
    """One digit, as only the order of magnitude matters."""
    if value == 0 or not math.isfinite(value):
        return fixed(value, 0)
    digit, exponent = f"{value:.0e}".split("e")
    return rf"{digit} \times 10^{{{int(exponent)}}}"


NUMBERS: Mapping[str, Any] = {
    "number": fixed,
    "p": probability,
    "power": power,
    "seconds": lambda value: rf"\textrm{{{escaped(format_seconds(value))}}}",
    "ratio": lambda value: rf"\textrm{{{escaped(format_ratio(value))}}}",
    "count": partial(fixed, places=0),
}
