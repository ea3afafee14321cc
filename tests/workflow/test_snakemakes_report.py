"""`snakemake --report` gathers the page, which has all figures, and every table, with captions."""

from __future__ import annotations

import re
import zipfile

import pytest

from linclass_study.report.page_tables import table_files


@pytest.mark.slow
@pytest.mark.parametrize("form", ["zip", "html"])
def test_page_and_tables_are_in_snakemakes_report_with_captions(computed, form):
    made = computed.folder / f"gathered.{form}"
    output = computed.snakemake("--report", str(made))
    assert output.code == 0, output.text
    if form == "html":
        page = made.read_text(encoding="utf-8")
    else:
        with zipfile.ZipFile(made) as archive:
            names = [name.rpartition("/")[2] for name in archive.namelist()]
            page = archive.read("gathered/report.html").decode()
        tables = table_files(["iris", "gaussians"])
        assert {name for name in names if name.endswith(".csv")} == {f"{t}.csv" for t in tables}
        assert names.count("report.html") == 2  # Snakemake's and ours
    captions = re.findall(r'"caption": "([^"]*)', page)
    assert len(captions) > len(table_files([]))
    assert all(captions)
    for words in ("Report", "Tables", "one self-contained page"):
        assert words in page
