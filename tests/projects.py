"""A copy of the project in its own folder, and the output of Snakemake in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
PARTS = [
    "Snakefile", "config", "linclass", "linclass_study", "profiles", "resources",
    "snakemake_logger_plugin_linclass", "textbook", "workflow",
]  # fmt: skip


@dataclass
class Output:
    """The output of a Snakemake call and its exit code."""

    code: int
    text: str

    @property
    def table(self):
        """Rule → number of jobs, and in a dry run the first of their names, of the table of jobs."""
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", self.text, flags=re.M | re.S)
        lines = table.group(1).splitlines() if table else []
        return {name: about for name, *about in (line.split(maxsplit=2) for line in lines)}

    @property
    def jobs(self):
        """Rule → how many jobs."""
        return {name: int(about[0]) for name, about in self.table.items()}

    @property
    def jobs_in_all(self):
        return sum(self.jobs.values())

    @property
    def runs(self):
        """(dataset, method) of the runs that a dry run plans to fit."""
        found = re.findall(r"^(\S+): .*\d+ of \d+ runs? to fit.*: (.+)$", self.text, re.M)
        without_fits = ((d, re.sub(r" \(\d+ fits?\)", "", methods)) for d, methods in found)
        return {(d, m) for d, methods in without_fits for m in re.split(", | and ", methods)}

    @property
    def bundles(self):
        """Names of the jobs that a dry run plans for runs, with or without fits to make."""
        return re.split(", | and ", self.table["cross_validate"][1])

    @property
    def own_lines(self):
        """Without Snakemake's output before it reads the Snakefile."""
        usual = ("Using workflow specific profile", "Config file ")
        return [
            line for line in self.text.splitlines() if line.strip() and not line.startswith(usual)
        ]

    @property
    def nothing_to_do(self):
        return "Nothing to be done" in self.text


class Project:
    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def append(self, name, text):
        with (self.folder / name).open("a") as file:
            file.write(text)

    def environment(self, **changes):
        """No mirror, no network beyond a proxy that refuses: only the bundled resources are available."""
        env = {k: v for k, v in os.environ.items() if k != "LINCLASS_MIRRORS"}
        nowhere = "http://127.0.0.1:9"
        env |= {"PYTHONPATH": str(self.folder), "http_proxy": nowhere, "https_proxy": nowhere}
        return env | changes

    def command(self, *arguments, study="study.yaml"):
        files = ["--configfile", study] if study else []
        return [sys.executable, "-m", "snakemake", "--cores", "2", *files, *arguments]

    def snakemake(self, *arguments, study="study.yaml", **env):
        done = subprocess.run(
            self.command(*arguments, study=study),
            cwd=self.folder,
            env=self.environment(**env),
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        return Output(done.returncode, done.stdout + done.stderr)

    def plan(self, **env):
        return self.snakemake("-n", **env)

    def fits(self, dataset=None, method=None):
        table = pl.read_parquet(self.folder / "results" / "fits.parquet")
        if dataset is not None:
            table = table.filter(dataset=dataset)
        return table if method is None else table.filter(method=method)

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


def copy(folder):
    folder.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():  # with its bytecode, which each process would compile again
            shutil.copytree(source, folder / part)
        else:
            shutil.copy2(source, folder / part)
    return Project(folder)
