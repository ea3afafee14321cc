"""The pocket algorithm on digits.

Where no line separates the classes, the perceptron never stops, and its last weights may be poor. The pocket algorithm
applies the same rule and keeps the best weights so far, as linclass's Perceptron does:

    w ← w + y x    at a misclassified row, drawn at random,    ŵ = the w with the smallest training error.

Two features of a digit are, as in the book, its intensity, the mean of the pixels, and its symmetry, the negative mean
difference from its images flipped left to right and upside down. The book classifies ones against fives in scans of
16 × 16 pixels. Scikit-learn's scans of 8 × 8 pixels are stretched to their bounding box, so a one is as dark as a five,
and the best lines misclassify a quarter of the rows. This example therefore classifies zeros against fives; every other
row is a training row. Left: the line in the pocket, and a line with a certificate that no other line has fewer training
errors. Middle and right: errors after each correction. Those of the perceptron rule jump. The training error of the
pocket never increases and reaches the certified minimum (dotted), and the test error follows. See Abu-Mostafa,
Magdon-Ismail & Lin (2012), §3.1 and figures 3.1 to 3.3; Gallant (1990); Alpaydin & Kaynak (1998).
"""

import numpy as np
from sklearn.datasets import load_digits

from linclass import ZeroOneClassifier
from linclass_study.textbook import CLASSES, INK, METHODS, figure, save

digits = load_digits()
kept = np.isin(digits.target, (0, 5))
images, y = digits.images[kept] / 16, np.where(digits.target[kept] == 0, 1, -1)
asymmetry = [np.abs(images - images[:, :, ::-1]), np.abs(images - images[:, ::-1])]
X = np.column_stack([images.mean(axis=(1, 2)), -np.mean(asymmetry, axis=(0, 2, 3))])
A, test = np.column_stack([np.ones(len(y)), X]), np.arange(len(y)) % 2 == 1
w, rng, corrections = np.zeros(3), np.random.default_rng(0), 1000
weights, errors = np.empty((corrections, 3)), np.empty((corrections, 2))
wrong = np.sign(A @ w) != y
for t in range(corrections):
    row = rng.choice(np.flatnonzero(wrong & ~test))
    w = w + y[row] * A[row]
    wrong = np.sign(A @ w) != y
    weights[t], errors[t] = w, (wrong[~test].mean(), wrong[test].mean())
best = np.array([np.argmin(errors[: t + 1, 0]) for t in range(corrections)])
exact = ZeroOneClassifier().fit(X[~test], y[~test])
fewest = np.mean(exact.predict(X[~test]) != y[~test])
numbers = {
    "perceptron": {"last": errors[-1], "worst_of_the_last_500": errors[-500:].max(axis=0)},
    "pocket": {"last": errors[best[-1]], "from_correction": best[-1] + 1},
    "fewest_training_errors": {"share": fewest, "certified": exact.exact_},
    "pocket_less_the_fewest": errors[best[-1], 0] - fewest,
}

drawn, (left, *panels) = figure(1, 3, width=7.8, height=3.0, width_ratios=[1.1, 1, 1])
for k, name in enumerate("05"):
    own = X[y == 1 - 2 * k]
    left.plot(*own.T, "os"[k], color=CLASSES[k], markersize=3, alpha=0.5, label=name)
end = np.array([X[:, 0].min(), X[:, 0].max()])
of_exact = np.append(exact.intercept_, exact.coef_)
for b, colour, dashes, name in [
    (weights[best[-1]], METHODS["perceptron"], "-", "pocket"),
    (of_exact, INK, ":", "fewest errors"),
]:
    left.plot(end, -(b[0] + b[1] * end) / b[2], dashes, color=colour, label=name)
left.set(xlabel="intensity", ylabel="symmetry", ylim=(X[:, 1].min() - 0.02, X[:, 1].max() + 0.1))
left.legend(frameon=False, fontsize=7, ncols=2, loc="upper center")
for k, (panel, title) in enumerate(zip(panels, ("training error", "test error"), strict=True)):
    at = np.arange(1, corrections + 1)
    panel.plot(at, errors[:, k], color="0.65", linewidth=0.4, label="last weights")
    panel.plot(at, errors[best, k], color=METHODS["perceptron"], linewidth=2, label="pocket")
    panel.set(title=title, xlabel="corrections", ylim=(0, 0.6))
panels[0].axhline(fewest, color=INK, linestyle=":", linewidth=1)
panels[0].legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
