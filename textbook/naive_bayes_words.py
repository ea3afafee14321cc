"""Naive Bayes on words: counts or occurrences.

Three short documents are about China and one is not. Is "Chinese Chinese Chinese Tokyo Japan" about China? The
multinomial model counts words; the Bernoulli model uses whether each word of the vocabulary occurs:

    multinomial  P(class) Π P(word | class)^count
    Bernoulli    P(class) Π P(word | class) Π (1 − P(word | class)),

where the last product is over the words that do not occur. One is added to each count (Laplace smoothing). The
multinomial model counts "Chinese" three times and decides for China. The occurrence of "Chinese" says little, because
all four documents contain it, so Tokyo and Japan decide in the Bernoulli model. The figure shows the contribution of
each word to the log-odds of China, and the sums. See Manning, Raghavan & Schütze (2008), §13.2 and §13.3, examples 13.1
and 13.2; Murphy (2012), §3.5.
"""

import numpy as np
from scipy.special import expit

from linclass import BernoulliNB, MultinomialNB
from linclass_study.textbook import CLASSES, INK, figure, save

words = ["Chinese", "Beijing", "Shanghai", "Macao", "Tokyo", "Japan"]
texts = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]  # fmt: skip
topic, asked = ["china", "china", "china", "other"], "Chinese Chinese Chinese Tokyo Japan"
counts = np.array([[text.split().count(word) for word in words] for text in [*texts, asked]])
occurs = np.minimum(counts, 1)
models = {
    "multinomial": MultinomialNB().fit(counts[:-1], topic),
    "Bernoulli": BernoulliNB().fit(occurs[:-1], topic),
}
of_word = {  # of the classes: china, other
    "multinomial": np.exp(models["multinomial"].natural_[0]),
    "Bernoulli": expit(models["Bernoulli"].natural_[0]),
}
terms = {
    "multinomial": counts[-1] * np.log(of_word["multinomial"]),
    "Bernoulli": np.log(np.where(occurs[-1], of_word["Bernoulli"], 1 - of_word["Bernoulli"])),
}
numbers = {}
drawn, axes = figure(1, 2, width=7.4, height=2.8, sharex=True, sharey=True)
for panel, (name, model) in zip(axes, models.items(), strict=True):
    prior = model.priors_
    added = np.append(np.log(prior[0] / prior[1]), terms[name][0] - terms[name][1])
    row = counts[-1:] if name == "multinomial" else occurs[-1:]
    log_odds = -model.decision_function(row)[0]  # of the first class
    numbers[name] = {
        "prior": dict(zip(model.classes_, prior, strict=True)),
        "china": dict(zip(words, of_word[name][0], strict=True)),
        "other": dict(zip(words, of_word[name][1], strict=True)),
        "joint": dict(zip(model.classes_, prior * np.exp(terms[name].sum(axis=1)), strict=True)),
        "log_odds_less_the_sum": log_odds - added.sum(),
    }
    panel.barh(range(7), added, color=[CLASSES[int(value < 0)] for value in added])
    panel.axvline(0, color=INK, linewidth=0.6)
    title = f"{name}: log-odds {log_odds:+.2f}".replace("-", "−").replace("log−", "log-")
    panel.set(title=title, xlabel="contribution to the log-odds of China")
axes[0].set_yticks(range(7), ["prior", *words])
axes[0].invert_yaxis()
save(drawn, numbers)
