"""The tables of the report, one per file; linclass_study/report/page_tables.py finds them."""
