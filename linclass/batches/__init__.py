"""Many fits of one model for less than their sum: folds × strengths in one Newton, paths along strengths."""
