"""Natural parameters: the gradient of A is the mean of T.

Every exponential family has a natural parameter θ, a statistic T and a convex log-normalizer A with

    ∇A(θ) = E[T(x)],

so maximum likelihood sets ∇A(θ) to the mean of T over the rows of the class:

    Gaussian      θ = (μ/σ², −1/2σ²)    E[T] = (μ, μ² + σ²)
    Poisson       θ = ln λ              E[T] = λ
    Bernoulli     θ = ln p/(1 − p)      E[T] = p
    exponential   θ = −λ                E[T] = 1/λ
    geometric     θ = ln(1 − p)         E[T] = (1 − p)/p
    gamma         θ = (a, −b)           E[T] = (ψ(a) − ln b, a/b)
    beta          θ = (a, b)            E[T] = (ψ(a) − ψ(a + b), ψ(b) − ψ(a + b))
    Dirichlet     θ = α                 E[T] = ψ(α) − ψ(Σα)

The figure shows A for four families; the slopes of the tangents at two classes are the means of the classes. Two
Gaussian classes with the same Σ have the scores of LDA, with π_k = n_k/n, μ_k the class means and Σ the pooled
covariance with divisor n − K. See Bishop (2006), §2.4; Wainwright & Jordan (2008), §3; Hastie, Tibshirani & Friedman
(2009), (4.10).
"""

import numpy as np
from scipy.special import digamma

from linclass import LinearDiscriminantAnalysis
from linclass.base.parts import find
from linclass_study.textbook import CLASSES, INK, data, figure, save

alpha = np.array([2.0, 4.0, 6.0])
closed = {  # θ of some parameters, and E[T]
    "gaussian": ([2 / 1.8**2, -1 / (2 * 1.8**2)], [2, 2**2 + 1.8**2]),
    "poisson": ([np.log(3)], [3]),
    "bernoulli": ([np.log(0.2 / 0.8)], [0.2]),
    "exponential": ([-2.0], [1 / 2]),
    "geometric": ([np.log(1 - 0.3)], [0.7 / 0.3]),
    "gamma": ([6.0, -1.5], [digamma(6) - np.log(1.5), 6 / 1.5]),
    "beta": ([2.0, 5.0], digamma([2, 5]) - digamma(7)),
    "dirichlet": (alpha, digamma(alpha) - digamma(alpha.sum())),
}
numbers = {"gradient_less_the_mean": {}, "theta_of_the_mean_less_theta": {}}
for name, (theta, mean) in closed.items():
    family, h = find("families", name)(), 1e-5
    A = family.log_normalizer
    steps = h * np.eye(len(theta))
    gradient = (A(theta + steps) - A(theta - steps)) / (2 * h)
    numbers["gradient_less_the_mean"][name] = np.abs(gradient - mean).max()
    found = family.natural(np.array([mean], float))[0]
    numbers["theta_of_the_mean_less_theta"][name] = np.abs(found - theta).max()

iris = data("iris")
X, y, n = iris.X, iris.y, len(iris.y)
lda = LinearDiscriminantAnalysis().fit(X, y)
pi, mu = np.bincount(y) / n, np.array([X[y == k].mean(axis=0) for k in range(3)])
w = np.linalg.solve((X - mu[y]).T @ (X - mu[y]) / (n - 3), mu.T).T
b = np.log(pi) - (w * mu).sum(axis=1) / 2
log_odds = X @ (w[1:] - w[0]).T + b[1:] - b[0]
ours = lda.predict_log_proba(X)
numbers["lda_less_the_closed_form"] = np.abs(ours[:, 1:] - ours[:, [0]] - log_odds).max()

panels = {"bernoulli": (-4, 4, [-1.4, 0.85]), "poisson": (-1, 2.4, [1.1, 2.08]),
          "exponential": (-3, -0.12, [-1, -0.25]), "geometric": (-2.5, -0.08, [-1.1, -0.22])}  # fmt: skip
drawn, axes = figure(1, 4, width=7.8, height=2.7)
for panel, (name, (low, high, places)) in zip(axes, panels.items(), strict=True):
    A, t = find("families", name)().log_normalizer, np.linspace(low, high, 200)
    panel.plot(t, A(t[:, None]), color=INK)
    for k, at in enumerate(places):
        slope = (A(np.array([[at + 1e-5]])) - A(np.array([[at - 1e-5]])))[0] / 2e-5
        line = A(np.array([[at]]))[0] + slope * (t - at)
        panel.plot(t, line, "--", color=CLASSES[k], label=f"mean {slope:.2g}")
        panel.plot(at, A(np.array([[at]])), "os"[k], color=CLASSES[k], markersize=5)
    panel.set(title=name.title(), xlabel="θ", ylim=(A(t[:, None]).min() - 0.4, A(t[:, None]).max()))
    panel.legend(frameon=False, fontsize=7, loc="upper left")
axes[0].set_ylabel("A(θ)")
save(drawn, numbers)
