"""What classifiers and regressors of one kind share, so that each of their files only says what is its own."""
