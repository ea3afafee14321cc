"""Curve fitting: why a penalty helps.

Polynomials are fitted by least squares to ten noisy points of sin 2πx,

    y(x) = w₀ + w₁x + … + w_M x^M.

A line is too stiff, degree 3 is about right, and degree 9 passes through all points but oscillates between them, with
weights of up to a million that cancel each other. Right: root mean squared errors on the ten points and on 10,000 new
ones. A small penalty (ridge, strength 10⁻⁶) makes degree 9 as good on new points as the best degree (cross). Without it
the weights are very sensitive: changing the points by half a unit of their sixth digit, the last one printed, changes
the weights of degree 9 by up to 2. See Bishop (2006), §1.1, figures 1.4 and 1.5, and table 1.1.
"""

import numpy as np

from linclass import LinearRegression, Ridge
from linclass_study.textbook import CLASSES, INK, figure, save

x = np.arange(10) / 9
t = np.array([0.349486, 0.830839, 1.007332, 0.971507, 0.133066,
              0.166823, -0.848307, -0.445686, -0.563567, 0.261502])  # fmt: skip
rng = np.random.default_rng(0)
x_new = rng.uniform(size=10_000)
t_new = np.sin(2 * np.pi * x_new) + 0.3 * rng.standard_normal(10_000)  # the book's deviation


def powers(x, degree):
    return x[:, None] ** np.arange(1, degree + 1)


def rms(model, x, t):
    return np.sqrt(np.mean((model.predict(powers(x, model.n_features_in_)) - t) ** 2))


degrees = range(1, 10)
models = {M: LinearRegression().fit(powers(x, M), t) for M in degrees}
ridge = Ridge(strength=1e-6).fit(powers(x, 9), t)
errors = {
    "ten points": [rms(model, x, t) for model in models.values()],
    "new points": [rms(model, x_new, t_new) for model in models.values()],
}
numbers = {
    "weights": {M: np.append(models[M].intercept_, models[M].coef_) for M in (1, 3, 9)},
    "rms": errors,
    "rms_of_ridge_on_new_points": rms(ridge, x_new, t_new),
    "largest_misfit_of_degree_9": np.abs(models[9].predict(powers(x, 9)) - t).max(),
}

drawn, (*panels, last) = figure(1, 4, width=7.8, height=2.6)
fine = np.linspace(0, 1, 300)
for panel, M in zip(panels, numbers["weights"], strict=True):
    panel.plot(fine, np.sin(2 * np.pi * fine), ":", color=INK, linewidth=1)
    panel.plot(x, t, "o", color=CLASSES[0], markersize=4)
    panel.plot(fine, models[M].predict(powers(fine, M)), color=CLASSES[1])
    panel.set(title=f"degree {M}", xlabel="x", ylim=(-1.5, 1.5))
panels[0].set_ylabel("t")
for k, (name, values) in enumerate(errors.items()):
    last.plot(degrees, values, "os"[k] + "-", color=CLASSES[k], markersize=3, label=name)
last.plot(9, numbers["rms_of_ridge_on_new_points"], "X", color=CLASSES[1], markersize=7)
last.set(title="error", xlabel="degree", ylabel="root mean square", ylim=(0, 1))
last.set_xticks([1, 3, 5, 7, 9])
last.legend(frameon=False, fontsize=7, loc="upper left")
save(drawn, numbers)
