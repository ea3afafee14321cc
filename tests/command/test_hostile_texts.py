"""Names, labels and reasons of somebody else: no HTML on the page, no formula in CSV files, no command in LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from unittest import mock

import polars as pl
import pytest
import studies
from cases import each
from finished_results import change, content, edit, made_up, study_of
from studies import Data, Method

from linclass_study.analysis.export import export_table, markdown
from linclass_study.errors import StudyError
from linclass_study.files.tables import write_csv
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing.svg import inline
from linclass_study.report.latex import escaped

HTML = "<img src=x onerror=code()>"
TEXT = f"=cmd()|{HTML}\\input{{x}}[a](javascript:b)`c"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a page and tables of results that contain the text everywhere a text is possible."""
    results = tmp_path_factory.mktemp("hostile") / "results"
    data = {"two": Data((TEXT, "-1"), rows=40), "none": Data(unavailable=TEXT)}
    failing = Method(everywhere=("failed", TEXT))
    made_up(results, data, {"good": Method(2.0), "failing": failing}, machine=TEXT.replace("/", ""))
    outcome = studies.build(results, data, {"good": Method(2.0), "failing": failing}, 3)
    for file in results.glob("checks/*.json"):
        facts = json.loads(file.read_text())
        more = {"licence": TEXT, "citation": TEXT, "source": TEXT, "reason": TEXT}
        lists = {name: [TEXT] for name, value in facts.items() if value == []}
        file.write_text(json.dumps(facts | more | lists | {"unchecked": {TEXT: TEXT}}))
    for entry in (*outcome.datasets.values(), *outcome.methods.values()):
        entry |= {"licence": TEXT, "citation": TEXT, "params": {TEXT: TEXT}}
    with mock.patch.dict(studies.MACHINE, Written=TEXT):
        (results / "report.html").write_text(studies.finish(outcome, *FIGURES))
    return results


def test_no_text_becomes_a_tag_of_the_page(written):
    page, found = (written / "report.html").read_text(), []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(page)
    assert "cmd()" in page
    for tag, attributes in found:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert "src" not in attributes, (tag, attributes)
        assert not (attributes.get("href") or "").startswith("javascript:")
    assert len(re.findall("<script", page)) == sum(tag == "script" for tag, _ in found)


def test_no_text_becomes_a_formula_of_a_spreadsheet(written):
    texts = [file.read_text(encoding="utf-8") for file in written.rglob("*.csv")]
    cells = [
        cell for text in texts for row in csv.reader(io.StringIO(text, newline="")) for cell in row
    ]
    assert [cell for cell in cells if cell.startswith("'=cmd()")]
    for cell in cells:
        assert not cell.startswith(("=", "@", "+", "\t", "\r")), cell
        assert not cell.startswith("-") or float(cell) <= 0, cell


def test_no_text_becomes_a_command_of_latex_or_a_cell_of_markdown(written):
    tables = [*written.rglob("*.tex")]
    assert tables
    for file in tables:
        assert "\\input" not in file.read_text()
    for file in written.rglob("*.md"):
        lines = [line for line in file.read_text().splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}) <= 1, file
        assert "<img" not in file.read_text()
        assert not re.search(r"(?<!\\)(?:\\\\)*\[", file.read_text()), file


def test_a_csv_file_keeps_every_number_unchanged(tmp_path):
    columns = {
        "x": [-1.5, 2.0],
        "text": ["-1", "+2.5e3"],
        "label": ["-x", "@y"],
        "=1+1": ["a", None],
    }
    write_csv(pl.DataFrame(columns), tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text()
    assert text == "x,text,label,'=1+1\n-1.5,-1,'-x,a\n2.0,+2.5e3,'@y,\n"


def test_markdown_and_latex_escape_their_special_characters(tmp_path):
    data = pl.DataFrame({"a|b": ["x|y", "x\\|y", "[l](u)", "*", "[1]"]})
    assert markdown(data) == (
        "| a\\|b |\n| --- |\n| x\\|y |\n| x\\\\\\|y |\n| \\[l](u) |\n| * |\n| \\[1] |\n"
    )
    assert [escaped(text) for text in ("*", "[1]", "a_b")] == ["{*}", "{[}1]", "a\\_b"]
    export_table(data, tmp_path / "t")
    assert (tmp_path / "t.md").read_text() == markdown(data)


@each("inside", [
    "<script>code()</script>",
    '<g onload="code()"/>',
    "<g/onload=code()>",
    '<image href="https://example.org/x.png"/>',
    "<use href='javascript:code()'/>",
    "<foreignObject/>",
    '<path d=">" onload="code()"/>',
    "<path d='>' onload=code() d='>'/>",
    '<title><image src="https://example.org/x.png"/></title>',
    '<g style="fill: &#117;rl(https://example.org/)"/>',
    '<g style="fill: \\75rl(https://example.org/)"/>',
    '<g style="position: fixed"/>',
    '<path style="fill: url(https://example.org/)"/>',
    "<!ENTITY x 'y'>",
])  # fmt: skip
def test_a_drawing_with_anything_active_is_not_put_into_the_page(inside):
    drawing = '<svg viewBox="0 0 1 1"><path d="M0 0"/>{}</svg>'
    assert inline(drawing.format(""), "roc", "title").startswith("<svg")
    with pytest.raises(StudyError, match=r"exhibits/roc/figure\.svg has <"):
        inline(drawing.format(inside), "roc", "title")


def test_the_readme_of_an_archive_escapes_what_results_say(linclass, a, tmp_path):
    study = study_of(a)
    study["datasets"]["two"] |= {"licence": TEXT, "citation": TEXT}
    edit(a / "study.json", **study)
    change(a / "runs/two/good/fits.parquet", reason=pl.lit(TEXT))
    archive = tmp_path / "p.zip"
    assert linclass("publish", a, "--partial", "--title", TEXT, "--into", archive).code == 0
    text = content(archive)["README.md"].decode()
    (line,) = (line for line in text.splitlines() if line.startswith("| two"))
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 6
    assert "<img" not in text
