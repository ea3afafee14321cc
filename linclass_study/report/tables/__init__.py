"""The tables of the report, one per file; linclass_study/report/page_tables.py finds them.

Each defines ``make(outcome, dataset) -> ReportTable | None`` (PER_DATASET), or ``make(outcome) -> ReportTable | None``.
"""
