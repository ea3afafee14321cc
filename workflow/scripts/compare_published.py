"""Numbers of all exhibits → comparison with the published ones, and the page."""

from pathlib import Path

from linclass_study import job
from linclass_study.textbook import published, textbook_page

job.begin(snakemake.log[0])
folder = Path(snakemake.output.page).parent
checks = published.check(folder)
published.write(checks, Path(snakemake.output.checks))
Path(snakemake.output.page).write_text(textbook_page.page(folder, checks), encoding="utf-8")
