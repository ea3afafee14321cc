"""Linear models by loss, penalty and solver: logistic regression, linear SVM, least squares, ridge, lasso and kin."""
