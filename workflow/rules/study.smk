"""Read and check the study; patterns of names, and the functions that rules call."""

from time import time_ns

from snakemake.logging import logger

from linclass_study.analysis.export import ACROSS, STRATA
from linclass_study.config.study import AS_IS
from linclass_study.protocols import metrics_of
from linclass_study.report import contents
from linclass_study.textbook import course
from linclass_study.workflow.handlers import Handlers
from linclass_study.workflow.rule_inputs import (
    DIVIDED,
    FIRST,
    RuleInputs,
    code_of,
    code_of_exhibit,
    code_of_figures,
    open_study,
)

STUDY = open_study(workflow, config, logger)
INPUTS = RuleInputs(STUDY, workflow)
HANDLERS = Handlers(INPUTS, workflow, logger, rules)

DATASETS = list(STUDY.datasets)
OF_STRATA = STRATA if STUDY.evaluation.get("strata") else ()
FIGURES_OF_DATASET, OVERALL_FIGURES = INPUTS.figures[True], INPUTS.figures[False]
TEXTBOOK = course.script_names()


pathvars:
    results=STUDY.results,


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    features="[^/]+",
    exhibit="[^/]+",
    bundle="[^/@]*(@[^/@]+)?",
    shard="[0-9]+",
