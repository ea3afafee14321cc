"""The figures of the report, one per file; linclass_study/report/exhibits.py finds them.

Each defines ``draw(outcome, dataset) -> Exhibit`` (PER_DATASET), or ``draw(outcome) -> Exhibit``.
"""
