"""Bayesian logistic regression: less certain far from the data.

The weights with the highest posterior density are one of many choices that fit the data nearly as well. Laplace's
approximation replaces the posterior by a Gaussian N(θ, A⁻¹). The score of a row is then normal, and its probability is
the mean

    P(1 | x) = ∫ σ(z) N(z; μ, s²) dz ≈ σ(μ/√(1 + πs²/8)),    μ = x·θ,    s² = xᵀA⁻¹x.

Left: σ(μ), whose contours are parallel even far from the data. Middle: the mean, whose contours spread where few rows
determine the boundary; the contour of ½ is the same. Right: along the arrow, far to one side of the boundary, σ(μ)
tends to 0, but the mean tends only to Φ(u·w/√(uᵀA⁻¹u)) for the arrow's direction u (dotted). The probit approximation
in the formula stays near the mean. The strength of the prior maximizes the evidence. See Bishop (2006), §4.4 and §4.5;
Murphy (2022), §10.5; MacKay (1992).
"""

import numpy as np
from scipy.stats import norm

from linclass import BayesianLogisticRegression
from linclass.datasets import generate
from linclass.plotting import draw_rows
from linclass_study.textbook import INK, METHODS, figure, save

X, y = generate("gaussians", 4, means=[[-1, 0], [1, 1]], covariances="identity", rows=[15, 15])
names = {"mode": "σ(μ)", "quadrature": "mean of σ", "probit": "probit approximation"}
models = {kind: BayesianLogisticRegression(predictive=kind, tol=1e-10).fit(X, y) for kind in names}
w, covariance = models["mode"].coef_.ravel(), models["mode"].covariance_[:2, :2]
start, u = X.mean(axis=0), np.array([0.3, -1.0]) / np.hypot(0.3, 1.0)
limit = norm.cdf(u @ w / np.sqrt(u @ covariance @ u))


def probability(kind, rows):
    return models[kind].predict_proba(rows)[:, 1]


x1, x2 = np.meshgrid(np.linspace(-6, 6, 160), np.linspace(-6, 6, 160))
grid = np.column_stack([x1.ravel(), x2.ravel()])
on_grid = {kind: probability(kind, grid) for kind in names}
far = np.array([start + 1e8 * u])
numbers = {
    "strength": models["mode"].strength_,
    "limit_less_the_closed_form": probability("quadrature", far)[0] - limit,
    "limit": {kind: probability(kind, far)[0] for kind in names},
    "share_of_equal_sides": np.mean((on_grid["mode"] > 0.5) == (on_grid["quadrature"] > 0.5)),
    "most_that_the_probit_is_off": np.abs(on_grid["probit"] - on_grid["quadrature"]).max(),
}

drawn, (left, middle, right) = figure(1, 3, width=7.8, height=3.0)
levels, line = [0.05, 0.2, 0.5, 0.8, 0.95], {"colors": METHODS["logistic"], "linewidths": 1.2}
for panel, kind in ((left, "mode"), (middle, "quadrature")):
    draw_rows(panel, X, y, markersize=3.5, alpha=0.6)
    drawn_levels = panel.contour(x1, x2, on_grid[kind].reshape(x1.shape), levels, **line)
    panel.clabel(drawn_levels, fontsize=6.5)
    panel.annotate("", start + 5 * u, start, arrowprops={"arrowstyle": "->", "color": INK})
    panel.set(title=names[kind], xlabel="x₁", xlim=(-6, 6), ylim=(-6, 6))
left.set_ylabel("x₂")
along = np.linspace(0, 40, 200)
for kind, dashes in zip(names, ("--", "-", "-."), strict=True):
    values = probability(kind, start + along[:, None] * u)
    right.plot(along, values, dashes, color=METHODS["logistic"], label=names[kind])
right.axhline(limit, color=INK, linestyle=":", linewidth=1)
right.set(title="along the arrow", xlabel="distance", ylabel="P(class 2)", ylim=(0, 0.6))
right.legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
