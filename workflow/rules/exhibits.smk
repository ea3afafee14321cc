"""Figures (linclass_study/report/contents.py).

exhibits/{exhibit}/figure.svg, numbers.json    the figure and the numbers that it shows; no files without a figure
exhibits/{exhibit}/figure.png, .pdf            on demand: `snakemake figures`
exhibits/{dataset}.json, exhibits.json         the digests of these files, or the reasons why figures are not drawn

The figures of a data set depend on its runs alone, and are drawn where these are scored (score.smk); those of all data
sets depend on the tables.
"""


rule draw_overall:
    """All figures of all data sets together."""
    input:
        INPUTS.draw_again_if_files_are_lost,
        "<results>/scores.parquet",
        "<results>/fits.parquet",
        "<results>/tuned.parquet",
        "<results>/tables/datasets.csv",
        "<results>/comparison.npz",
        expand("<results>/data/{dataset}.json", dataset=DATASETS),
    output:
        "<results>/exhibits.json",
    log:
        "<results>/logs/draw_overall.log",
    localrule: True
    params:
        figures=FIGURES[False],
        results=INPUTS.results_folder,
        study=INPUTS.digest,
        code=code_of_figures(FIGURES[False]),
    script:
        "../scripts/draw.py"


rule figures:
    """All figures as PNG and PDF, beside their SVG; only when it is asked for."""
    input:
        expand("<results>/exhibits/{dataset}.json", dataset=DATASETS),
        "<results>/exhibits.json",
    log:
        "<results>/logs/figures.log",
    localrule: True
    params:
        results=INPUTS.results_folder,
        study=INPUTS.digest,
    script:
        "../scripts/figures.py"
