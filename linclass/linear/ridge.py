"""Ridge regression:  (w, b) = argmin (1/Σw_i) Σ w_i ½(x_i·w + b − y_i)² + strength · ½‖w‖².

scikit-learn's alpha is Σw·strength.

Predicts: a number, linear in x.
Cost: O(n d min(n, d)).
Certificate: duality gap; gradient cosine at strength 0.
Reference: Hoerl & Kennard (1970), Technometrics 12.
"""

from __future__ import annotations

from linclass.linear.linear_regressor import LinearRegressor


class Ridge(LinearRegressor):
    """Parameters
    ----------
    strength : float
        Factor of the penalty in the objective above, at least 0. scikit-learn's alpha is Σw·strength.
    """

    penalty = "l2"
