"""Choosing the strength of a penalty, and other parameters, from the training rows: inner folds, or AIC and BIC."""
