"""Each table is on the page and in the folder: CSV, Markdown and LaTeX of the same numbers."""

import polars as pl
import pytest
import studies
from studies import Data, Method

from linclass_study.report import table as table_module
from linclass_study.report import tables
from linclass_study.report.contents import SCRIPTED, SECTIONS, TABLES, Part
from linclass_study.report.table import Column, Number, ReportTable, table_files

SIZES = """
from linclass_study.report.table import Column, ReportTable


def sizes(outcome, dataset=""):
    if dataset == "none":
        return None
    columns = [Column("method", "Method", "method"), Column("size", "Size", "count")]
    return ReportTable(f"Sizes {dataset}", "A caption of sizes.", columns, [["m", 12345]])
"""


def test_adding_one_entry_adds_one_table_to_its_section(make, tmp_path, monkeypatch):
    (tmp_path / "added.py").write_text(SIZES)
    monkeypatch.setattr(tables, "__path__", [*tables.__path__, str(tmp_path)])
    wanted = [
        (section, each) for section in SECTIONS if section not in SCRIPTED for each in (True, False)
    ]
    for section, each in wanted:
        part = Part(section, "tables.added.sizes", each)
        monkeypatch.setitem(TABLES, f"sizes_{section}_{each}", part)
    outcome = make({"d": Data(), "none": Data()}, {"m": Method(), "other": Method(2.0)}, folds=2)
    page = studies.finish(outcome)
    for name in table_files(["d", "none"]):
        assert (outcome.results / "tables" / name).exists()
    for section, each in wanted:
        name = f"sizes_{section}_{each}"
        files = [f"{name}-d", f"{name}-none"] if each else [name]
        written = [file for file in table_files(["d", "none"]) if name in file]
        assert written == [f"{file}.{form}" for file in files for form in ("csv", "md", "tex")]
        part = page[page.index(f'<h2 id="{section}"') :].split("<h2")[1]
        assert part.count(f'id="table-{files[0]}"') == 1
        assert page.count(f'id="table-{name}') == 1
        table = pl.read_csv(outcome.results / "tables" / f"{files[0]}.csv")
        assert table.to_dicts() == [{"method": "m", "size": 12345}]
    assert pl.read_csv(outcome.results / "tables" / f"{name[:-6]}_True-none.csv").columns == [
        "nothing"
    ]


def test_a_file_has_every_number_in_full_with_its_spread_and_interval():
    columns = [
        Column("methods", "Methods", "method"), Column("a", "A", "number"), Column("b", "B", "number"),
        Column("seconds", "Seconds", "seconds"),
    ]  # fmt: skip
    third = 1 / 3
    rows = [
        [["m", "n"], Number(third, sd=2 * third), Number(1.0, interval=(0.5, 2.0)), 1e-5],
        ["o", None, Number(None), None],
    ]
    assert ReportTable("t", "c", columns, rows).frame().to_dicts() == [
        {"methods": "m; n", "a": third, "a_sd": 2 * third, "b": 1.0, "b_low": 0.5, "b_high": 2.0, "seconds": 1e-5},
        {"methods": "o", "a": None, "a_sd": None, "b": None, "b_low": None, "b_high": None, "seconds": None},
    ]  # fmt: skip


def test_a_table_of_a_data_set_is_made_of_its_own_scores_and_fits(make, monkeypatch):
    outcome = make({"d": Data(), "e": Data()}, {"m": Method(), "n": Method(2.0)}, folds=3)
    for dataset, own in outcome.parts().items():
        for name in ("scores", "fits", "times"):
            expected = getattr(outcome, name).filter(dataset=dataset)
            assert getattr(own, name).equals(expected)


def test_a_page_of_too_many_rows_shows_the_first_ones_and_says_so(make, monkeypatch):
    monkeypatch.setattr(table_module, "ROOM", 100)
    monkeypatch.setattr(table_module, "FEWER_ROWS", 3)
    outcome = make({"d": Data()}, {f"m{i}": Method(i / 3) for i in range(7)}, folds=3)
    page = studies.finish(outcome)
    for name, title in {
        "metrics": "3 of 7",
        "differences": "3 of 6",
        "performance": "3 of 7",
    }.items():
        part = page[page.index(f'id="table-{name}-d"') :].split("</p>")[0]
        assert part.count("<tr") == 1 + 3
        assert f"{title} rows" in part
        assert pl.read_csv(outcome.results / "tables" / f"{name}-d.csv").height in (6, 7)


def test_a_kind_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match="column x: kind 'numeral' is unknown; known are text, "):
        Column("x", "X", "numeral")
