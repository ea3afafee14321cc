"""The fewest training errors of any linear classifier: exactly where that can be proved, else well."""
