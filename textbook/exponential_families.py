"""Exponential families: linear boundaries in T(x).

If the densities of all classes belong to one exponential family,

    p(x | k) = h(x) exp(θ_k·T(x) − A(θ_k)),    ∇A(θ) = E[T(x)],

then the log-odds of two classes are linear in the sufficient statistic T(x) for every family: ln π₁/π₀ + (θ₁ − θ₀)·T(x)
− A(θ₁) + A(θ₀). Maximum likelihood sets E[T] to the mean of T over the class. The panels show histograms, fitted
densities and boundaries for two classes of each family. The log-odds are zero at a boundary; there are two boundaries
if T has two components. Last: two Dirichlet classes on the simplex, whose boundary is linear in ln x. See Bishop
(2006), §2.4 and §4.2.4; Wainwright & Jordan (2008), §3.
"""

import numpy as np
from scipy import stats

from linclass import ExponentialFamilyNB
from linclass_study.textbook import CLASSES, INK, figure, save

n, rng = 400, np.random.default_rng(5)
pairs = {
    "gaussian": (stats.norm(0, 1), stats.norm(2, 1.8)),
    "poisson": (stats.poisson(3), stats.poisson(8)),
    "bernoulli": (stats.bernoulli(0.2), stats.bernoulli(0.7)),
    "exponential": (stats.expon(scale=1), stats.expon(scale=4)),
    "gamma": (stats.gamma(2, scale=1), stats.gamma(6, scale=1)),
    "beta": (stats.beta(2, 5), stats.beta(6, 2)),
}
drawn, axes = figure(2, 4, width=7.8, height=4.2)
panels = axes.ravel()
numbers = {}
for panel, (family, (first, second)) in zip(panels, pairs.items(), strict=False):
    x = np.concatenate([first.rvs(n, random_state=rng), second.rvs(n, random_state=rng)]).astype(
        float
    )
    y = np.repeat([0, 1], n)
    model = ExponentialFamilyNB(families=family).fit(x[:, None], y)
    discrete = family in ("poisson", "bernoulli")
    low, high = x.min(), x.max()
    bins = np.arange(low - 0.5, high + 1) if discrete else np.linspace(low, high, 31)
    for k, law in enumerate((first, second)):
        panel.hist(x[y == k], bins, density=True, color=CLASSES[k], alpha=0.4)
        grid = np.arange(low, high + 1) if discrete else np.linspace(low, high, 300)[1:-1]
        density, line = (law.pmf, "os"[k]) if discrete else (law.pdf, "-")
        panel.plot(grid, density(grid), line, color=CLASSES[k], markersize=4)
    fine = np.linspace(low, high, 4001)[1:-1]
    if family != "bernoulli":
        score = model.decision_function(np.round(fine)[:, None] if discrete else fine[:, None])
        for at in fine[1:][np.diff(np.sign(score)) != 0]:
            panel.axvline(at, color=INK, linestyle="--", linewidth=1)
    panel.set(title=family.title(), xlabel="x")
    means, error = [x[y == k].mean() for k in (0, 1)], np.mean(model.predict(x[:, None]) != y)
    numbers[family] = {"class_means": means, "training_error": error}

alphas = np.array([[2.0, 4.0, 6.0], [7.0, 3.0, 2.0]])
P = np.vstack([rng.dirichlet(a, n) for a in alphas])
y = np.repeat([0, 1], n)
model = ExponentialFamilyNB(families="dirichlet").fit(P, y)
corner = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
simplex = drawn.add_subplot(axes[1, 2].get_gridspec()[1, 2:])
panels[6].remove()
panels[7].remove()
for k in (0, 1):
    simplex.plot(*(P[y == k] @ corner).T, ".", color=CLASSES[k], markersize=2.5, alpha=0.6)
a, b = np.meshgrid(np.linspace(0.005, 0.99, 200), np.linspace(0.005, 0.99, 200))
inside = a + b < 0.995
grid = np.column_stack([a[inside], b[inside], 1 - a[inside] - b[inside]])
z = np.full(a.shape, np.nan)
z[inside] = model.decision_function(grid / grid.sum(axis=1, keepdims=True))
at = np.stack([a, b, 1 - a - b], axis=-1) @ corner
simplex.contour(at[..., 0], at[..., 1], z, [0], colors=INK, linestyles="--", linewidths=1)
simplex.plot(*corner[[0, 1, 2, 0]].T, color=INK, linewidth=0.6)
simplex.set(title="Dirichlet", aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.03, 0.89))
simplex.axis("off")
numbers["dirichlet"] = {"training_error": np.mean(model.predict(P) != y)}
axes[0, 0].set_ylabel("density")
axes[1, 0].set_ylabel("density")
save(drawn, numbers)
