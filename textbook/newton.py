"""Newton's method and gradient descent.

Newton's method goes to the minimum of the quadratic model at the current point,

    w ← w − H⁻¹ ∇E,    near the minimum  ‖w_{t+1} − w*‖ ≤ c ‖w_t − w*‖²,

so each step doubles the number of correct digits. Gradient descent reduces the error by a constant factor per step.
Left: both methods on the heart-disease data (standardized, unpenalized), excess of the objective over its minimum
against steps. Middle: the same against seconds. Right: Newton–Raphson iterations on a system of two equations,

    x₁² − cos x₂ = 0,    sin x₁ + x₁² x₂³ = 0,    x ← x − J(x)⁻¹ f(x).

See Boyd & Vandenberghe (2004), §9.3 and §9.5; Hastie, Tibshirani & Friedman (2009), §4.4.1.
"""

import numpy as np

from linclass import LogisticRegression
from linclass.plotting import ConvergenceDisplay
from linclass_study.textbook import CLASSES, data, figure, save

heart = data("heart")
X = (heart.X - heart.X.mean(axis=0)) / heart.X.std(axis=0)
best = LogisticRegression(penalty=None, tol=1e-14).fit(X, heart.y).objective_
solvers = {"newton": {"tol": 1e-12}, "gradient_descent": {"tol": 1e-6, "max_iter": 5000}}
fits = {}
for name, options in solvers.items():
    model = LogisticRegression(penalty=None, solver=name, trace=True, **options)
    model.fit(X, heart.y)  # the first fit also imports, which is no time of a step
    fits[name.replace("_", " ")] = model.fit(X, heart.y)


def f(x):
    return np.array([x[0] ** 2 - np.cos(x[1]), np.sin(x[0]) + x[0] ** 2 * x[1] ** 3])


def jacobian(x):
    a, b = x
    return np.array([[2 * a, np.sin(b)], [np.cos(a) + 2 * a * b**3, 3 * a**2 * b**2]])


x, path = np.array([1.0, -1.0]), []
for _ in range(6):
    path.append(x)
    x = x - np.linalg.solve(jacobian(x), f(x))
residuals = [np.linalg.norm(f(point)) for point in path]

drawn, axes = figure(1, 3, width=7.6, height=2.8)
numbers = {"root": path[-1], "residuals": residuals, "steps_to_1e-8": {}}
for solver, model in zip(solvers, fits.values(), strict=True):
    excess = np.array([step["objective"] - best for step in model.trace_])
    numbers["steps_to_1e-8"][solver] = int(np.argmax(excess < 1e-8)) + 1
for panel, against in zip(axes[:2], ("steps", "seconds"), strict=True):
    look = {"against": against, "lowest": best, "legend": against == "steps"}
    ConvergenceDisplay.from_estimator(fits, ax=panel, **look)
axes[1].set(ylabel="")
axes[1].xaxis.set_minor_formatter(lambda *_: "")  # powers of ten alone: others overlap
axes[2].semilogy(residuals, "D-", color=CLASSES[2], markersize=4)
axes[2].set(xlabel="Newton–Raphson steps", ylabel="‖f(x)‖")
save(drawn, numbers)
