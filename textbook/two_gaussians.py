"""Two Gaussians and three boundaries.

Two classes of 200 rows have unit covariance and means (0, 0) and (2, 2). By Bayes' theorem

    P(class 2 | x) = σ(w·x + b),    w = μ₂ − μ₁,    b = ½(μ₁·μ₁ − μ₂·μ₂),

so the optimal boundary is the line x₁ + x₂ = 2, and no classifier has an error rate below Φ(−Δ/2), where Δ = √8 is the
distance between the means. Logistic regression by maximum likelihood and the Gaussian generative model (LDA) estimate
the same line in different ways: the first mainly from rows near the boundary, the second from means and covariance. The
dotted lines are contours of the posterior probability by logistic regression. See Bishop (2006), §4.2 and §4.3.2;
Hastie, Tibshirani & Friedman (2009), §4.4.5.
"""

import numpy as np
from scipy.stats import norm

from linclass import LinearDiscriminantAnalysis, LogisticRegression
from linclass.evaluation.bayes_error import bayes_error
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import INK, METHODS, data, figure, save

rows = data("gaussians")
X, y = rows.X, rows.y
models = {
    "logistic regression": LogisticRegression(penalty=None).fit(X, y),
    "normal model (LDA)": LinearDiscriminantAnalysis().fit(X, y),
}


def true_error(w, b):
    """Error rate of the line w·x + b = 0 on unit Gaussians: Φ of a signed distance for each class."""
    length, at_2 = np.linalg.norm(w), w @ [2, 2] + b
    return (norm.cdf(b / length) + norm.cdf(-at_2 / length)) / 2


x1, x2 = np.meshgrid(np.linspace(-3.5, 5.5, 200), np.linspace(-3.5, 5.5, 200))
grid = np.column_stack([x1.ravel(), x2.ravel()])
probability = models["logistic regression"].predict_proba(grid)[:, 1].reshape(x1.shape)

drawn, axes = figure(width=4.6, height=4.8)
draw_rows(axes, X, y, ["class 1", "class 2"], markersize=3.5)
axes.axline((0, 2), slope=-1, color=INK, linewidth=1.5, label="Bayes' boundary")
levels = axes.contour(
    x1, x2, probability, [0.01, 0.1, 0.3, 0.7, 0.9, 0.99], colors=METHODS["logistic"], linewidths=1, linestyles=":"
)  # fmt: skip
axes.clabel(levels, fontsize=6.5, inline_spacing=2)
colours = METHODS["logistic"], METHODS["lda"]
BoundaryDisplay.from_estimator(
    models, X, limits=(-3.5, 5.5, -3.5, 5.5), ax=axes, regions=False, legend=False, colors=colours
)
bayes = bayes_error([[0, 0], [2, 2]])
axes.set(xlabel="x₁", ylabel="x₂", aspect="equal", title=f"Bayes error Φ(−√2) = {bayes:.2%}")
drawn.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=7.5)

angle = {
    name: np.degrees(np.arctan2(*model.coef_.ravel()[::-1])) - 45 for name, model in models.items()
}
numbers = {
    "bayes_error": bayes,
    "bayes_error_by_formula": norm.cdf(-np.sqrt(8) / 2),
    "training_error": {name: np.mean(model.predict(X) != y) for name, model in models.items()},
    "true_error": {
        name: true_error(model.coef_.ravel(), model.intercept_[0]) for name, model in models.items()
    },
    "degrees_from_bayes_boundary": angle,
}
save(drawn, numbers)
