"""The tables of the report, by subject; report/contents.py lists them."""
