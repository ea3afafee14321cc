"""Numbers of all exhibits → comparison with the published ones, and the page."""

from pathlib import Path

from linclass_study.processes.job import begin_job
from linclass_study.textbook import textbook_page
from linclass_study.textbook.published import compare_published, write_published

begin_job(snakemake.log[0])
folder = Path(snakemake.output.page).parent
checks = compare_published(folder)
write_published(checks, Path(snakemake.output.checks))
Path(snakemake.output.page).write_text(textbook_page.page(folder, checks), encoding="utf-8")
