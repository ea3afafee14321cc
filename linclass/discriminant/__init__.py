"""Gaussian class models: linear, quadratic, regularized, mixture and Fisher discriminants, nearest means."""
