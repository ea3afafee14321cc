"""What a score costs, given the truth: one loss, one file."""
