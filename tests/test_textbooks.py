"""The tables of docs/textbooks.md name what exists, and every model is in a row."""

import importlib
import re
from pathlib import Path

import yaml
from cases import each

import linclass
from linclass.base import parts

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "textbooks.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.endswith("| example |")
]
METHODS = yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))
MODELS = {name for name in linclass.__all__ if name[0].isupper()}
PARTS = {
    name
    for package in (
        "families", "kernels", "losses", "penalties", "solvers", "features", "transforms",
    )
    for name in parts.names(package)
}  # fmt: skip


def spans(text):
    return re.findall(r"`([^`]+)`", text)


def head(span):
    return span.partition("(")[0]


@each("row", ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_everything_named_in_a_row_exists(row):
    assert len(row) == 4
    section, subject, ours, examples = row
    assert section
    assert subject
    assert spans(ours)
    assert examples
    named = [getattr(linclass, head(span)) for span in spans(ours) if head(span) in MODELS]
    for span in spans(ours):
        name = head(span)
        if name in MODELS:
            eval(span, vars(linclass)).check() if "(" in span else None
            link = rf"\[`{re.escape(span)}`\]\(models/[\w-]+\.md#{name.lower()}\)"
            assert re.search(link, ours)
        elif "." in name:
            module, _, function = name.rpartition(".")
            found = importlib.import_module(module)
            assert hasattr(found, function) or function in found.names()
        else:
            of_a_model = any(name in model.__doc__ or hasattr(model, name) for model in named)
            assert name in {*linclass.__all__, *PARTS, "linear_program"} or of_a_model
    for example in spans(examples):
        assert example in METHODS
    for exhibit in re.findall(r"\]\(\.\./(textbook/\w+\.py)\)", examples):
        assert (ROOT / exhibit).is_file()


def test_every_model_is_in_a_row():
    named = {head(span) for row in ROWS for span in spans(row[2])}
    assert not sorted(MODELS - named), "add the model to a table of docs/textbooks.md"
