"""The zero–one loss, minimized exactly.

The line with the fewest errors solves

    min Σ [yᵢ (w·xᵢ + b) ≤ 0],

a problem that is NP-hard when the dimension grows. Small problems can be solved exactly, with a certificate. Convex
surrogates of the loss are easier to minimize. On Gaussian classes they lose little. But each of them grows with the
distance of a row on the wrong side, so four distant outliers attract their lines. The exact minimum only counts errors:
its line ignores the outliers and stays in place. The legend shows the training errors. See Ben-David, Eiron & Long
(2003); Nguyen & Sanner (2013).
"""

import numpy as np

from linclass import LeastSquaresClassifier, LinearSVM, LogisticRegression, ZeroOneClassifier
from linclass.datasets import generate
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import INK, METHODS, figure, save

X, y = generate("gaussians", 8, means=[[0, 0], [2.2, 1.4]], covariances="identity", rows=[40, 40])
far = np.array([[-9.0, 6.0], [-10.0, 5.0], [-9.5, 7.0], [-11.0, 6.5]])  # class 2, on class 1's side
samples = {
    "two Gaussians": (X, y),
    "with four outliers": (np.vstack([X, far]), np.append(y, [1, 1, 1, 1])),
}
models = {
    "0–1 (exact)": (ZeroOneClassifier(), "-", INK),
    "logistic": (LogisticRegression(strength=1e-3), "--", METHODS["logistic"]),
    "hinge": (LinearSVM(strength=1e-3), "-.", METHODS["svm"]),
    "squared": (LeastSquaresClassifier(), ":", METHODS["least_squares"]),
}
drawn, axes = figure(1, 2, width=7.4, height=3.4)
numbers = {}
for panel, (title, (A, t)) in zip(axes, samples.items(), strict=True):
    draw_rows(panel, A, t, markersize=3, alpha=0.5)
    wrong = {name: int(np.sum(fit[0].fit(A, t).predict(A) != t)) for name, fit in models.items()}
    fits, dashes, colours = zip(*models.values(), strict=True)
    named = {f"{name}: {wrong[name]} errors": fit for name, fit in zip(models, fits, strict=True)}
    left, free = (-12, "lower left") if "outliers" in title else (-3, "upper right")
    look = {"colors": colours, "linestyles": dashes, "regions": False, "legend": False}
    BoundaryDisplay.from_estimator(named, A, limits=(left, 5, -3.5, 8), ax=panel, **look)
    numbers[title] = wrong
    numbers[title]["proved_minimum"] = bool(models["0–1 (exact)"][0].exact_)
    panel.set(title=title, ylabel="")
    panel.legend(loc=free, frameon=False, fontsize=7)
axes[0].set_ylabel("x₂")
save(drawn, numbers)
