"""The report's tables: one file is one table (linclass_study/report/page_tables.py finds them)."""
