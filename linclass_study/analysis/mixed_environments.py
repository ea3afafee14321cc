"""Whether the fits of a ranking were made in environments that may give different numbers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from linclass.base.messages import counted, first_names
from linclass_study.processes.environment import environment, numerical
from linclass_study.statuses import FITTED

UNRECORDED = "unrecorded"  # id of the environment of fits that name none
SHOWN = 5  # runs that are named
THREADS = re.compile(r", \d+ threads? per job")  # of environment.blas


@dataclass(frozen=True)
class MixedEnvironments:
    """The runs to fit again: those with fits of another environment than the present one, or if no fit is of the
    present environment, than that of most fits.

    differing      property → its values
    runs           (data set, method)
    environments   ids of their environments
    reference      what these environments differ from
    """

    differing: dict[str, list[str]]
    runs: list[tuple[str, str]]
    environments: list[str]
    reference: str

    def sentences(self, results: str) -> list[str]:
        """What differs, which runs, and how they are fitted again in this results folder."""
        values = "; ".join(f"{name} {' or '.join(of)}" for name, of in self.differing.items())
        names = first_names([" × ".join(run) for run in self.runs], SHOWN)
        command = shlex.join(["linclass", "clean", results, "--environment", *self.environments])
        differ = "differs" if len(self.runs) == 1 else "differ"
        return [
            f"The ranking mixes fits of different environments ({values})",
            f"{counted(len(self.runs), 'run')} {differ} from {self.reference}: {names}",
            f"To fit them again in the present environment: `{command}`, then the study's snakemake command",
        ]


def mixed_environments(
    fits: pl.DataFrame, known: Mapping[str, Mapping[str, str]]
) -> MixedEnvironments | None:
    """None if all fits with predictions were made in equivalent environments.

    `known` maps the ids of environments to their properties.
    """
    if "environment" not in fits.columns:  # results of earlier versions
        return None
    ranked = fits.filter(pl.col("status").is_in(FITTED))
    ids = ranked["environment"].fill_null(UNRECORDED)
    kinds = {name: numerical(known.get(name, {})) for name in ids.unique().sort()}
    number = [*kinds.values()].index
    kind = ids.replace_strict(
        {name: number(own) for name, own in kinds.items()}, return_dtype=pl.Int32
    )
    counts = kind.value_counts(sort=True)
    if counts.height < 2:
        return None
    by_count = counts.sort("count", ids.name, descending=[True, False])[ids.name].to_list()
    present = _without_threads(numerical(environment()))
    here = {number(own) for own in kinds.values() if _without_threads(own) == present}
    kept = next((one for one in by_count if one in here), by_count[0])
    reference = "the present environment" if kept in here else "most"
    others = ranked.with_columns(environment=ids).filter(kind != kept)
    properties = dict.fromkeys(name for own in kinds.values() for name in own)
    values = {
        name: [*dict.fromkeys(own.get(name, "not recorded") for own in kinds.values())]
        for name in properties
    }
    return MixedEnvironments(
        {name: distinct for name, distinct in values.items() if len(distinct) > 1},
        others.select("dataset", "method").unique().sort("dataset", "method").rows(),
        sorted(others["environment"].unique()),
        reference,
    )


def _without_threads(properties: Mapping[str, str]) -> dict[str, str]:
    """This process may have more threads than the jobs that fit."""
    return {name: THREADS.sub("", value) for name, value in properties.items()}
