"""Dose and response: logistic and probit regression.

Bliss exposed beetles to carbon disulphide and counted the dead. A beetle dies if the dose exceeds its tolerance. If the
logarithm of the tolerance has a logistic distribution, the death rate follows logistic regression; if it has a normal
distribution, it follows probit regression:

    P(death) = σ(b + w·dose),    P(death) = Φ(b + w·dose).

The two fitted curves nearly coincide, with different parameters: w of the logistic model is 1.74 times w of the probit
model. Right: observed minus fitted deaths. Neither deviance (11.2, 10.1) exceeds 12.6, the 95 % quantile of χ² with 6
degrees of freedom, but residuals of the same sign come in runs. See Bliss (1935); Dobson (2002), §7.3, tables 7.2 to
7.4; Bishop (2006), §4.3.5.
"""

import numpy as np

from linclass import LogisticRegression, ProbitRegression
from linclass_study.textbook import INK, METHODS, figure, save

dose = np.array([1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839])  # log₁₀ mg/l
beetles = np.array([59, 60, 62, 56, 63, 59, 62, 60])
dead = np.array([6, 13, 18, 28, 52, 53, 61, 60])

# Two rows a dose, the dead and the living, with their numbers as weights.
counts = np.concatenate([dead, beetles - dead])
X, y = np.tile(dose, 2)[:, None], np.repeat([1, 0], 8)
some = counts > 0
grid = np.linspace(1.67, 1.9, 200)
numbers = {}
drawn, (left, right) = figure(1, 2, width=7.6, height=3.0, gridspec_kw={"width_ratios": [3, 2]})
left.plot(dose, dead / beetles, "o", color=INK, markersize=4.5, label="observed")
models = {"logistic": LogisticRegression, "probit": ProbitRegression}
for place, (name, kind) in enumerate(models.items()):
    model = kind(penalty=None, tol=1e-10).fit(X[some], y[some], counts[some])
    table = model.summary().table
    fitted = beetles * model.predict_proba(dose[:, None])[:, 1]
    expected = np.concatenate([fitted, beetles - fitted])
    numbers[name] = {
        "estimate": dict(zip(("b", "w"), table.estimate, strict=True)),
        "error": dict(zip(("b", "w"), table.std_error, strict=True)),
        "deviance": 2 * np.sum(counts[some] * np.log(counts[some] / expected[some])),
        "fitted": fitted,
    }
    style = {"color": METHODS[name], "linestyle": ("-", "--")[place], "label": name}
    left.plot(grid, model.predict_proba(grid[:, None])[:, 1], **style)
    right.plot(dose, dead - fitted, marker="os"[place], markersize=4, linewidth=1, **style)
left.set(xlabel="dose, log₁₀ of mg/l", ylabel="share of dead beetles")
right.set(xlabel="dose, log₁₀ of mg/l", ylabel="deaths, observed − fitted")
right.axhline(0, color=INK, linewidth=0.6)
left.legend(frameon=False)
save(drawn, numbers)
