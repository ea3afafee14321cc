"""Words, vocabulary and weights together: everything learned from training rows ignores held-out rows."""

import random

import numpy as np
from cases import each

from linclass.base.tables import Table
from linclass.preprocessing.features.texts import count_words
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

STRENGTH = 0.01


def reviews(n: int = 80, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of two classes that prefer different words out of 60; many words are rare."""
    draw = random.Random(seed)
    y = np.array([draw.randrange(2) for _ in range(n)], np.int32)
    words = [f"word{j}" for j in range(60)]
    odds = [[1 / (1 + (j + 17 * k) % 60) for j in range(60)] for k in (0, 1)]
    return [" ".join(draw.choices(words, odds[k], k=draw.randrange(3, 15))) for k in y], y


def column(texts: list[str]) -> Table:
    levels = sorted(set(texts))
    X = np.array([[float(levels.index(text))] for text in texts])
    return Table(X, ("text",), {"text": tuple(levels)}, frozenset({"text"}))


def output(
    texts: list[str], y: np.ndarray, train: np.ndarray, entry: dict[str, object]
) -> np.ndarray:
    """The score of class 1 for every row, of a fit on the training rows."""
    table = count_words(column(texts))
    fitted = fit_method(Method.from_entry(entry), table.rows(train), y[train], Task(2, 1), seed=0)
    return fitted.predict(table)[1][:, 1]


LOGISTIC = {
    "classifier": "linclass.LogisticRegression",
    "params": {"strength": STRENGTH},
    "transforms": [{"vocabulary": {"min_rows": 2}}, {"idf": {"counts": "log"}}],
}
NAIVE_BAYES = {"classifier": "linclass.MultinomialNB", "transforms": ["vocabulary"]}


@each("entry", [LOGISTIC, NAIVE_BAYES], ids=["logistic", "naive_bayes"])
def test_texts_held_out_change_no_score_of_other_rows(entry):
    texts, y = reviews()
    train = np.arange(60)
    changed = texts[:60] + ["never seen before, and word1 again"] * 20
    before, after = output(texts, y, train, entry), output(changed, y, train, entry)
    np.testing.assert_allclose(after[:60], before[:60], rtol=1e-9, atol=1e-12)
    assert not np.allclose(after[60:], before[60:])


def test_words_occurring_only_in_test_rows_are_never_features():
    """Smoothing counts the columns: one that only test rows have would move every probability."""
    texts, y = reviews()
    train, entry = np.arange(60), {"classifier": "linclass.MultinomialNB"}
    changed = texts[:60] + [f"strange{i} stranger{i}" for i in range(20)]
    before, after = output(texts, y, train, entry), output(changed, y, train, entry)
    np.testing.assert_array_equal(after[:60], before[:60])


def test_tf_idf_and_logistic_regression_are_the_pipeline_of_scikit_learn_on_training_texts():
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, y = reviews()
    train = np.arange(60)
    theirs = make_pipeline(
        CountVectorizer(min_df=2),
        TfidfTransformer(sublinear_tf=True),
        LogisticRegression(C=1 / (60 * STRENGTH), tol=1e-10, max_iter=10_000),
    ).fit(texts[:60], y[:60])
    ours = 2 * output(texts, y, train, LOGISTIC)  # score: −z/2 and z/2
    np.testing.assert_allclose(ours, theirs.decision_function(texts), atol=1e-5)
