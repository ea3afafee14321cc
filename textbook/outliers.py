"""Outliers: least squares penalizes rows far on the right side.

Least squares fits scores to ±1, so a row far on the right side costs as much as one on the wrong side:

    margin m              −2      0      1      4
    squared   (1 − m)²     9.00   1.00   0.00   9.00
    logistic  ln(1 + e⁻ᵐ)  2.13   0.69   0.31   0.02

Left: on two classes the boundaries nearly coincide. Middle: five more rows of class 2 lie far on its side, where both
methods classify them correctly. The least-squares boundary turns so far that it misclassifies rows that were classified
correctly before; the boundary of logistic regression stays. Right: the angle by which each boundary turns as the five
rows move away. In the limit the logistic boundary is the one without them. LDA has the direction of least squares and
turns as much. See Bishop (2006), §4.1.3, §4.1.5 and figure 4.4; Hastie, Tibshirani & Friedman (2009), §4.3 and §10.6.
"""

import numpy as np

from linclass import LeastSquaresClassifier, LinearDiscriminantAnalysis, LogisticRegression
from linclass.datasets import generate
from linclass.plotting import draw_rows
from linclass_study.textbook import METHODS, figure, save

spread = [[1.0, 0.6], [0.6, 1.0]]
X, y = generate("gaussians", 2, means=[[-0.9, 0.9], [0.9, -0.9]], covariances=spread, rows=[80, 80])
five = np.array([[0, 0], [0.5, 0.4], [-0.4, 0.6], [0.6, -0.4], [-0.5, -0.5]])
models = {
    "least squares": (LeastSquaresClassifier(), METHODS["least_squares"], "-"),
    "logistic": (LogisticRegression(penalty=None, tol=1e-10), METHODS["logistic"], "-"),
    "LDA": (LinearDiscriminantAnalysis(), METHODS["lda"], ":"),
}


def with_five(distance):
    """The rows, and five more of class 2 around a point at this distance."""
    place = distance * np.array([2.0, -0.6]) / np.hypot(2.0, 0.6)
    return np.vstack([X, five + place]), np.append(y, np.ones(5, int))


def line(model, A, t):
    """Weights and intercept of the boundary, and the error rate on the original rows."""
    model.fit(A, t)
    return np.append(model.coef_, model.intercept_), np.mean(model.predict(X) != y)


def angle(w):
    return np.degrees(np.arctan2(w[1], w[0]))


drawn, axes = figure(1, 3, width=7.8, height=3.0, gridspec_kw={"width_ratios": [1, 1.6, 1.4]})
samples = {"two classes": (X, y), "with five far rows": with_five(9.0)}
end, numbers = np.array([-12.0, 12.0]), {"error": {}}
for panel, (title, (A, t)) in zip(axes, samples.items(), strict=False):
    draw_rows(panel, A, t, markersize=3, alpha=0.5)
    numbers["error"][title] = {}
    for name in ("least squares", "logistic"):
        model, colour, dashes = models[name]
        w, numbers["error"][title][name] = line(model, A, t)
        panel.plot(end, -(w[0] * end + w[2]) / w[1], dashes, color=colour, label=name)
    panel.set(title=title, xlabel="x₁", xlim=(-4, A[:, 0].max() + 0.5), ylim=(-4.5, 4.5))
axes[0].set_ylabel("x₂")

distances, alone = np.linspace(2, 30, 57), {}
for name, (model, colour, dashes) in models.items():
    alone[name] = line(model, X, y)[0]
    turned = [angle(line(model, *with_five(d))[0]) - angle(alone[name]) for d in distances]
    axes[2].plot(distances, turned, dashes, color=colour, label=name, linewidth=2)
    numbers[f"turned_at_{distances[-1]:.0f}"] = numbers.get("turned_at_30", {}) | {name: turned[-1]}
axes[2].set(
    title="as the five move away", xlabel="distance of the five rows", ylabel="rotation (degrees)"
)
axes[2].legend(frameon=False, fontsize=7.5)
far = {name: line(model, *with_five(1000.0))[0] for name, (model, _, _) in models.items()}
numbers["logistic_less_that_without_them"] = np.abs(far["logistic"] - alone["logistic"]).max()
numbers["degrees_between_lda_and_least_squares"] = angle(far["LDA"]) - angle(far["least squares"])
save(drawn, numbers)
