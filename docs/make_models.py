"""Write docs/models.md and docs/models/ from the docstrings of the models and config/methods.yaml, the table of the
tuning budget in docs/tuning.md from config/methods.yaml, and linclass/__init__.pyi:  python docs/make_models.py

The file of a model states its equation and ends with the lines Predicts, Cost, Certificate and Reference. Models
are in the order, and under the headings, of the catalogue of methods.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import linclass
from linclass.base import parts
from linclass.base.classifier import Classifier
from linclass.base.public import SUBMODULES, module_of
from linclass.linear.solvers.compatibility import in_words
from linclass_study.config.estimator_check import parameter_facts
from linclass_study.files.yaml_file import parse_numbers, read_yaml
from linclass_study.report.tables.diagnostics import budget

LINE_LENGTH = 100
ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "models.md"
PAGES = ROOT / "docs" / "models"
TUNING = ROOT / "docs" / "tuning.md"
STUB = ROOT / "linclass" / "__init__.pyi"
BUDGET_BEGINS = (
    "<!-- The tuning budget, written by `python docs/make_models.py` from config/methods.yaml -->"
)
BUDGET_ENDS = "<!-- end of the tuning budget -->"
CATALOGUE = ROOT / "config" / "methods.yaml"
LABELS = ("Predicts", "Cost", "Certificate", "Reference")
USUAL = ("impute", "one_hot", "standardize")  # transforms that say nothing about a method
NAMED = {"loss": "losses", "penalty": "penalties", "solver": "solvers"}  # parameter → package
# Solver.takes
TAKES = {
    "smooth": "none or L2",
    "ridge": "L2",
    "bare kink": "L1 alone",
    "l1 or none": "none or L1",
    "every feature": "entrywise, factors above 0",
}
PARTS = ("losses", "penalties", "solvers", "kernels", "families")
# the docstring of the class states the equation; else that of its module

WRITTEN = """\
<!-- Written by `python docs/make_models.py` from docstrings and config/methods.yaml: change those, not this page. -->
"""
INTRODUCTION = f"""\
# Models

{WRITTEN}
All models of `linclass` and all methods of the [catalogue](../config/methods.yaml), which are models with their
parameters, preprocessing and tuned values. `help(linclass.LinearSVM)` also shows the parameters and
attributes; [library.md](library.md) shows how to use the models, [objective.md](objective.md) defines the strength.

Every classifier predicts labels; *Predicts* lists its other outputs. *Cost* is the time of a fit for n rows, d
features (p in some books) and K classes; for sparse rows n d stands for the stored entries. *Certificate* says what
`certificate_` measures: a *duality gap* bounds the distance from the optimum, a *closed form* needs no iterations,
and the others measure how well the conditions of an optimum hold.
"""


def models() -> list[str]:
    """Names of all classifiers and regressors."""
    return [name for name in linclass.__all__ if name[0].isupper()]


def file_of(found: Any) -> Path:
    return Path(sys.modules[found.__module__].__file__ or "").relative_to(ROOT)


def description(name: str) -> tuple[str, dict[str, str]]:
    """(equation and reasons, the text of each label) of a model, from the docstring of its file."""
    found = getattr(linclass, name)
    text = sys.modules[found.__module__].__doc__ or ""
    equation, *pieces = re.split(rf"\n({'|'.join(LABELS)}): ", text.rstrip())
    labelled = {
        label: " ".join(value.split())
        for label, value in zip(pieces[::2], pieces[1::2], strict=True)
    }
    if tuple(labelled) != LABELS:
        lines = ", ".join(f"{label}:" for label in LABELS)
        last = ", ".join(labelled) or "none of them"
        raise SystemExit(
            f"{file_of(found)}: its docstring ends with {last}; it must end with the lines {lines} in this order "
            "(CONTRIBUTING.md)."
        )
    return equation.strip(), labelled


@cache
def catalogue() -> dict[str, Any]:
    """The catalogue of methods, with its numbers as they are written."""
    return dict(yaml.safe_load(CATALOGUE.read_text(encoding="utf-8")))


def headings() -> dict[str, list[tuple[str, str]]]:
    """Heading of the catalogue → (name, comment) of its methods."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in CATALOGUE.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"# -+ (.*?) -+", line):
            methods = found.setdefault(heading[1], [])
        elif entry := re.fullmatch(r"(\w+):\s*(?:# (.*))?", line):
            methods.append((entry[1], entry[2] or ""))
    return found


def sections() -> Iterator[tuple[str, list[str], list[tuple[str, str]]]]:
    """(heading, models, methods): a model stands where the catalogue first names it."""
    entries = catalogue()
    left = models()
    for heading, methods in headings().items():
        paths = [entries[method]["classifier"] for method, _ in methods]
        own = [
            name
            for name in dict.fromkeys(p.removeprefix("linclass.") for p in paths)
            if name in left
        ]
        left = [name for name in left if name not in own]
        yield heading, own, methods
    classifiers = [name for name in left if issubclass(getattr(linclass, name), Classifier)]
    yield "Other classifiers", classifiers, []
    yield "Regression", [name for name in left if name not in classifiers], []


def tuning_page() -> str:
    """docs/tuning.md with the tuning budget of the catalogue as it is now."""
    entries = parse_numbers(read_yaml(CATALOGUE))
    rows = [
        (f"`{name}`", *map(plain, budget(entry, parameter_facts(entry))))
        for name, entry in entries.items()
    ]
    head, rest = TUNING.read_text(encoding="utf-8").split(BUDGET_BEGINS)
    _, tail = rest.split(BUDGET_ENDS)
    written = table(("method", "tuned over", "fixed"), rows)
    return f"{head}{BUDGET_BEGINS}\n\n{written}\n{BUDGET_ENDS}{tail}"


def page_name(heading: str) -> str:
    return re.split("[:,]", heading)[0].lower().replace("–", "-").replace(" ", "-") + ".md"


def pages() -> dict[Path, str]:
    """The overview with the tables of parts, and a page for each heading of the catalogue that has models."""
    entries = catalogue()
    found: dict[Path, str] = {}
    rows, others = [], []
    for heading, own, methods in sections():
        shown = [method_table(methods, entries)] if methods else []
        if own:
            blocks = [f"# {heading}\n", WRITTEN, *shown, *map(model_block, own)]
            text = "\n".join(blocks).replace("](../", "](../../").replace("](models/", "](")
            found[PAGES / page_name(heading)] = text
            rows += own
        elif methods:
            others += [f"## {heading}\n", *shown]
    blocks = [INTRODUCTION, "## Overview\n", overview(rows), *others]
    blocks += ["## Parts by name\n", PARTS_BY_NAME, *map(part_table, PARTS)]
    return {PAGE: "\n".join(blocks), **found}


@cache
def page_of(model: str) -> str:
    return next(page_name(heading) for heading, own, _ in sections() if model in own)


def overview(names: Iterable[str]) -> str:
    rows = []
    for name in names:
        _, lines = description(name)
        stated = (plain(lines[label].rstrip(".")) for label in ("Predicts", "Cost", "Certificate"))
        rows.append((link(name), *stated))
    return table(("model", "predicts", "cost of a fit", "certificate"), rows)


def model_block(name: str) -> str:
    equation, lines = description(name)
    stated = [f"- {label}: {lines[label]}" for label in LABELS]
    file = file_of(getattr(linclass, name))
    where = f"`linclass.{name}`, in [{file}](../{file})"
    return "\n".join([f"## {name}\n", f"{where}\n", f"{equation}\n", *stated, ""])


def method_table(methods: list[tuple[str, str]], entries: dict[str, Any]) -> str:
    rows = []
    for name, comment in methods:
        entry = entries[name]
        classifier = entry["classifier"]
        ours = classifier.startswith("linclass.")
        rows.append(
            (
                f"`{name}`",
                link(classifier.removeprefix("linclass.")) if ours else f"`{classifier}`",
                ", ".join(settings(entry)),
                comment,
            )
        )
    return table(("method", "model", "with", "about"), rows)


def settings(entry: dict[str, Any]) -> Iterator[str]:
    """What an entry sets, tunes and does to its features."""
    ours = entry["classifier"].startswith("linclass.")
    for name, value in entry.get("params", {}).items():
        if isinstance(value, dict):
            value = value.get("classifier", next(iter(value))).removeprefix("linclass.")
        if ours and name in NAMED and value in parts.names(NAMED[name]):
            value = part_link(NAMED[name], value)
        yield f"{name} {'none' if value is None else value}"
    yield from (f"{name} tuned" for name in entry.get("tune", {}))
    yield from (f"feature map {name}" for name in step_names(entry.get("features", [])))
    for name in step_names(entry.get("transforms", [])):
        if name not in USUAL:
            yield f"transform {name}"


def step_names(steps: list[Any]) -> list[str]:
    return [next(iter(step)) if isinstance(step, dict) else step for step in steps]


PARTS_BY_NAME = """\
Models compose a loss, a penalty and a solver; generative models have an exponential family, kernel machines a kernel.
Each is chosen by its name. Options are given as `{name: {option: value}}`, for example
`solver={"quasi_newton": {"memory": 20}}`. `solver="auto"` chooses by loss, penalty and shape of X.
"""


def part_table(package: str) -> str:
    """Name and first sentence of each part; of a solver also which losses and penalties it takes."""
    rows = []
    for name in parts.names(package):
        found = parts.find(package, name)
        stated = found.__doc__
        first = inspect.cleandoc(stated or "").partition("\n\n")[0]
        first = re.split(r"   (?=[A-Z])", " ".join(first.split("\n")))[0].strip(" :,")
        row = (part_link(package, name), plain(first))
        taken = (
            (in_words(found.needs), TAKES.get(found.takes, found.takes))
            if package == "solvers"
            else ()
        )
        rows.append((*row, *taken))
    columns = (
        ("solver", "method", "loss", "penalty") if package == "solvers" else (package, "meaning")
    )
    return table(columns, rows)


def part_link(package: str, name: str) -> str:
    return f"[`{name}`](../{file_of(parts.find(package, name))})"


def plain(text: str) -> str:
    """Text whose characters mean nothing to Markdown."""
    return re.sub(r"([|*<]|(?<![a-z])_)", r"\\\1", text)


def stub() -> str:
    """The public names of linclass for type checkers and editors, which cannot see imports on first use."""
    imports = []
    for name in linclass.__all__:
        line = f"from {module_of(name)} import {name} as {name}"
        if len(line) > LINE_LENGTH:
            line = f"from {module_of(name)} import (\n    {name} as {name},\n)"
        imports.append(line)
    imports += [f"from linclass import {name} as {name}" for name in SUBMODULES]
    about = "# The public names for type checkers; written by docs/make_models.py."
    others = ["__version__: str", "__all__: list[str]"]
    return "\n".join([about, *sorted(imports), "", *others, ""])


def link(name: str) -> str:
    return f"[{name}](models/{page_of(name)}#{name.lower()})"


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    TUNING.write_text(tuning_page(), encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
