"""Maps from the scores of held-out rows to probabilities: one file each."""
