"""A script of the textbook → its figure and numbers."""

from pathlib import Path

from linclass_study.processes.job import begin_job
from linclass_study.textbook.script import run_script

begin_job(snakemake.log[0])
folder = Path(snakemake.output.numbers).parent.parent
run_script(
    snakemake.wildcards.exhibit, folder, snakemake.params.mirrors, snakemake.config["downloads"]
)
