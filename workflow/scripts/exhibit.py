"""A script of the textbook → its figure and numbers."""

from pathlib import Path

from linclass_study import job
from linclass_study.textbook.run_script import run

job.begin(snakemake.log[0])
folder = Path(snakemake.output.numbers).parent.parent
run(snakemake.wildcards.exhibit, folder, snakemake.params.mirrors, snakemake.config["downloads"])
