"""`snakemake --report` gathers every figure, table and the page, with captions, by section and data set."""

from __future__ import annotations

import re
import zipfile

import pytest

from linclass_study.report.exhibits import asked_figures, figure_names
from linclass_study.report.page_tables import table_files


@pytest.mark.slow
@pytest.mark.parametrize("form", ["zip", "html"])
def test_figures_tables_and_page_are_in_snakemakes_report_with_captions(computed, form):
    made = computed.folder / f"gathered.{form}"
    output = computed.snakemake("--report", str(made))
    assert output.code == 0, output.text
    if form == "html":
        page = made.read_text(encoding="utf-8")
    else:
        with zipfile.ZipFile(made) as archive:
            names = [name.rpartition("/")[2] for name in archive.namelist()]
            page = archive.read("gathered/report.html").decode()
        names_of = figure_names(asked_figures({"protocols": ["cv"], "folds": 1, "repeats": 1}, {}))
        assert names.count("figure.svg") == 2 * len(names_of[True]) + len(names_of[False])
        tables = table_files(["iris", "gaussians"])
        assert {name for name in names if name.endswith(".csv")} == {f"{t}.csv" for t in tables}
        assert names.count("report.html") == 2  # Snakemake's and ours
    captions = re.findall(r'"caption": "([^"]*)', page)
    assert len(captions) >= 2 * len(figure_names()[True]) - 4
    assert all(captions)
    for words in (
        "Each data set",
        "Across data sets",
        "iris",
        "gaussians",
        "dashed line is chance",
    ):
        assert words in page
