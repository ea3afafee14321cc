"""Lasso:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · ‖w‖₁.

scikit-learn's alpha is strength.

Predicts: a number, linear in x.
Cost: O(n d²) once for up to 500 features, then O(s³) for a support of s; beyond that O(n s) per joining feature.
Certificate: duality gap; gradient cosine at strength 0.
Reference: Tibshirani (1996), J. Royal Statistical Society B 58.
"""

from __future__ import annotations

from linclass.linear.linear_regressor import LinearRegressor


class Lasso(LinearRegressor):
    penalty = "l1"
