"""What Sphinx reads: the pages of the API, docstrings as reStructuredText, and pages that lie beside docs/."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from gallery import escaped

import linclass
from linclass.base.public import SUBMODULES, module_of
from linclass_study.project import ROOT

FUNCTIONS = "Functions"
FAMILIES = {
    "base": "Baselines",
    "bayes": "Bayesian models",
    "discriminant": "Discriminant analysis",
    "kernels": "Kernel machines",
    "linear": "Linear models",
    "multiclass": "Several classes from two",
    "naive_bayes": "Naive Bayes",
    "online": "Online rules",
    "separation": "Fewest errors",
    "tuning": "Tuning and calibration",
}
BESIDE = {  # pages of the site that are files of the root
    "contribute": "CONTRIBUTING.md",
    "changes": "CHANGELOG.md",
    "security": "SECURITY.md",
}
BELOW = {  # page → pages below it in the navigation
    "compare": (
        "study",
        "data",
        "generators",
        "features",
        "texts",
        "estimators",
        "metrics",
        "add_method",
    ),
    "contribute": ("new_parts", "decisions", "security", "changes"),
    "explanations": (
        "objective",
        "evaluation",
        "tuning",
        "statistics",
        "checks",
        "reference_results",
        "reference_study",
    ),
    "library": ("many_fits",),
    "get_started": ("report",),
    "reference": ("api", "models", "models/*", "results", "commands"),
    "scale": ("cluster", "refits", "sharing"),
    "teach": ("gallery/index", "textbook", "textbooks"),
}
RESULTS = {  # pages of results/ → their names
    "report.html": "the report of the default study",
    "reference/reference_2026.1.html": "the report of the reference study, preliminary",
    "textbook/textbook.html": "the textbook with all its numbers",
}


def write_reference(page: Path) -> None:
    """Write the list of the public names of linclass, which have a page each."""
    lines = ["API", "===", "", "Every name is in ``linclass`` and is imported on first use.", ""]
    by_title: dict[str, list[str]] = {}
    for name in linclass.__all__:
        package = module_of(name).split(".")[1]
        title = FUNCTIONS if name[0].islower() else FAMILIES[package]
        by_title.setdefault(title, []).append(name)
    for title in sorted(by_title, key=lambda title: (title == FUNCTIONS, title)):
        lines += [title, "-" * len(title), "", ".. currentmodule:: linclass", ""]
        lines += [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in by_title[title]), ""]
    for name in SUBMODULES:
        module = importlib.import_module(f"linclass.{name}")
        title = module.__doc__.partition("\n")[0].rstrip(".")
        lines += [f"``linclass.{name}``", "-" * (len(name) + 13), "", title + ".", ""]
        lines += [
            f".. currentmodule:: {module.__name__}",
            "",
            ".. autosummary::",
            "   :toctree: api",
        ]
        lines += ["   :nosignatures:", "", *(f"   {found}" for found in module.__all__), ""]
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def results() -> list[str]:
    """The pages in results/, which the site contains if they exist."""
    return [file for file in RESULTS if (ROOT / "results" / file).exists()]


def read(app: Any, name: str, source: list[str]) -> None:
    """Read pages of the root for their stubs, and turn links to such files into links to pages."""
    text = source[0]
    if name in BESIDE:
        text = (ROOT / BESIDE[name]).read_text(encoding="utf-8").replace("](", "](../")
        text = text.replace("](../docs/", "](").replace("](../http", "](http")
    for page, file in BESIDE.items():
        text = text.replace(f"](../{file}", f"]({page}.md")
    text = re.sub(r"\]\(\.\./README\.md[^)]*\)", "](index.md)", text)
    if name == "index" and (made := results()):
        links = [f'<a href="{Path(file).name}">{RESULTS[file]}</a>' for file in made]
        text = text.replace("::::{grid}", f"See {' and '.join(links)}.\n\n::::{{grid}}", 1)
    if name in BELOW:
        text += "\n\n```{toctree}\n:hidden:\n:glob:\n\n" + "\n".join(BELOW[name]) + "\n```\n"
    source[0] = re.sub(r"\[([^]]*)\]\((\.\./[^)#]*)\)", _without_folder, text)


def _without_folder(link: re.Match[str]) -> str:
    """The words of a link to a folder, which a site does not have."""
    return link[1] if (ROOT / "docs" / link[2]).is_dir() else link[0]


def docstring(app: Any, what: str, name: str, it: Any, options: Any, lines: list[str]) -> None:
    """Write a docstring in reStructuredText: an indented block before the sections is an equation, shown as it is."""
    sections = next((i for i, line in enumerate(lines) if re.fullmatch("-{3,}", line)), len(lines))
    written: list[str] = []
    in_equation = False
    for number, line in enumerate(lines):
        begins, indented = written and not in_equation, line.startswith("  ")
        if number < sections and line.strip() and indented != in_equation:
            written += ["", "::", ""] if begins else [""]
            in_equation = indented
        named = re.match(r"[*\w, ]+ : ", line)  # numpydoc escapes names itself
        prefix = named.group() if named else ""
        written.append(line if in_equation else prefix + escaped(line[len(prefix) :]))
        in_equation = in_equation and number < sections
    lines[:] = written
