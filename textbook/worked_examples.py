"""Worked examples: three calculations of Duda, Hart and Stork.

Left (§2.6.3): two classes of four rows have the means (3, 6) and (3, −2) and, with divisor n, the covariances
diag(½, 2) and diag(2, 2). The boundary of the Gaussian classes is the parabola

    x₂ = 3.514 − 1.125 x₁ + 0.1875 x₁²,

which passes below the midpoint of the means. Middle (§5.8.1): four rows are augmented by 1, and the sign is changed for
the second class. The pseudoinverse gives the least-squares weights for targets of 1,

    a = (11/3, −4/3, −2/3).

Right (§5.11): no line separates the classes of the exclusive or. A support vector machine with the kernel (1 + x·x′)²
separates them. All four rows are support vectors with α = ⅛, the margin is √2 in the space of the quadratic features,
and

    g(x) = x₁ x₂.

See Duda, Hart & Stork (2001), example 1 of §2.6.3, example 1 of §5.8.1 and example 2 of §5.11.
"""

import numpy as np

from linclass import KernelSVM, LeastSquaresClassifier, QuadraticDiscriminantAnalysis
from linclass.plotting import BoundaryDisplay
from linclass_study.textbook import CLASSES, METHODS, figure, save

y = np.repeat([1, 0], 4)  # the first class of the book is the positive one
gaussian = np.array([[3, 4], [3, 8], [2, 6], [4, 6], [3, 0], [3, -4], [1, -2], [5, -2]], float)
qda = QuadraticDiscriminantAnalysis(ddof=0).fit(gaussian, y)
A, beta, gamma = (np.diff(part, axis=0)[0] for part in (qda.A_, qda.beta_, qda.gamma_))
parabola = -np.array([gamma, beta[0], A[0, 0]]) / beta[1]  # A has no other entry that is not 0
numbers = {"parabola": parabola, "other_entries": np.abs([A[0, 1], A[1, 0], A[1, 1]]).max()}

two = np.array([[1, 2], [2, 0], [3, 1], [2, 3]], float)
squares = LeastSquaresClassifier().fit(two, [1, 1, 0, 0])
numbers["pseudoinverse"] = np.append(squares.intercept_, squares.coef_)

corners = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]], float)
svm = KernelSVM(kernel="polynomial", degree=2, gamma=1.0, coef0=1.0, tol=1e-12)
svm.fit(corners, [1, 1, 0, 0])
x1, x2 = np.meshgrid(np.linspace(-2, 2, 201), np.linspace(-2, 2, 201))
g = svm.decision_function(np.column_stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
numbers["exclusive_or"] = {
    "alpha": svm.dual_variables_,
    "margin": 1 / np.sqrt(svm.dual_variables_.sum()),  # ‖w‖² is Σα where no slack is positive
    "largest_difference_from_the_product": np.abs(g - x1 * x2).max(),
}

drawn, (left, middle, right) = figure(1, 3, width=7.6, height=3.0)
samples = [(left, gaussian, y), (middle, two, [1, 1, 0, 0]), (right, corners, [1, 1, 0, 0])]
for panel, X, labels in samples:
    for k, marker in ((1, "o"), (0, "s")):
        own = X[np.array(labels) == k]
        panel.plot(*own.T, marker, color=CLASSES[1 - k], zorder=3, label=f"ω{'₂₁'[k]}")
    panel.set(xlabel="x₁")
t = np.linspace(-2, 8, 200)
left.plot(t, np.polynomial.Polynomial(parabola)(t), color=METHODS["qda"])
b, w = numbers["pseudoinverse"][0], numbers["pseudoinverse"][1:]
middle.plot(t, -(b + w[0] * t) / w[1], color=METHODS["least_squares"])
look = {"levels": (0, -1, 1), "colors": [METHODS["svm"]], "regions": False, "zorder": 2}
BoundaryDisplay.from_estimator(svm, corners, limits=(-2, 2, -2, 2), ax=right, **look)
left.set(title="Gaussian classes", ylabel="x₂", xlim=(-2, 8), ylim=(-6, 10))
middle.set(title="pseudoinverse", xlim=(0, 4), ylim=(-0.5, 4))
right.set(title="exclusive or; dashed: g = ±1", ylabel="")
left.legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
