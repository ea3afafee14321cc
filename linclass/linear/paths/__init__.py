"""Many fits of one model for less than the sum of their costs: folds × strengths, and paths of strengths."""
