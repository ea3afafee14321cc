"""Credit: whether to approve, how much, and with what probability.

One signal s = w·x answers three questions about an applicant:

    perceptron   approve?           sign(s)
    regression   how much?          s
    logistic     how likely to pay? σ(s)

First: the shares of good and bad applicants that the perceptron declines. Second: least-squares scores for German
credit (1,000 applicants, 30 % bad). Third: predicted probabilities of default in ten groups against observed shares,
for these data and for 30,000 credit cards in Taiwan. Last: classifying a bad customer as good costs five times as much
as the reverse; the cost is smallest near the threshold 1/6, which Bayes' rule gives. All scores are held out by ten
folds. See Abu-Mostafa, Magdon-Ismail & Lin (2012), §1.1, §3.2 and §3.3; data: Hofmann (1994), Yeh & Lien (2009).
"""

import numpy as np

from linclass import LeastSquaresClassifier, LogisticRegression, Perceptron
from linclass.tuning.folds import stratified_folds
from linclass_study.errors import Unavailable
from linclass_study.textbook import CLASSES, INK, data, figure, save


def answers(name, strength):
    """Out-of-fold answers for every applicant: decline? how much? how likely to default?"""
    rows = data(name)
    y, folds = rows.y, stratified_folds(rows.y, 10, 0)
    models = {
        "approve": (Perceptron(max_iter=1 + 50_000 // len(y), random_state=0), "predict"),
        "amount": (LeastSquaresClassifier(penalty="l2", strength=strength), "decision_function"),
        "probability": (LogisticRegression(strength=strength), "predict_proba"),
    }
    said = {"bad": y == 1} | {what: np.empty(len(y)) for what in models}
    for k in range(10):
        own, others = folds == k, rows.X[folds != k]
        mean, sd = others.mean(axis=0), others.std(axis=0) + 1e-12
        for what, (model, method) in models.items():
            model.fit((others - mean) / sd, y[~own])
            answer = getattr(model, method)((rows.X[own] - mean) / sd)
            said[what][own] = answer if answer.ndim == 1 else answer[:, 1]
    return said


found, numbers = {"German credit": answers("german", 1e-3)}, {}
try:
    found["Taiwan"] = answers("credit_default", 1e-4)
except Unavailable as reason:
    numbers["Taiwan"] = {"unavailable": str(reason)}

drawn, (first, second, third, last) = figure(1, 4, width=7.8, height=2.7)
for k, (name, said) in enumerate(found.items()):
    bad, p, colour, marker = said["bad"], said["probability"], CLASSES[2 + k], "os"[k]
    declined = [np.mean(said["approve"][bad == group] == 1) for group in (False, True)]
    first.bar(np.arange(2) + 0.4 * k, declined, 0.36, color=colour, label=name)
    at = np.array([(p[g].mean(), bad[g].mean()) for g in np.array_split(np.argsort(p), 10)])
    third.plot(*at.T, marker, color=colour, markersize=4)
    wrong = {"approve": said["approve"], "amount": said["amount"] > 0, "probability": p > 0.5}
    numbers[name] = {
        "error": {what: np.mean(guess != bad) for what, guess in wrong.items()},
        "declined": {"good": declined[0], "bad": declined[1]},
        "brier": np.mean((p - bad) ** 2),
    }
german = found["German credit"]
bad, p, thresholds = german["bad"], german["probability"], np.linspace(0.01, 0.99, 99)
cost = [np.mean(np.where(bad, 5 * (p < t), p >= t)) for t in thresholds]
numbers["cost"] = {"at_half": cost[49], "least": min(cost), "least_at": thresholds[np.argmin(cost)]}
for k, name in enumerate(("good", "bad")):
    second.hist(german["amount"][bad == k], 30, color=CLASSES[k], alpha=0.6, label=name)
first.set(title="approve?", ylabel="share declined", ylim=(0, 0.75))
first.set_xticks([0.2, 1.2], ["good", "bad"])
second.set(title="how much?", xlabel="score of “bad”", ylabel="applicants")
third.plot([0, 0.9], [0, 0.9], color=INK, linewidth=0.7)
third.set(title="how likely?", xlabel="predicted probability", ylabel="share that defaulted")
last.plot(thresholds, cost, color=CLASSES[6])
last.axvline(1 / 6, color=INK, linestyle=":", linewidth=1)
last.set(title="at what cost?", xlabel="threshold for declining", ylabel="cost per applicant")
first.legend(frameon=False, fontsize=7)
second.legend(frameon=False, fontsize=7)
save(drawn, numbers)
