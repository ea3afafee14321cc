"""What classifiers and regressors of one kind share, so that each of their files holds only what is specific."""
