"""Choosing parameters and calibrating probabilities on inner folds: TunedClassifier, TunedRegressor, Calibrated."""
