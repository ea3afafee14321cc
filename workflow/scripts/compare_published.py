"""The exhibits' numbers → each published number against ours, and the page of all exhibits."""

from pathlib import Path

from linclass_study import job
from linclass_study.textbook import published, textbook_page

job.begin(snakemake.log[0])
folder = Path(snakemake.output.page).parent
checks = published.check(folder)
published.write(checks, Path(snakemake.output.checks))
Path(snakemake.output.page).write_text(textbook_page.page(folder, checks), encoding="utf-8")
