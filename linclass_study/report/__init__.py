"""Figures, tables and the page of the report."""
