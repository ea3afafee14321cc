"""Kernel functions, and the models whose score is a sum of kernels at training rows."""
