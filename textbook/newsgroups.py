"""Religion or politics? Twenty Newsgroups in words.

Six groups of 20 Newsgroups form two topics; each feature is the presence of a word. Batch gradient descent from w = 0
on the sum of the losses, without an intercept, with step size 10⁻⁴:

    w ← w + 10⁻⁴ Σᵢ (yᵢ − σ(w·xᵢ)) xᵢ,    412 steps.

Most of the largest weights belong to words of their topic. Some belong to persons and signatures (keith and athos are
parts of frequent senders' addresses), because the posts are used as they are. With 34,250 words and 3,028 training
posts the classes are separable, so the maximum-likelihood estimate does not exist: a converging solver only finds a
proof of this. Early stopping keeps these weights small; a penalty does so explicitly. Middle: predicted probabilities
of the test posts by true topic after 412 steps. Right: errors against the strength; the one-standard-error rule on five
folds selects the marked strength. Data: Lang (1995); see Bishop (2006), §4.3.2.
"""

import numpy as np

from linclass import LogisticRegression, separability
from linclass.tuning.folds import stratified_folds
from linclass_study.textbook import CLASSES, INK, data, figure, save

posts = data("newsgroups")
X, y = posts.X[~posts.test], posts.y[~posts.test]
X_test, y_test = posts.X[posts.test], posts.y[posts.test]
n = len(y)
early = LogisticRegression(  # its objective is the mean of the losses, so a step of the sum is n times as long
    penalty=None,
    solver="gradient_descent",
    learning_rate=1e-4 * n,
    max_iter=412,
    tol=0,
    fit_intercept=False,
).fit(X, y)
limit = LogisticRegression(penalty=None, fit_intercept=False).fit(X, y)


def errors(model):
    wrong = model.predict(X) != y, model.predict(X_test) != y_test
    return {"training": wrong[0].mean(), "test": wrong[1].mean()}


strengths = np.logspace(-1, -4, 7)
folds, path = stratified_folds(y, 5, 0), LogisticRegression(tol=1e-3).path
scores = np.empty((5, 7))
for k in range(5):
    own = folds == k
    scores[k] = [np.mean(m.predict(X[own]) != y[own]) for m in path(X[~own], y[~own], strengths)]
mean, se = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(5)
chosen = int(np.flatnonzero(mean <= (mean + se)[mean.argmin()]).min())  # the strongest comes first
penalized = [errors(model) for model in path(X, y, strengths)]
w = early.coef_.ravel()
ends = np.concatenate([np.argsort(w)[:10], np.argsort(w)[-10:]])
numbers = {
    "steps": early.n_iter_,
    "error": errors(early),
    "maximum_likelihood": {"status": limit.status_} | errors(limit),
    "separable": separability(X, y, intercept="none").kind == "complete",
    "penalized": {"strength": strengths[chosen], "folds": mean[chosen]} | penalized[chosen],
    "weights": {posts.names[j]: w[j] for j in ends},
}

drawn, (left, middle, right) = figure(1, 3, width=7.8, height=3.8)
left.barh(range(20), w[ends], color=[CLASSES[int(weight > 0)] for weight in w[ends]])
left.set_yticks(range(20), [posts.names[j] for j in ends])
left.tick_params(axis="y", length=0)
left.set(xlabel="weight after 412 steps")
probability = early.predict_proba(X_test)[:, 1]
for k, name in enumerate(posts.classes):
    own = probability[y_test == k]
    middle.hist(own, np.linspace(0, 1, 26), color=CLASSES[k], alpha=0.6, label=name)
middle.set(xlabel="predicted probability of politics", ylabel="test posts")
middle.legend(frameon=False, fontsize=7.5, loc="upper center")
right.semilogx(
    strengths, [e["training"] for e in penalized], "o-", color=CLASSES[2], label="training"
)
right.errorbar(strengths, mean, se, color=CLASSES[3], marker="s", label="five folds")
right.semilogx(strengths, [e["test"] for e in penalized], "^-", color=CLASSES[5], label="test")
right.plot(strengths[chosen], mean[chosen], "D", color=CLASSES[6], markersize=8, zorder=5)
right.axhline(numbers["error"]["test"], color=INK, linestyle=":", label="412 steps, test")
right.set(xlabel="strength of the L2 penalty", ylabel="error", ylim=(-0.004, 0.13))
right.legend(frameon=False, fontsize=7, ncols=2, loc="upper center", columnspacing=1)
save(drawn, numbers)
