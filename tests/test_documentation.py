"""Examples of pages give what they show, generated pages are current, and models and files that pages name exist."""

import doctest
import importlib
import importlib.util
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from cases import each

import linclass
from linclass.base import parts
from linclass.base.classifier import Classifier
from linclass.base.parts import names

ROOT = Path(__file__).parent.parent
LIBRARY = [ROOT / "docs" / name for name in ("library.md", "many_fits.md")]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def generator():
    spec = importlib.util.spec_from_file_location("make_models", ROOT / "docs" / "make_models.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_models = generator()
MODELS = make_models.models()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_give_the_output_shown(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(os.fspath(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 20 or page not in LIBRARY
    assert not result.failed


def test_the_example_of_the_readme_runs():
    (example,) = re.findall(r"```python\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(example, names)
    assert names["model"].certificate_ <= names["model"].tol


def test_the_library_page_names_every_public_function():
    page = "".join(page.read_text(encoding="utf-8") for page in LIBRARY)
    assert not [name for name in linclass.__all__ if name[0].islower() and name not in page]


def test_pages_of_models_names_for_type_checkers_and_tuning_budgets_are_generated():
    pages = make_models.pages()
    assert {make_models.PAGE, *make_models.PAGES.glob("*.md")} == set(pages)
    pages |= {make_models.STUB: make_models.stub(), make_models.TUNING: make_models.tuning_page()}
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/make_models.py"


def test_the_page_of_models_has_every_model_and_every_method_once():
    listed = list(make_models.sections())
    assert sorted(name for _, own, _ in listed for name in own) == sorted(MODELS)
    names = [name for _, _, methods in listed for name, _ in methods]
    assert not [name for _, _, methods in listed for name, comment in methods if not comment]
    catalogue = make_models.yaml.safe_load(make_models.CATALOGUE.read_text(encoding="utf-8"))
    assert names == list(catalogue)


def test_a_model_without_its_lines_is_refused(monkeypatch):
    text = "Equation.\n\nCost: O(n).\n"
    monkeypatch.setattr(sys.modules[linclass.LinearSVM.__module__], "__doc__", text)
    words = r"linear_svm.py: its docstring ends with Cost; it must end"
    with pytest.raises(SystemExit, match=words):
        make_models.description("LinearSVM")


@each("name", MODELS)
def test_a_model_states_its_equation_cost_and_reference(name):
    _, lines = make_models.description(name)
    kind = getattr(linclass, name)
    assert kind.__doc__.startswith(sys.modules[kind.__module__].__doc__)
    assert re.search(r"O\(|fits of the estimator", lines["Cost"])
    assert re.search(r"\(\d{4}\)", lines["Reference"])
    assert all(line.endswith(".") for line in lines.values())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("name", MODELS)
def test_a_model_has_the_predictions_and_the_certificate_that_it_states(name):
    _, lines = make_models.description(name)
    kind = getattr(linclass, name)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    several = kind().__sklearn_tags__().classifier_tags
    for n_classes in (2, 3) if several is None or several.multi_class else (2,):
        y = rng.integers(0, n_classes, 60) if issubclass(kind, Classifier) else rng.normal(size=60)
        model = kind().fit(X, y)
        stated = lines["Certificate"]
        assert stated.startswith("that of ") or model.certificate_kind_.replace("_", " ") in stated
        assert hasattr(model, "predict_proba") == ("probabilities" in lines["Predicts"])
        assert hasattr(model, "transform") == ("coordinates" in lines["Predicts"])


FOLDERS = (
    "benchmarks", "config", "docs", "linclass", "linclass_study", "profiles", "tests", "textbook", "workflow",
)  # fmt: skip


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@each("page", PAGES, ids=lambda page: page.name)
def test_files_and_headings_that_a_page_names_exist(page):
    """Of a name with {braces} the folder; the gallery and the API are made with the site."""
    text = without_code(page.read_text(encoding="utf-8"))
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[^\s`]*)`", text)
    links = re.findall(r"\]\((?!gallery/|api.rst)([^)#:]+)(?:#[^)]*)?\)", text)
    paths = [ROOT / path.partition("{")[0] for path in named] + [page.parent / x for x in links]
    assert not [str(path) for path in paths if not path.exists()]
    for target, anchor in re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", text):
        assert anchor in anchors(page.parent / (target or page.name)), f"{target}#{anchor}"


def test_files_that_docstrings_and_comments_name_exist():
    """Names may omit leading folders. `mine.py` is the file of a user."""
    files = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")}
    texts = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "docs/decisions.md")]
    texts += [path for path in files if path.suffix in (".py", ".smk")]
    ends = {"/".join(path.parts[-n:]) for path in files for n in range(1, 6)} | {"mine.py"}
    for path in texts:
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".md":
            text = "".join(re.findall(r'""".*?"""|#[^\n]*', text, re.DOTALL))
        named = re.findall(r"(?<![\w{}*<>./-])(?:[\w.-]+/)*[\w-]+\.(?:py|smk|css|js)\b", text)
        assert {*named} <= ends, path


def anchors(page):
    """Of the headings, as GitHub makes them."""
    text = without_code(page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_page_of_features_has_a_row_of_each():
    text = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    rows = " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("|"))
    assert {*names("features"), *names("transforms")} <= set(re.findall(r"`(\w+)`", rows))


TEXTBOOKS = (ROOT / "docs" / "textbooks.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXTBOOKS.splitlines()
    if line.startswith("| ") and not line.endswith("| example |")
]
METHODS = yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))
CLASSES = {name for name in linclass.__all__ if name[0].isupper()}
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
    named = [getattr(linclass, head(span)) for span in spans(ours) if head(span) in CLASSES]
    for span in spans(ours):
        name = head(span)
        if name in CLASSES:
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
    assert not sorted(CLASSES - named), "add the model to a table of docs/textbooks.md"
