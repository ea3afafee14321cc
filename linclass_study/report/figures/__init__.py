"""The figures of the report, by subject; report/contents.py lists them."""
