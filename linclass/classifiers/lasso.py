"""Lasso:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · ‖w‖₁.

scikit-learn's alpha is strength.   Tibshirani (1996), J. Royal Statistical Society B 58
"""

from __future__ import annotations

from linclass.classifiers.ridge import Ridge


class Lasso(Ridge):
    penalty = "l1"
