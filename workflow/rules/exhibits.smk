"""Figures from the tables and the runs' boundaries; a file of linclass_study/report/figures is a figure.

exhibits/{exhibit}/figure.svg, figure.png, numbers.json    the numbers are those that the figure shows
"""

for figure, exhibits in EXHIBITS.items():

    rule:
        name:
            f"draw_{figure}"
        input:
            "<results>/scores.parquet",
            "<results>/fits.parquet",
            expand("<results>/data/{dataset}.json", dataset=DATASETS),
            expand(
                "<results>/runs/{dataset}/{method}/boundary.npz", dataset=DATASETS, method=METHODS
            ),
        output:
            svg=expand("<results>/exhibits/{exhibit}/figure.svg", exhibit=exhibits),
            png=expand("<results>/exhibits/{exhibit}/figure.png", exhibit=exhibits),
            numbers=expand("<results>/exhibits/{exhibit}/numbers.json", exhibit=exhibits),
        log:
            f"<results>/logs/draw/{figure}.log",
        params:
            figure=figure,
            study=study_as_text(),
            code=code_of("draw.py", f"linclass_study.report.figures.{figure}"),
        script:
            "../scripts/draw.py"
