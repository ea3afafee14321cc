"""`snakemake --report` gathers the page, which has all figures and tables, with its caption."""

import re
import zipfile

import pytest


@pytest.mark.slow
def test_the_page_is_in_snakemakes_report_with_its_caption(computed):
    made = computed.folder / "gathered.zip"
    output = computed.snakemake("--report", str(made))
    assert output.code == 0, output.text
    with zipfile.ZipFile(made) as archive:
        names = [name.rpartition("/")[2] for name in archive.namelist()]
        page = archive.read("gathered/report.html").decode()
    assert names.count("report.html") == 2  # Snakemake's and ours
    (caption,) = re.findall(r'"caption": "([^"]*)', page)
    assert caption
    for words in ("Report", "one self-contained page"):
        assert words in page
