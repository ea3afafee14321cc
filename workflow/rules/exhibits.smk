"""Figures; each file in linclass_study/report/figures is one.

exhibits/{exhibit}/figure.svg, .png, .pdf, numbers.json    the figure and the numbers that it shows
exhibits/{dataset}.json    the digests of these files, by which the page knows them

The figures of a data set depend on its runs alone; those of all data sets depend on the tables.
"""


rule draw:
    """All figures of one data set."""
    input:
        "<results>/data/{dataset}.npz",
        "<results>/data/{dataset}.json",
        "<results>/scores/{dataset}.parquet",
        "<results>/fits/{dataset}.parquet",
    output:
        files=drawn_files(
            "<results>/exhibits/{figure}-{{dataset}}/{file}",
            FIGURES[True],
            subcategory="{dataset}",
        ),
        drawn="<results>/exhibits/{dataset}.json",
    log:
        "<results>/logs/draw/{dataset}.log",
    params:
        figures=FIGURES[True],
        study=study_of_dataset,
        code=code_of_figures(FIGURES[True]),
    script:
        "../scripts/draw.py"


if FIGURES[False]:

    rule draw_overall:
        """All figures of all data sets together."""
        input:
            "<results>/scores.parquet",
            "<results>/fits.parquet",
            "<results>/tables/datasets.csv",
            expand("<results>/data/{dataset}.json", dataset=DATASETS),
        output:
            drawn_files("<results>/exhibits/{figure}/{file}", FIGURES[False]),
        log:
            "<results>/logs/draw_overall.log",
        params:
            figures=FIGURES[False],
            study=whole_study,
            code=code_of_figures(FIGURES[False]),
        script:
            "../scripts/draw.py"
