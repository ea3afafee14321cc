"""Figures (linclass_study/report/contents.py).

exhibits/{exhibit}/figure.svg, numbers.json    the figure and the numbers that it shows; no files without a figure
exhibits/{exhibit}/figure.png, .pdf            on demand: `snakemake figures`
exhibits/{dataset}.json, exhibits.json         the digests of these files, or the reasons why figures are not drawn

The figures of a data set depend on its runs alone, and are drawn where these are scored (score.smk); those of all data
sets depend on the tables, and are drawn with the page (report.smk).
"""


rule figures:
    """All figures as PNG and PDF, beside their SVG; only when it is asked for."""
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
