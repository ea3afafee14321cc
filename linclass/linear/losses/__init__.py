"""Loss functions: one loss, one file."""
