"""Snakemake's logger plugin `linclass`: found by the name of this package, chosen by `logger:` of the profiles."""

from linclass_study.execution.terminal import Terminal as LogHandler

__all__ = ["LogHandler"]
