"""Figures of the report (linclass_study/report/contents.py).

exhibits/{name}[-{dataset}]/figure.svg, numbers.json    a figure and the numbers that it shows, if it can be drawn
exhibits/{name}[-{dataset}]/figure.png, .pdf            on demand: `snakemake figures`
exhibits/{dataset}.json, exhibits.json                  digests of these files, or reasons why figures are not drawn

The job `score` draws the figures of each data set, since they depend on its runs alone. The job `report` draws the
figures over all data sets, since they depend on the tables. Their outputs are the records of digests (docs/decisions.md).
"""


rule figures:
    """Write every figure as PNG and PDF beside its SVG; only on request."""
    input:
        expand("<results>/exhibits/{dataset}.json", dataset=DATASETS),
        "<results>/exhibits.json",
    log:
        "<results>/logs/figures.log",
    localrule: True
    conda:
        "../envs/linclass.yaml"
    params:
        study=INPUTS.digest,
    script:
        "../scripts/figures.py"
