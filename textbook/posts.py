"""Posts as the model sees them: probabilities near 0, ½ and 1.

Logistic regression with an L2 penalty on the words of the raw posts, religion (0) against politics (1). The previous
exhibit has the same classes but only word counts. The score of a post is a sum over its words,

    ln P(politics | post)/P(religion | post) = b + Σ w_j    over the words j in the post.

The figure shows excerpts of posts in the official test set: the two most confident predictions of each class, and the
two least confident. Each has the topic under which it was posted, its log-odds and its number of distinct words. Sums
of many words can be large, so the most confident predictions are long posts. Headers and addresses are omitted in the
figure but not in the fit. Data: Lang (1995). The raw archive is not included in the project: a mirror must have
20news-bydate.tar.gz. See Manning, Raghavan & Schütze (2008), §13.
"""

import re
import textwrap

import numpy as np
from scipy import sparse

from linclass import LogisticRegression
from linclass_study.textbook import CLASSES, data, figure, save

posts = data("newsgroups_posts")
words = [set(re.findall(r"[a-z]{2,}", text.lower())) for text in posts.texts]
vocabulary = {word: j for j, word in enumerate(sorted(set().union(*words)))}
places = [[vocabulary[word] for word in sorted(own)] for own in words]
ends = np.cumsum([0, *map(len, places)])
X = sparse.csr_array((np.ones(ends[-1]), np.concatenate(places), ends))
X = X[:, np.flatnonzero(X.sum(axis=0) > 1)]  # words of at least two posts
train = ~posts.test
model = LogisticRegression(strength=3e-3, tol=1e-4).fit(X[train], posts.y[train])
z, p = model.decision_function(X), model.predict_proba(X)[:, 1]


def excerpt(text, length=330):
    """The first sentences of the post itself, without headers, quotations and addresses."""
    body = re.split(r"\n-- ?\n|\n--", text.split("\n\n", 1)[-1])[0]  # what follows is a signature
    quoted = re.compile(r"\s*[>|:]|[A-Z][\w-]*:|.*(writes|wrote)")
    lines = [line for line in body.splitlines() if not quoted.match(line)]
    plain = re.sub(r"\S+@\S+|\(?\d{3}\)?[ -]\d{3}-\d{4}", "", " ".join(" ".join(lines).split()))
    return textwrap.shorten(plain.encode("ascii", "ignore").decode(), length, placeholder=" …")


tested = np.flatnonzero(posts.test & (np.array([len(excerpt(t)) for t in posts.texts]) > 150))
near = {name: tested[np.argsort(np.abs(p[tested] - at))[:2]] for name, at in
        (("near 0", 0), ("near ½", 0.5), ("near 1", 1))}  # fmt: skip
numbers = {
    "test_error": np.mean((p > 0.5)[posts.test] != posts.y[posts.test]),
    "posts": {
        name: [
            {
                "probability": p[i], "log_odds": z[i], "words": len(words[i]),
                "topic": posts.classes[posts.y[i]], "text": excerpt(posts.texts[i]),
            }
            for i in rows
        ]
        for name, rows in near.items()
    },
}  # fmt: skip
drawn, axes = figure(2, 3, width=7.8, height=3.3)
for column, shown in zip(axes.T, numbers["posts"].values(), strict=True):
    for panel, post in zip(column, shown, strict=True):
        panel.axis("off")
        title = f"{post['topic']}: log-odds {post['log_odds']:+.2f}, {post['words']} words"
        colour = CLASSES[posts.classes.index(post["topic"])]
        panel.set_title(title, fontsize=8, color=colour, loc="left")
        text = textwrap.fill(post["text"], 42)
        panel.text(0, 0.97, text, va="top", fontsize=7, parse_math=False, transform=panel.transAxes)
save(drawn, numbers)
