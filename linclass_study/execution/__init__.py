"""Run a study: which runs share a job, the folds, and the fits in guarded child processes; locks and progress."""
