"""Masking: three classes in a line.

Least squares on the class indicators fits one regression plane per class,

    Ŷ = [1 X] B,    B = argmin ‖Y − [1 X] B‖²,    and predicts the largest.

Along the line through the three centres, the regression plane of the middle class is flat and never the largest: the
middle class is masked, although the classes are well separated. LDA does not mask it, nor does regression with
quadratic terms. Left: the rows and the boundaries. Right: the fitted indicators along the line of the centres, linear
and quadratic. See Hastie, Tibshirani & Friedman (2009), §4.2 and figures 4.2 and 4.3.
"""

import numpy as np

from linclass import (
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from linclass.datasets import generate
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import CLASSES, METHODS, figure, save

X, y = generate("masking", 3, rows=[150, 150, 150])
along = X @ np.array([1, 1]) / np.sqrt(2)  # the centres stand on this line


def powers(t, degree):
    return np.column_stack([t**k for k in range(1, degree + 1)])


models = {
    "indicator regression": LeastSquaresClassifier(),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(),
}
error = {name: np.mean(model.fit(X, y).predict(X) != y) for name, model in models.items()}
numbers = {"training_error": error}

drawn, axes = figure(1, 3, width=7.6, height=3.0)
plane = axes[0]
draw_rows(plane, X, y, ["class 1", "class 2", "class 3"], markersize=2.5)
BoundaryDisplay.from_estimator(
    models,
    X,
    limits=(X.min() - 0.5, X.max() + 0.5) * 2,
    ax=plane,
    regions=False,
    colors=[METHODS[name] for name in ("least_squares", "lda", "qda")],
    linestyles=[":", "-", "--"],
)
plane.set(aspect="equal")
plane.legend(frameon=False, fontsize=6.5, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
t = np.linspace(along.min(), along.max(), 200)
for panel, degree in zip(axes[1:], (1, 2), strict=True):
    fit = LeastSquaresClassifier().fit(powers(along, degree), y)
    surfaces = powers(t, degree) @ fit.coef_.T + fit.intercept_
    for k in range(3):
        panel.plot(t, surfaces[:, k], color=CLASSES[k])
        below = np.full(sum(y == k), -0.35 - 0.06 * k)
        panel.plot(along[y == k], below, "|", color=CLASSES[k], markersize=4)
    error = np.mean(fit.predict(powers(along, degree)) != y)
    numbers[f"error_degree_{degree}"] = error
    panel.set(
        title=f"degree {degree}: error {error:.2f}", xlabel="along the centres", ylim=(-0.6, 1.4)
    )
axes[1].set_ylabel("fitted indicator")
save(drawn, numbers)
