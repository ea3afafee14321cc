"""The figures of the report, one per file; linclass_study.report.exhibits finds each module with a ``draw``."""
