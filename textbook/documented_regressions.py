"""Documented regressions: least squares, ridge, lasso and elastic net as scikit-learn prints them.

linclass runs the examples of scikit-learn's documentation. With n rows, scikit-learn's objectives are

    Ridge        ‖y − Xw‖² + α‖w‖²                                    strength = α/n
    Lasso        ‖y − Xw‖²/2n + α‖w‖₁                                 strength = α
    ElasticNet   ‖y − Xw‖²/2n + α(ρ‖w‖₁ + ½(1 − ρ)‖w‖²)               strength = α, l1_ratio = ρ

The figure shows the lasso path of the documented example with three rows and two features, and the printed points. The
documentation prints different digits for coordinate descent (lasso_path) and least angle regression (lars_path) on the
same problem; those of least angle regression are exact and agree with ours. The lasso with two equal columns has many
solutions, and the documentation prints one of them; only the sum of the coefficients is unique. See Pedregosa et al.
(2011), JMLR 12, and the docstrings and user guide of scikit-learn 1.9; Efron et al. (2004), Annals of Statistics 32.
"""

import numpy as np
from sklearn.datasets import make_regression

from linclass import ElasticNet, Lasso, LinearRegression, Ridge, SupportVectorRegressor
from linclass_study.textbook import CLASSES, INK, figure, save


def rows(*values):
    return np.array(values, float)


least_squares = LinearRegression().fit(rows([1, 1], [1, 2], [2, 2], [2, 3]), rows(6, 8, 9, 11))
ridge = Ridge(strength=0.5 / 3).fit(rows([0, 0], [0, 0], [1, 1]), rows(0, 0.1, 1))
lasso = Lasso(strength=0.1).fit(rows([0, 0], [1, 1], [2, 2]), rows(0, 1, 2))
lars = Lasso(strength=0.01).fit(rows([-1, 1], [0, 0], [1, 1]), rows(-1, 0, -1))
net = ElasticNet(strength=1.0, l1_ratio=0.5).fit(*make_regression(n_features=2, random_state=0))
tube = SupportVectorRegressor(kernel="linear", epsilon=0.1, strength=1 / 2)  # C = 1
tube.fit(rows([0, 0], [2, 2]), rows(0.5, 2.5))

X, y = rows([1, 2, 3.1], [2.3, 5.4, 4.3]).T, rows(1, 2, 3.1)
alphas = [5.0, 1.0, 0.5]


def along(strengths):
    """Coefficients at the optimum for each strength, without an intercept as in the example."""
    model = Lasso(fit_intercept=False, tol=1e-12)
    return np.array([model.set_params(strength=s).fit(X, y).coef_.ravel() for s in strengths])


path = along(alphas)
numbers = {
    "least_squares": {
        "coefficients": least_squares.coef_.ravel(),
        "intercept": least_squares.intercept_,
        "prediction": least_squares.predict(rows([3, 5]))[0],
    },
    "ridge": {"coefficients": ridge.coef_.ravel(), "intercept": ridge.intercept_},
    "lasso": {"sum_of_coefficients": lasso.coef_.sum(), "intercept": lasso.intercept_},
    "lasso_lars": {"coefficients": lars.coef_.ravel()},
    "elastic_net": {"coefficients": net.coef_.ravel(), "intercept": net.intercept_},
    "lasso_path": {f"alpha_{k}": coefficients for k, coefficients in enumerate(path)},
    "svr": {"prediction": tube.predict(rows([1, 1]))[0]},
}
strengths = np.linspace(9, 0.01, 120)
curve = along(strengths)
drawn, axes = figure(width=5.2, height=2.9)
for j in range(2):
    axes.plot(strengths, curve[:, j], color=CLASSES[j], label=f"w{'₁₂'[j]}")
    axes.plot(alphas, path[:, j], "os"[j], color=CLASSES[j])
for alpha in alphas:
    axes.axvline(alpha, color=INK, linestyle=":", linewidth=0.8)
axes.set(xlabel="α", ylabel="coefficient")
axes.invert_xaxis()
axes.legend(frameon=False)
save(drawn, numbers)
