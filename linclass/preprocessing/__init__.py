"""Feature maps of single rows, and transforms fitted on training rows."""
