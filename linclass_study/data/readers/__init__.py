"""Readers that several formats and sources share."""
