"""Figures from the tables and the runs' boundaries; a file of linclass_study/report/figures is a figure.

exhibits/{exhibit}/figure.svg, .png, .pdf, numbers.json    the numbers are those that the figure shows

The figures of a data set depend on that data set alone; those over all data sets, on the tables.
"""


rule draw:
    """Every figure that is drawn for each data set."""
    input:
        "<results>/data/{dataset}.npz",
        "<results>/data/{dataset}.json",
        "<results>/scores/{dataset}.parquet",
        "<results>/fits/{dataset}.parquet",
    output:
        drawn_files(
            "<results>/exhibits/{figure}-{{dataset}}/{file}",
            FIGURES[True],
            subcategory="{dataset}",
        ),
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
        """Every figure over all data sets."""
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
            study=study_as_text(),
            code=code_of_figures(FIGURES[False]),
        script:
            "../scripts/draw.py"
